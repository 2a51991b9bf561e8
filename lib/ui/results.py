"""What stands below the stage after a race: charts, the table of all metrics, the answers.

It places what `lib.metrics` computed and computes nothing itself. A lane that failed is shown with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lib import numbers
from lib.charts import drawing
from lib.charts.drawing import Look
from lib.charts.palette import Theme
from lib.charts.result_charts import Figures, figures_of
from lib.charts.result_lanes import ResultLane, key_of, lanes_of
from lib.domain.run import Run
from lib.i18n import _
from lib.provenance import mode_words
from lib.reading import ReadingSpeed
from lib.ui.answers import show_answers
from lib.ui.markdown import plain
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


def _show_charts(figures: Figures) -> None:
    with st.grid(2, min_column_width=COLUMN_PX, gap=("small", "medium")):
        _figure(figures.ttft, _("No first token came, so there is none to time."))
        _figure(figures.throughput, _("No lane has a rate."))
    _figure(figures.curves, _("The texts could not be counted, so there is no curve."))
    with st.grid(2, min_column_width=COLUMN_PX, gap=("small", "medium")):
        _figure(figures.arrivals, _("No text arrived."))
        _figure(figures.gaps, _("There were fewer than two arrivals, so there is no gap."))


def _figure(figure: drawing.Figure | None, otherwise: str) -> None:
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
