"""How a section of "Why it is fast" looks: heading, the sentence that says what to see, picture, formula."""

from __future__ import annotations

import streamlit as st

from lib.charts.drawing import Figure
from lib.i18n import _
from lib.ui.markdown import plain

COLUMN_PX = 480  # two columns from a page of about 1,100 pixels


def show_heading(heading: str, sentence: str) -> None:
    """Both in the language of the interface."""
    st.markdown(f"#### {heading}")
    st.markdown(plain(sentence))


def show_figure(figure: Figure | None) -> None:
    """The chart; nothing where there is nothing to draw (the sentence says why)."""
    if figure is not None:
        st.vega_lite_chart(figure.spec, width="stretch", theme=None, alt=figure.alt)


def show_formula(formula: str, source: str, ends: str) -> None:
    """Folded away until somebody doubts: what was computed, after whom, and where it stops being true."""
    with st.expander(_("Formula, source, and where it stops being true")):
        st.markdown(plain(formula))
        st.caption(f"{_('Source')}: {plain(source)}")
        st.caption(f"{_('Stops being true')}: {plain(ends)}")
