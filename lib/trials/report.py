"""The summary of several trials as JSON values, for `python -m lib measure`; the same rules as on the Trials page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lib.i18n import _
from lib.metrics.quantity import Figure, Quantity, Unavailable
from lib.metrics.statistics import percentile, spread
from lib.trials.goodput import Goals, goodput
from lib.trials.summary import COMPARED, Comparison, comparisons, counts_of, told_apart
from lib.trials.trial import Trial

FIGURES = ("ttft_ms", "first_answer_ms", "end_ms", "decode_tok_s", "e2e_tok_s", "output_tokens", "cost_usd")
_DIGITS = 3
NOT_INTERLEAVED = (
    "The trials were not interleaved: a ratio of blocks says more about the hour than about the backends."
)


def backend_summary(
    keys: Sequence[Mapping[str, Any]], trials: Sequence[Trial], goals: Goals
) -> dict[str, Any]:
    """One backend: counts, and over its complete trials median, range, p90 and p99 (null with too few), goodput.

    `keys` are its trials as `measure_keys` prints them, in the order of `trials`.
    """
    counts = counts_of(trials)
    complete = [one for one in keys if one["status"] == "complete"]
    values = {name: [float(one[name]) for one in complete if one[name] is not None] for name in FIGURES}
    spreads = {name: spread(known) for name, known in values.items()}
    return {
        "trials": counts.trials,
        "complete": counts.complete,
        "failed": counts.failed,
        "stopped": counts.stopped,
        "throttled": counts.throttled,
        "median": {n: None if isinstance(s, Unavailable) else _rounded(s.median) for n, s in spreads.items()},
        "range": {
            n: None if isinstance(s, Unavailable) else [_rounded(s.least), _rounded(s.most)]
            for n, s in spreads.items()
        },
        "p90": {name: _number(percentile(known, 90.0)) for name, known in values.items()},
        "p99": {name: _number(percentile(known, 99.0)) for name, known in values.items()},
        "goodput": _goodput(trials, goals),
    }


def series_summary(
    trials: Sequence[Trial], names: Sequence[str], condition: str, rounds: int, *, interleaved: bool
) -> dict[str, Any]:
    """All backends: how the trials were made, and each pair's ratio with its 95 % interval."""
    found = [one for key in COMPARED for one in comparisons(trials, len(names), key)] if interleaved else []
    return {
        "rounds": rounds,
        "mode": "one by one",
        "condition": condition,
        "interleaved": interleaved,
        "ratios": [_ratio(one, names) for one in found],
        "reason": None if interleaved else _(NOT_INTERLEAVED),
    }


def _ratio(one: Comparison, names: Sequence[str]) -> dict[str, Any]:
    interval = None if isinstance(one.interval, Unavailable) else one.interval
    return {
        "a": names[one.a],
        "b": names[one.b],
        "figure": one.key,
        "rounds": one.rounds,
        "ratio": interval and round(interval.ratio, 4),
        "low": interval and round(interval.low, 4),
        "high": interval and round(interval.high, 4),
        "tells_apart": interval and interval.tells_apart,
        "sentence": told_apart(one, names[one.a], names[one.b]),
    }


def _goodput(trials: Sequence[Trial], goals: Goals) -> dict[str, Any]:
    told = goodput(trials, goals)
    known = not isinstance(told.interval, Unavailable)
    return {
        "limits": {name: getattr(goals, name) for name in Goals.__slots__},
        "good": told.good,
        "judged": told.judged,
        "undetermined": told.undetermined,
        "interval": [_rounded(end) for end in told.interval] if known else None,  # type: ignore[union-attr]
    }


def _number(figure: Figure) -> float | None:
    return _rounded(float(figure.value)) if isinstance(figure, Quantity) else None


def _rounded(value: float) -> float:
    return round(value, _DIGITS)
