"""What several trials say, and no more: medians with range, percentiles with enough samples, paired ratios.

Failed, throttled and stopped trials are counted and never in a median. Cold and warm trials are two conditions:
handing both in is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lib.domain.events import Status
from lib.i18n import _, ngettext
from lib.metrics.quantity import Figure, Unavailable
from lib.metrics.statistics import RatioInterval, Spread, paired_ratio, percentile, spread
from lib.trials.trial import Trial

RELIABLE = {90.0: 50, 99.0: 500}  # samples from which a percentile is more than an indication
COMPARED = ("normalised_e2e_tok_s", "decode_tok_s", "ttfat_ms")
SHOWN = ("ttft_ms", "ttfat_ms", "decode_tok_s", "e2e_tok_s", "whole_ms", "output_tokens")


class MixedConditions(ValueError):
    """Cold and warm trials were handed in together."""


@dataclass(frozen=True, slots=True)
class Percentile:
    """A percentile, and whether there are samples enough to rely on it."""

    figure: Figure
    is_reliable: bool


@dataclass(frozen=True, slots=True)
class FigureSummary:
    """One figure over the complete trials: all values, median with range, p90 and p99 where allowed."""

    key: str
    values: tuple[float, ...]
    spread: Spread | Unavailable
    p90: Percentile
    p99: Percentile


@dataclass(frozen=True, slots=True)
class Counts:
    """How the trials ended; `throttled` ones are among the others."""

    trials: int
    complete: int
    failed: int
    stopped: int
    throttled: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The backend at place `a` over the one at `b` by one figure, from rounds that both completed."""

    a: int
    b: int
    key: str
    rounds: int  # that have a pair
    ratios: tuple[float, ...]
    interval: RatioInterval | Unavailable


def trials_of(trials: Sequence[Trial], place: int) -> tuple[Trial, ...]:
    """The trials of one backend in the order of rounds, without warm-ups. Raises MixedConditions."""
    own = [trial for trial in _measured(trials) if trial.turn.place == place]
    return tuple(sorted(own, key=lambda trial: trial.turn.round))


def counts_of(trials: Sequence[Trial]) -> Counts:
    """How these trials ended."""
    return Counts(
        trials=len(trials),
        complete=sum(trial.is_complete for trial in trials),
        failed=sum(trial.has_failed for trial in trials),
        stopped=sum(trial.status in (Status.STOPPED, Status.INTERRUPTED) for trial in trials),
        throttled=sum(trial.was_throttled for trial in trials),
    )


def figure_summary(trials: Sequence[Trial], key: str) -> FigureSummary:
    """One figure over the complete ones of these trials."""
    values = tuple(value for trial in _measured(trials) if (value := trial.value(key)) is not None)
    return FigureSummary(key, values, spread(values), _percentile(values, 90.0), _percentile(values, 99.0))


def compare(trials: Sequence[Trial], a: int, b: int, key: str) -> Comparison:
    """Geometric mean of a / b over the rounds both completed, with its 95 % t interval of paired log-ratios."""
    pairs = _pairs(_measured(trials), a, b, key)
    ratios = tuple(first / second for first, second in pairs)
    return Comparison(a, b, key, len(pairs), ratios, paired_ratio(pairs))


def comparisons(trials: Sequence[Trial], places: int, key: str) -> tuple[Comparison, ...]:
    """Every pair once."""
    return tuple(
        compare(trials, a, b, key) for b in range(places) for a in range(b + 1, places)
    )  # fmt: skip


def told_apart(comparison: Comparison, a: str, b: str) -> str:
    """The comparison as a sentence by rule, the larger first; a difference that was not shown is not told."""
    interval = comparison.interval
    if isinstance(interval, Unavailable):
        few = _("{a} and {b}: too few trials to compare (both completed {rounds}, 3 are needed).")
        return few.format(a=a, b=b, rounds=rounds_text(comparison.rounds))
    if not interval.tells_apart:
        return _("{a} and {b} cannot be told apart with {n} rounds.").format(a=a, b=b, n=interval.pairs)
    if interval.ratio < 1:
        interval = RatioInterval(interval.pairs, 1 / interval.ratio, 1 / interval.high, 1 / interval.low)
        a, b = b, a
    words = {
        "ttfat_ms": (_("takes {ratio} as long as"), _("to its first answer token")),
        "decode_tok_s": (_("is {ratio}"), _("by decode rate")),
        "normalised_e2e_tok_s": (_("is {ratio}"), _("from request to last token")),
    }
    verb, by = words[comparison.key]
    return _("{a} {verb} {b} {by} (95 %: {low} to {high}, {n} rounds).").format(
        a=a, b=b, by=by, n=interval.pairs, verb=verb.format(ratio=ratio_text(interval.ratio)),
        low=ratio_text(interval.low), high=ratio_text(interval.high),
    )  # fmt: skip


def ratio_text(ratio: float) -> str:
    """A ratio near 1 needs a digit more than one far from it: 0.952×, 1.04×, 3.12×, 14.1×."""
    digits = 3 if ratio < 1 else 2 if ratio < 10 else 1 if ratio < 100 else 0
    return f"{ratio:,.{digits}f}×"


def rounds_text(rounds: int) -> str:
    """How many rounds: 1 round, 5 rounds."""
    return ngettext("{n} round", "{n} rounds", rounds).format(n=rounds)


def _measured(trials: Sequence[Trial]) -> list[Trial]:
    if len({trial.condition for trial in trials}) > 1:
        raise MixedConditions("cold and warm trials are two conditions")
    return [trial for trial in trials if not trial.is_warm_up]


def _pairs(trials: Sequence[Trial], a: int, b: int, key: str) -> list[tuple[float, float]]:
    by_round: dict[tuple[int, int], float] = {
        (trial.turn.round, trial.turn.place): value
        for trial in trials
        if (value := trial.comparable(key)) is not None and value > 0
    }
    rounds = sorted({number for number, _place in by_round})
    return [
        (by_round[number, a], by_round[number, b])
        for number in rounds
        if (number, a) in by_round and (number, b) in by_round
    ]


def _percentile(values: Sequence[float], percent: float) -> Percentile:
    return Percentile(percentile(values, percent), len(values) >= RELIABLE[percent])
