"""The head of a page: a title and one quiet sentence."""

from __future__ import annotations

import streamlit as st

from lib.i18n import _


def show_title(title: str, sentence: str) -> None:
    """Both are translated here."""
    st.markdown(f"## {_(title)}")
    st.caption(_(sentence))
