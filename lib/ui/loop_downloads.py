"""Quiet buttons under a loop: its replay, card, charts, tables and recording as files.

What is in the files is made by `lib.agents.files` and `lib.export`, and only when a button is pressed.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from lib.agents import files
from lib.domain.run import Run
from lib.export import recording, tables
from lib.export.recording import recording_json
from lib.export.run_tables import deltas_csv, lanes_csv
from lib.i18n import _
from lib.ui.downloads import download_button


def show_loop_downloads(run: Run) -> None:
    """The buttons."""
    offered = (
        (_("Replay (HTML)"), ".html", "text/html", partial(files.replay, run),
         _("One file that plays this loop again, from disk and without a network.")),
        (_("Card (PNG)"), ".png", "image/png", partial(files.card, run), _("The result as a picture for a slide.")),
        (_("Charts (PNG, SVG)"), "-charts.zip", "application/zip", partial(files.charts, run),
         _("Where the time went and what a faster decode would buy, for a page or a slide.")),
        (_("Table (Markdown)"), ".md", "text/markdown", partial(files.markdown, run),
         _("The six figures as a table, for a pull request.")),
        (_("Recording (JSON)"), ".json", recording.MEDIA_TYPE, partial(recording_json, run),
         _("Everything that came, with its times: all figures can be computed from it again.")),
        (_("Pieces of time (CSV)"), "-pieces.csv", tables.MEDIA_TYPE, partial(files.pieces, run),
         _("One row for each piece of time: backend, step, what it was spent on, from when to when.")),
        (_("Requests (CSV)"), "-requests.csv", tables.MEDIA_TYPE, partial(lanes_csv, run, None),
         _("One row for each request: every figure, or the reason why there is none.")),
        (_("Deltas (CSV)"), "-deltas.csv", tables.MEDIA_TYPE, partial(deltas_csv, run),
         _("One row for each piece of text, with the time it arrived.")),
    )  # fmt: skip
    with st.container(horizontal=True, horizontal_alignment="left", gap="small"):
        for each in offered:
            download_button(run, *each)
