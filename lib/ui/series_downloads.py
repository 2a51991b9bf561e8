"""Quiet buttons under a series of trials: its figures, its recordings and its summary as files."""

from __future__ import annotations

from functools import partial

import streamlit as st

from lib.export import tables
from lib.export.markdown_table import MEDIA_TYPE
from lib.export.recording import MEDIA_TYPE as JSON
from lib.i18n import _
from lib.series_files import series_json, series_markdown, trials_csv
from lib.store.rows import NoSuchRunError
from lib.store.store import Store
from lib.trials.kept import KeptSeries
from lib.trials.runner import Series
from lib.ui.downloads import download_button
from lib.ui.wiring import store


def show_series_files(series: Series | KeptSeries) -> None:
    """The buttons; nothing while no request has ended."""
    if not series.trials:
        return
    run, history = series.plan.as_run(), store()
    offered = [
        (_("Trials (CSV)"), "-trials.csv", tables.MEDIA_TYPE, partial(trials_csv, series),
         _("One row for each request: every figure, or the reason why there is none.")),
        (_("Summary (Markdown)"), "-trials.md", MEDIA_TYPE, partial(series_markdown, series),
         _("The comparison and the medians as a table, for a pull request.")),
    ]  # fmt: skip
    if history is not None and _is_kept(history, run.id):
        told = _("Everything that came in every round, with its times.")
        offered.append(
            (_("Recordings (JSON)"), "-trials.json", JSON, partial(series_json, history, run.id), told)
        )
    with st.container(horizontal=True, horizontal_alignment="left", gap="small"):
        for each in offered:
            download_button(run, *each)


def _is_kept(history: Store, series_id: str) -> bool:
    try:
        return history.row(series_id).series is not None
    except NoSuchRunError:
        return False
