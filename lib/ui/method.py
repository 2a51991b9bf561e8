"""The page that explains the numbers; every definition comes from the catalogue, none is written here."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from lib.domain.failures import FAILURES
from lib.domain.warning_codes import WARNINGS
from lib.i18n import _
from lib.metrics.catalogue import CATALOGUE
from lib.reading import speeds
from lib.ui.wiring import hub


def show_path() -> None:
    """The way of one token, and why the page cannot disturb the clock."""
    st.header(_("How it is measured"))
    st.markdown(
        _(
            "A process of its own, the collector, opens every stream and stamps each network read with a "
            "monotonic clock before it decodes anything. The page is drawn by another process and by your "
            "browser, so drawing cannot make a figure late. One append-only recording per lane is the only "
            "source: the stage, the charts, the table and every export are computed from it."
        )
    )
    st.markdown(
        _(
            "The clock of a lane starts when the last byte of the request has been written to an open "
            "connection; setting the connection up is shown apart and is in no other figure."
        )
    )


def show_metrics() -> None:
    """Every metric with its formula."""
    st.subheader(_("What each number means"))
    rows = [(_(m.name), m.symbol, m.unit, m.formula, m.source) for m in CATALOGUE]
    columns = [_("Metric"), _("Symbol"), _("Unit"), _("Definition"), _("As used by")]
    st.dataframe(pd.DataFrame(rows, columns=columns), hide_index=True, height="content")
    st.caption(
        _(
            "t0: request written. tr, ta: first thinking and first answer text. tn: last text. A number that "
            "cannot be given honestly is absent, with the reason in its place."
        )
    )
    st.subheader(_("Reading speeds"))
    known = [(s.label, s.per_min, s.lo, s.hi, s.unit, s.source) for s in speeds()]
    columns = [_("Reader"), _("per minute"), _("from"), _("to"), _("Unit"), _("Source")]
    st.dataframe(pd.DataFrame(known, columns=columns), hide_index=True)


def show_warnings() -> None:
    """Every warning and every way to fail, in the words the lanes use."""
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader(_("Warnings"))
        table = [(code.replace("_", " "), _(sentence)) for code, sentence in WARNINGS.items()]
        st.dataframe(
            pd.DataFrame(table, columns=[_("Warning"), _("Meaning")]), hide_index=True, height="content"
        )
    with right:
        st.subheader(_("Failures"))
        told = [(_(f.title), _(f.sentence), _(f.advice)) for f in FAILURES.values()]
        columns = [_("Failure"), _("What happened"), _("What to do")]
        st.dataframe(pd.DataFrame(told, columns=columns), hide_index=True, height="content")


def show_accuracy() -> None:
    """What can be said about this very process, and how to measure the rest."""
    st.subheader(_("How accurate it is here"))
    versions = hub().collector.versions
    if versions:
        st.markdown(
            _("Collector: {versions}.").format(versions=", ".join(f"{k} {v}" for k, v in versions.items()))
        )
    st.markdown(
        _(
            "`make bench` measures the product's own error on this machine against a server that logs the "
            "moment of every send, and prints it; the README has the figures of one such run. Every result "
            "carries its clock health: the longest delay of the collector's event loop during that race."
        )
    )
