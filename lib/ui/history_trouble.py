"""One line on top of every page while what is measured is not being kept: why, and what to do about it."""

from __future__ import annotations

import streamlit as st

from lib.i18n import _
from lib.ui import state
from lib.ui.markdown import plain
from lib.ui.wiring import is_lost, no_history


def show_trouble() -> None:
    """Words where the history cannot be written, or what this visitor looks at is not in it; else nothing."""
    told = " ".join(part for part in (no_history(), _lost()) if part)
    if told:
        with st.container(key="history_trouble"):
            st.warning(plain(told))


def _lost() -> str:
    """About the run, series or loop that the address names."""
    if not any(map(is_lost, {state.run_id() or "", *state.asked_all().values()})):
        return ""
    return _("What is shown here is not in the history, or not all of it. "
             "Take its recording (JSON) from the buttons under the result: the history can import it later.")  # fmt: skip
