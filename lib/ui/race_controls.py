"""The controls above the stage: prompt, examples, Start and Stop, line-up, settings."""

from __future__ import annotations

import streamlit as st

from lib.i18n import _
from lib.ui import race_settings, race_setup, state
from lib.ui.lineup import show_lineup
from lib.ui.markdown import plain
from lib.ui.prompt_library import show_examples, show_own


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
        show_examples()
    with action:
        _show_action(running)
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="lineup_row"
    ):
        show_lineup(running)
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="race_options"):
            show_own()
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
        race_settings.show_settings(race_setup.backends())


def _settings_in_words() -> str:
    reader = race_setup.reader_in_short()
    mode = _(race_settings.mode(race_setup.backends()).value)
    tokens = state.value(race_settings.MAX_TOKENS, race_settings.DEFAULT_MAX_TOKENS)
    told = _("{reader} · {mode} · {tokens} tokens").format(reader=reader, mode=mode, tokens=tokens)
    spend = race_setup.spend_in_words()
    return f"{told} · {plain(spend)}" if spend else told


def _begin() -> None:
    state.begin(state.PROMPT, state.asked_prompt() or race_setup.DEFAULT_PROMPT)
    race_settings.begin()
