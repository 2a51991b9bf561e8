"""What several trials gave: the sentence by rule, the charts, the table, every single trial.

Each figure carries mode, condition, rounds and date. What may be said is decided in `lib/trials`, not here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
from altair.utils.schemapi import debug_mode

from lib import numbers
from lib.charts import drawing
from lib.charts.drawing import Look
from lib.charts.metric_table import DASH
from lib.charts.result_lanes import names_apart, outcome_word
from lib.domain.run import Origin
from lib.i18n import _, current_language
from lib.metrics.figures import figure_text
from lib.metrics.quantity import Unavailable
from lib.provenance import Facts, badge_word, mode_words, shared_facts
from lib.trials.goodput import Goals
from lib.trials.how import backend_facts, condition_words, conditions_of, rounds_of
from lib.trials.kept import KeptSeries
from lib.trials.plan import Plan
from lib.trials.runner import Series
from lib.trials.summary import (
    Comparison,
    compare,
    counts_of,
    figure_summary,
    rounds_text,
    told_apart,
    trials_of,
)
from lib.trials.trial import Trial
from lib.ui.markdown import in_help, plain
from lib.ui.state import component_key
from lib.ui.trial_charts import StripLane, forest_chart, strip_chart
from lib.ui.trial_table import table_of

COLUMN_PX = 480
KEPT = 16  # looks that are remembered
LATE_CLOCK_MS = 10.0  # a clock later than this is said apart
IN_SECONDS_MS = 2000.0  # from here on the axis of times is in seconds
_Titled = tuple[str, drawing.Figure | None]
REFERENCE, COMPARE_BY = "trials_reference", "trials_compare_by"
_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "tokenrace_trials",
    html="\n<div class='tr-metrics'></div>\n",
    css=(_HERE / "table.css").read_text("utf-8"),
    js=(_HERE / "table.js").read_text("utf-8"),
)


def show_results(series: Series | KeptSeries, goals: Goals) -> None:
    """Everything there is so far; nothing while no trial has ended."""
    trials, plan = series.trials, series.plan
    if not any(not trial.is_warm_up for trial in trials):
        return
    look = Look("dark" if st.context.theme.type == "dark" else "light")
    names = names_apart(plan.backends)
    reference, key = _comparison_chosen(names)
    how = shared_facts(conditions_of(series))
    seen = _Seen(plan.id, len(trials), current_language(), look, reference, key, how, plan, trials)
    found, figures, forest = _drawn(seen)
    _show_sentence(found, plan, names, how)
    with st.grid(2, min_column_width=COLUMN_PX, gap=("small", "medium")):
        for title, figure in figures:
            _show(figure, _("{title}: no trial has this figure.").format(title=title))
        _show(forest, _("No ratio yet: it needs 3 rounds that both completed."))
    _show_table(series, trials, names, goals, look)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A series as a key: with as many trials it looks the same, so a look that finds nothing new costs nothing."""

    id: str
    count: int
    language: str
    look: Look
    reference: int
    compared_by: str
    how: Facts
    plan: Plan = field(compare=False)
    trials: tuple[Trial, ...] = field(compare=False)


@lru_cache(KEPT)
def _drawn(seen: _Seen) -> tuple[list[Comparison], list[_Titled], drawing.Figure | None]:
    """The comparisons and all charts, built without Altair's validation (the tests validate them)."""
    plan, trials, names = seen.plan, seen.trials, names_apart(seen.plan.backends)
    others = [place for place in range(len(names)) if place != seen.reference]
    found = [compare(trials, place, seen.reference, seen.compared_by) for place in others]
    told = provenance(plan, trials)
    with debug_mode(False):
        forest = forest_chart(found, _lanes(plan, trials, names, seen.compared_by, seen.how), told, seen.look)
        return found, _figures(plan, trials, names, told, seen.look, seen.how), forest


def provenance(plan: Plan, trials: Sequence[Trial]) -> str:
    """What stands under every title: mode, condition, rounds, date."""
    rounds = rounds_of(trials)
    began = datetime.fromisoformat(plan.started_at).strftime("%Y-%m-%d %H:%M UTC") if plan.started_at else ""
    first = f"{mode_words(plan.mode)} · {condition_words(plan.condition)}"
    return "\n".join((first, " · ".join(part for part in (rounds_text(rounds), began) if part)))


def _comparison_chosen(names: Sequence[str]) -> tuple[int, str]:
    """Against whom and by which figure is compared."""
    by = {
        "normalised_e2e_tok_s": _("whole answer"),
        "decode_tok_s": _("decode rate"),
        "ttfat_ms": _("first answer"),
    }
    left, right = st.columns([1, 1.4], vertical_alignment="bottom")
    with left:
        reference = st.selectbox(
            _("Compared with"), range(len(names)), format_func=lambda place: names[place], key=REFERENCE,
        )  # fmt: skip
    with right:
        key = st.segmented_control(
            _("by"), list(by), default=next(iter(by)), format_func=lambda name: by[name], key=COMPARE_BY, required=True,
            help=_("Whole answer: o200k tokens from request to last text, fair across tokenizers. "
                   "Decode rate: in each server's own tokens."),
        )  # fmt: skip
    return min(int(reference or 0), len(names) - 1), str(key)


def _show_sentence(found: Sequence[Comparison], plan: Plan, names: Sequence[str], how: Facts) -> None:
    """The widest difference that was shown in large type, then the others; undecided ones are said to be so."""
    full = [_named(place, plan, names) for place in range(len(names))]
    ordered = sorted(found, key=_decided)
    if not ordered:
        return
    sentences = [plain(told_apart(one, full[one.a], full[one.b])) for one in ordered]
    st.markdown(f"### {sentences[0]}", help=in_help(how))
    if sentences[1:]:
        st.markdown("  \n".join(sentences[1:]))


def _decided(one: Comparison) -> float:
    """Sorts what was told apart first, the largest ratio ahead."""
    if isinstance(one.interval, Unavailable):
        return 2.0
    ratio = one.interval.ratio
    return -max(ratio, 1 / ratio) if one.interval.tells_apart else 1.0


def _named(place: int, plan: Plan, names: Sequence[str]) -> str:
    """The name, with its badge where lanes of different origin are compared."""
    origin = plan.backends[place].origin
    mixed = len({backend.origin for backend in plan.backends}) > 1
    return f"{names[place]} ({badge_word(origin)})" if mixed and origin is not Origin.LIVE else names[place]


def _lanes(plan: Plan, trials: Sequence[Trial], names: Sequence[str], key: str, how: Facts) -> list[StripLane]:
    return [
        StripLane(place, names[place], backend, figure_summary(own, key), _without(own, key), counts_of(own).failed > 0,
                  (*backend_facts(backend, own), *how))
        for place, backend in enumerate(plan.backends)
        for own in [trials_of(trials, place)]
    ]  # fmt: skip


def _without(own: Sequence[Trial], key: str) -> str:
    """Trials without a point in words: failed, stopped, or complete without this figure."""
    counts = counts_of(own)
    bare = counts.complete - len(figure_summary(own, key).values)
    parts = (
        (counts.failed, _("{n} failed")),
        (counts.stopped, _("{n} stopped")),
        (bare, _("{n} without this figure")),
    )
    return ", ".join(words.format(n=n) for n, words in parts if n)


def _figures(
    plan: Plan, trials: Sequence[Trial], names: Sequence[str], told: str, look: Look, how: Facts
) -> list[_Titled]:
    def strip(key: str, title: str, axis: str, text: Any, note: str = "", per: float = 1.0, per_s: float = 0.0) -> _Titled:
        lanes = _lanes(plan, trials, names, key, how)
        return title, strip_chart(lanes, title, axis, told + note, text, look, per, per_s)

    count = _("\ntokens: usage of the servers, else estimated")
    rate = partial(numbers.rate, unit="tok/s")
    longest_ms = max(
        (trial.value("ttfat_ms") or 0.0 for trial in trials if not trial.is_warm_up), default=0.0
    )
    in_s = longest_ms >= IN_SECONDS_MS
    from_request = _("seconds from request") if in_s else _("milliseconds from request")
    return [
        strip("ttfat_ms", _("Time to first answer token (TTFAT)"), from_request, numbers.milliseconds,
              per=1000.0 if in_s else 1.0, per_s=1.0 if in_s else 1000.0),
        strip("decode_tok_s", _("Decode rate"), _("tokens per second"), rate, count),
        strip("e2e_tok_s", _("End-to-end rate"), _("tokens per second"), rate, count),
    ]  # fmt: skip


def _show(figure: drawing.Figure | None, otherwise: str) -> None:
    if figure is None:
        st.caption(otherwise)
    else:
        st.vega_lite_chart(figure.spec, width="stretch", theme=None, alt=figure.alt)


def _show_table(
    series: Series | KeptSeries, trials: Sequence[Trial], names: Sequence[str], goals: Goals, look: Look
) -> None:
    st.markdown(f"#### {_('In numbers')}", anchors=False)
    st.caption(_conditions(series))
    if (series.clock_health_ms or 0.0) > LATE_CLOCK_MS:
        st.caption(_("The measuring process was held up: times may be late by as much as its clock was."))
    table = table_of(series.plan, trials, names, goals, look.theme, shared_facts(conditions_of(series)))
    _mount(data=table, key=component_key(f"trials-{series.plan.id}"))
    with st.expander(_("Every trial")):
        st.dataframe(_every_trial(trials, names), hide_index=True, height="content")


def _conditions(series: Series | KeptSeries) -> str:
    health = series.clock_health_ms
    clock = (
        "" if health is None else _("clock late by at most {time}").format(time=numbers.milliseconds(health))
    )
    versions = series.versions.get("tokenrace", "")
    version = f"Tokenrace {versions}" if versions else ""
    told = (
        *provenance(series.plan, series.trials).splitlines(),
        clock,
        version,
        _("intervals are 95 %, each by itself"),
    )
    return plain(" · ".join(part for part in told if part))


def _every_trial(trials: Sequence[Trial], names: Sequence[str]) -> pd.DataFrame:
    """One row for each request in the order of ending, warm-ups and failures among them."""
    columns = {
        "ttft_ms": _("TTFT"), "ttfat_ms": _("TTFAT"), "decode_tok_s": _("Decode rate"), "e2e_tok_s": _("End to end"),
        "output_tokens": _("Tokens"), "cached_tokens": _("Cached"), "setup_ms": _("Set-up"),
    }  # fmt: skip
    rows = []
    for trial in trials:
        row = {
            _("Round"): _("warm-up") if trial.is_warm_up else str(trial.turn.round),
            _("Backend"): names[trial.turn.place],
            _("Outcome"): _outcome(trial),
        }
        for key, title in columns.items():
            figure = trial.figures[key]
            row[title] = DASH if isinstance(figure, Unavailable) else figure_text(figure)
        rows.append(row)
    return pd.DataFrame(rows)


def _outcome(trial: Trial) -> str:
    told = trial.failure or outcome_word(trial.status)
    return f"{told} · {_('throttled')}" if trial.was_throttled and not trial.failure else told
