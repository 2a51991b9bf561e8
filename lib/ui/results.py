"""What stands below the stage after a race: charts, the table of all metrics, the answers.

It places what `lib.metrics` computed and computes nothing itself. A lane that failed is shown with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import streamlit as st
from altair.utils.schemapi import debug_mode

from lib import numbers
from lib.domain.run import Run
from lib.i18n import _
from lib.reading import ReadingSpeed
from lib.ui import charts
from lib.ui.answers import show_answers
from lib.ui.bar_charts import throughput_chart, ttft_chart
from lib.ui.chart_reader import band_of
from lib.ui.charts import Look
from lib.ui.curve_chart import curve_chart
from lib.ui.gap_charts import arrival_chart, gap_chart
from lib.ui.markdown import plain
from lib.ui.palette import Theme
from lib.ui.result_lanes import KEPT, ResultKey, ResultLane, key_of, lanes_of, mode_words
from lib.ui.table import show_table

LATE_CLOCK_MS = 10.0  # a clock later than this is said apart
COLUMN_PX = 480  # two columns from a page of about 1,100 pixels


def show_results(run: Run, reading: ReadingSpeed | None) -> None:
    """Everything below the stage for a run whose lanes have ended; `reading` None takes each answer's language."""
    lanes = lanes_of(run, reading)
    if not any(lane.measured.has_text for lane in lanes):
        _nothing(lanes)
        return
    look = _look(run.id)
    _show_charts(figures_of(key_of(run, reading), look))
    st.markdown(f"#### {_('All metrics')}", anchors=False)
    st.caption(_conditions(run))
    if (run.clock_health_ms or 0.0) > LATE_CLOCK_MS:
        st.caption(_("The measuring process was held up: times may be late by as much as its clock was."))
    show_table(run, lanes, look.theme)
    show_answers(run.id, lanes)


def subtitle_of(run: Run, lanes: Sequence[ResultLane]) -> str:
    """Mode and token source, for every chart."""
    counted = {lane.measured.is_estimated for lane in lanes if lane.measured.output_tokens is not None}
    sources = {
        frozenset({False}): _("tokens: usage of the servers"),
        frozenset({True}): _("tokens: estimated from the text"),
    }
    source = sources.get(frozenset(counted), _("usage of the servers, ~ estimated"))
    return f"{mode_words(run.mode)} · {source}"


@dataclass(frozen=True, slots=True)
class Figures:
    """The charts of a result; None where there is nothing to draw."""

    ttft: charts.Figure | None
    throughput: charts.Figure | None
    curves: charts.Figure | None
    arrivals: charts.Figure | None
    gaps: charts.Figure | None


@lru_cache(KEPT)
def figures_of(key: ResultKey, look: Look) -> Figures:
    """All charts of a run, built without Altair's validation (the tests validate them)."""
    run, lanes = key.run, lanes_of(key.run, key.reading)
    subtitle = subtitle_of(run, lanes)
    with debug_mode(False):
        return Figures(
            ttft_chart(lanes, subtitle, look),
            throughput_chart(lanes, band_of(lanes), subtitle, look),
            curve_chart(lanes, subtitle, look),
            arrival_chart(lanes, subtitle, look),
            gap_chart(lanes, subtitle, look),
        )


def _show_charts(figures: Figures) -> None:
    with st.grid(2, min_column_width=COLUMN_PX, gap=("small", "medium")):
        _figure(figures.ttft, _("No first token came, so there is none to time."))
        _figure(figures.throughput, _("No lane has a rate."))
    _figure(figures.curves, _("The texts could not be counted, so there is no curve."))
    with st.grid(2, min_column_width=COLUMN_PX, gap=("small", "medium")):
        _figure(figures.arrivals, _("No text arrived."))
        _figure(figures.gaps, _("There were fewer than two arrivals, so there is no gap."))


def _figure(figure: charts.Figure | None, otherwise: str) -> None:
    """The chart, or words in its place."""
    if figure is None:
        st.caption(otherwise)
    else:
        st.vega_lite_chart(figure.spec, width="stretch", theme=None, alt=figure.alt)


def _look(run_id: str) -> Look:
    """The theme, and the scale a person chose; by itself a scale is logarithmic when the bars' ratio asks for it."""
    scales = {"auto": _("automatic scale"), "linear": _("linear"), "log": _("logarithmic")}
    chosen = st.segmented_control(
        _("Scale of rates and curves"), list(scales), default="auto", format_func=lambda name: scales[name],
        required=True, label_visibility="collapsed", key=f"scale-{run_id}",
    )  # fmt: skip
    theme: Theme = "dark" if st.context.theme.type == "dark" else "light"
    return Look(theme, {"linear": False, "log": True}.get(str(chosen)))


def _conditions(run: Run) -> str:
    health = run.clock_health_ms
    clock = (_("clock health not recorded") if health is None
             else _("clock late by at most {time}").format(time=numbers.milliseconds(health)))  # fmt: skip
    return _(
        "Requests {mode} · {clock} · point at a name for its definition, at a dash for the reason"
    ).format(mode=mode_words(run.mode), clock=clock)


def _nothing(lanes: Sequence[ResultLane]) -> None:
    """Words where no lane said anything."""
    st.markdown(_("No lane gave any text, so there is nothing to chart."))
    for lane in lanes:
        told = plain(f"{lane.outcome}. {lane.failure_sentence}")
        st.markdown(f"**{plain(lane.name)}**, {lane.badge}: {told}")
