"""The answers side by side, as safe Markdown or as they came; thinking folded, tool calls as code."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lib import numbers
from lib.charts.result_lanes import ResultLane
from lib.i18n import _
from lib.metrics.keys import tool_calls
from lib.ui.markdown import MOST_CHARACTERS, plain, prepared, valid

PANE_PX = 420
PANE_LEAST_PX = 290
MOST_COLUMNS = 4
AT_FIRST = 4  # answers shown before any is chosen
MOST_RAW = 1_000_000


@st.fragment
def show_answers(run_id: str, lanes: Sequence[ResultLane]) -> None:
    """The chosen lanes' answers, each in a pane of its own."""
    answered = {lane.index: lane for lane in lanes if lane.measured.has_text}
    if not answered:
        return
    st.markdown(f"#### {_('Answers')}", anchors=False)
    with st.container(horizontal=True, vertical_alignment="center"):
        chosen = st.pills(
            _("Answers shown"),
            list(answered),
            selection_mode="multi",
            default=list(answered)[:AT_FIRST],
            format_func=lambda index: plain(answered[index].label),
            label_visibility="collapsed",
            key=f"answers-{run_id}",
        )
        raw = st.toggle(_("as it came"), key=f"raw-{run_id}", help=_("The text without any formatting."))
    if not chosen:
        st.caption(_("Choose a lane to read its answer."))
        return
    with st.grid(min(MOST_COLUMNS, len(chosen)), min_column_width=PANE_LEAST_PX):
        for index in sorted(chosen):
            with st.container(border=True, height=PANE_PX):
                _show(answered[index], raw)


def _show(lane: ResultLane, raw: bool) -> None:
    measured = lane.measured
    st.markdown(f"**{plain(lane.name)}**, {lane.badge}")
    if lane.has_failed:
        st.caption(plain(f"{lane.outcome}. {lane.failure_sentence}"))
    if measured.thinking:
        with st.expander(_("Thinking")):
            _show_text(measured.thinking, raw)
    if measured.answer:
        _show_text(measured.answer, raw)
    for call in tool_calls(measured):
        st.caption(_("Tool call: {name}").format(name=plain(call["name"])))
        st.code(valid(call["arguments"]), language=None, wrap_lines=True)


def _show_text(text: str, raw: bool) -> None:
    if raw:
        st.code(valid(text[:MOST_RAW]), language=None, wrap_lines=True)
        _note_cut(len(text) > MOST_RAW, MOST_RAW)
        return
    made = prepared(text)
    st.markdown(made.text, anchors=False)
    _note_cut(made.is_cut, MOST_CHARACTERS)
    if made.is_plain:
        st.caption(_("Shown without formatting: it has a word too long to format."))


def _note_cut(is_cut: bool, most: int) -> None:
    if is_cut:
        st.caption(_("Only the first {n} characters are shown.").format(n=numbers.whole(most)))
