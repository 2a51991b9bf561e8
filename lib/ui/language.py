"""In which language a visitor reads: chosen in the header or by `?lang=`, at first what the browser asks for."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from lib.i18n import DEFAULT, ask_for_language, use_language
from lib.ui import state

LANGUAGES = {"en": "EN", "zh-Hans": "中文"}
LANGUAGE = "language"


def speak() -> None:
    """Choose the language of every text of this script run; before anything is drawn."""
    state.begin(LANGUAGE, _asked_for())
    use_language(state.value(LANGUAGE, DEFAULT))


def show_languages() -> None:
    """The switch, at the right end of the header (frame.css puts it there)."""
    with st.container(key="languages"):
        st.segmented_control(
            "Language / 语言", list(LANGUAGES), format_func=LANGUAGES.__getitem__, key=LANGUAGE, required=True,
            label_visibility="collapsed", persist_state="session",
        )  # fmt: skip


def _asked_for() -> str:
    """A language we have: from the address, else from the browser, else English."""
    asked = state.asked("lang") or st.context.locale or DEFAULT
    return "zh-Hans" if asked.lower().startswith("zh") else DEFAULT


def _of_this_visitor() -> str | None:
    """For callbacks, which run before the script has said `speak`."""
    return None if get_script_run_ctx(suppress_warning=True) is None else state.value(LANGUAGE, None)


ask_for_language(_of_this_visitor)
