"""The controls above the stage: prompt, examples, Start and Stop, line-up, settings."""

from __future__ import annotations

import streamlit as st

from lib.domain.run import Mode
from lib.i18n import _
from lib.reading import speed, speeds
from lib.ui import race_setup, state
from lib.ui.lineup import show_lineup

EXAMPLES = {
    "Lighthouse": race_setup.DEFAULT_PROMPT,
    "Tides": "Explain why there are two tides a day. About 300 words.",
    "Code": "Write a Python function that merges two sorted lists, with a short explanation and a test.",
    "List": "Write a checklist for a long hike, one line for each thing.",
    "Chinese": "请向参观者介绍一下在没有电的年代，灯塔是怎样被看守的。大约六百字。",
}
EXAMPLE = "example"


def show_controls(running: bool) -> None:
    """Draw them all; while a race runs only Stop works."""
    _begin()
    prompt, examples, action = st.columns([6.6, 3.5, 1.5], gap="small", vertical_alignment="top")
    with prompt:
        st.text_area(
            _("Prompt"), key=state.PROMPT, height=68, label_visibility="collapsed", persist_state="session",
            placeholder=_("What every backend is asked"),
        )  # fmt: skip
    with examples:
        st.pills(
            _("Examples"), list(EXAMPLES), key=EXAMPLE, format_func=_, label_visibility="collapsed",
            on_change=_take_example,
        )  # fmt: skip
    with action:
        _show_action(running)
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="lineup_row"
    ):
        show_lineup(running)
        _show_settings(running)
    notice = state.notice()
    if notice:
        st.warning(notice)


def _show_action(running: bool) -> None:
    if running:
        st.button(_("Stop"), key="stop", on_click=race_setup.stop, width="stretch")
        return
    again = race_setup.current() is not None
    st.button(
        _("Race again") if again else _("Start"), key="start", type="primary", on_click=race_setup.start,
        width="stretch",
    )  # fmt: skip


def _show_settings(running: bool) -> None:
    with st.popover(_settings_in_words(), disabled=running, type="tertiary", key="settings_popover"):
        choices = [race_setup.BY_ANSWER, *(known.id for known in speeds()), race_setup.OWN]
        st.selectbox(
            _("Reader: language and speed"), choices, key=state.READER, format_func=_reader_in_words,
            persist_state="session",
        )  # fmt: skip
        if state.value(state.READER, race_setup.BY_ANSWER) == race_setup.OWN:
            st.number_input(
                _("Words per minute"), 30, 2000, key=state.OWN_SPEED, step=10, persist_state="session"
            )
        st.segmented_control(
            _("Mode"), [mode.value for mode in Mode], key=state.MODE, format_func=_, required=True,
            persist_state="session",
            help=_("By backend: one request at a time per host, hosts in parallel. The mode is printed on the result."),
        )  # fmt: skip
        st.number_input(_("Max tokens"), 1, 32_768, key=state.MAX_TOKENS, step=64, persist_state="session")
        st.text_area(_("System text"), key=state.SYSTEM, height=68, persist_state="session")
        st.number_input(
            _("Temperature"), 0.0, 2.0, value=None, step=0.1, key=state.TEMPERATURE, persist_state="session",
            placeholder=_("not sent"),
        )  # fmt: skip
        st.number_input(
            _("Seed"), value=None, step=1, key=state.SEED, persist_state="session", placeholder=_("not sent")
        )


def _settings_in_words() -> str:
    reader = race_setup.reader_in_short()
    mode = _(str(state.value(state.MODE, Mode.ALL_AT_ONCE.value)))
    tokens = state.value(state.MAX_TOKENS, race_setup.DEFAULT_MAX_TOKENS)
    return _("{reader} · {mode} · {tokens} tokens").format(reader=reader, mode=mode, tokens=tokens)


def _reader_in_words(choice: str) -> str:
    if choice == race_setup.BY_ANSWER:
        return _("silent, by the answer's language")
    if choice == race_setup.OWN:
        return _("own speed")
    return speed(choice).label


def _begin() -> None:
    state.begin(state.PROMPT, state.asked_prompt() or race_setup.DEFAULT_PROMPT)
    state.begin(state.READER, race_setup.BY_ANSWER)
    state.begin(state.OWN_SPEED, 238)
    state.begin(state.MODE, Mode.ALL_AT_ONCE.value)
    state.begin(state.MAX_TOKENS, race_setup.DEFAULT_MAX_TOKENS)
    state.begin(state.SYSTEM, "")


def _take_example() -> None:
    chosen = state.value(EXAMPLE, None)
    if chosen:
        state.put(state.PROMPT, EXAMPLES[chosen])
