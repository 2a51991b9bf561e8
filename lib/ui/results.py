"""What stands below the stage after a race: charts, the table of all metrics, the answers.

It places what `lib.metrics` computed and computes nothing itself. A lane that failed is shown with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lib import numbers
from lib.domain.run import Run
from lib.i18n import _
from lib.reading import ReadingSpeed
from lib.ui import charts
from lib.ui.bar_charts import throughput_chart, ttft_chart
from lib.ui.chart_reader import band_of
from lib.ui.charts import Look
from lib.ui.result_lanes import ResultLane, lanes_of, mode_words
from lib.ui.table import show_table

COLUMN_PX = 480  # two columns from a page of about 1,100 pixels


def show_results(run: Run, reading: ReadingSpeed | None) -> None:
    """Everything below the stage for a run whose lanes have ended; `reading` None takes each answer's language."""
    lanes = lanes_of(run, reading)
    if not any(lane.measured.has_text for lane in lanes):
        _nothing(lanes)
        return
    look = _look(run)
    _charts(run, lanes, look)
    st.markdown(f"#### {_('All metrics')}", anchors=False)
    st.caption(_conditions(run))
    show_table(run, lanes, look.theme)


def subtitle_of(run: Run, lanes: Sequence[ResultLane]) -> str:
    """Mode and token source, for every chart."""
    counted = {lane.measured.is_estimated for lane in lanes if lane.measured.output_tokens is not None}
    sources = {
        frozenset({False}): _("tokens by the servers' usage"),
        frozenset({True}): _("tokens estimated from the text"),
    }
    source = sources.get(frozenset(counted), _("tokens by the servers' usage, ~ estimated"))
    return f"{mode_words(run.mode)} · {source}"


def _charts(run: Run, lanes: Sequence[ResultLane], look: Look) -> None:
    subtitle = subtitle_of(run, lanes)
    grid = st.grid(2, min_column_width=COLUMN_PX, gap="large")
    with grid:
        _figure(ttft_chart(lanes, subtitle, look), _("No first token came, so there is none to time."))
        _figure(throughput_chart(lanes, band_of(lanes), subtitle, look), _("No lane has a rate."))


def _figure(figure: charts.Figure | None, otherwise: str) -> None:
    """The chart, or words in its place."""
    if figure is None:
        st.caption(otherwise)
    else:
        st.altair_chart(figure.chart, width="stretch", theme=None, alt=figure.alt)


def _look(run: Run) -> Look:
    return Look("dark" if st.context.theme.type == "dark" else "light")


def _conditions(run: Run) -> str:
    health = run.clock_health_ms
    clock = (_("clock health not recorded") if health is None
             else _("clock late by at most {time}").format(time=numbers.milliseconds(health)))  # fmt: skip
    return _("Requests {mode} · {clock} · point at a name for its definition, at a dash for the reason").format(
        mode=mode_words(run.mode), clock=clock
    )


def _nothing(lanes: Sequence[ResultLane]) -> None:
    """Words where no lane said anything."""
    st.markdown(_("No lane gave any text, so there is nothing to chart."))
    for lane in lanes:
        st.markdown(f"{lane.label}: {lane.outcome}. {lane.failure_sentence}")
