"""Quiet buttons under a result: the replay, the card, charts, tables and the recording as files.

What is in the files is made by `lib.export`, and only when a button is pressed.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from functools import partial

import streamlit as st

from lib.domain.run import Run
from lib.export import recording, tables
from lib.export.card import card_png
from lib.export.charts_export import chart_files
from lib.export.html import replay_html
from lib.export.markdown_table import markdown_table
from lib.export.names import file_name
from lib.export.recording import recording_json
from lib.export.run_tables import deltas_csv, lanes_csv
from lib.i18n import _, context_of_caller
from lib.reading import ReadingSpeed


def show_downloads(run: Run, reading: ReadingSpeed | None) -> None:
    """The buttons; `reading` None takes the reader for the language of each answer."""
    with st.container(horizontal=True, horizontal_alignment="left", gap="small"):
        download_button(run, _("Replay (HTML)"), ".html", "text/html", partial(replay_html, run, speed=reading),
                _("One file that plays this race again, from disk and without a network."))  # fmt: skip
        download_button(run, _("Card (PNG)"), ".png", "image/png", partial(card_png, run, speed=reading),
                _("The result as a picture for a slide."))  # fmt: skip
        download_button(run, _("Charts (PNG, SVG)"), "-charts.zip", "application/zip", partial(_charts, run, reading),
                _("Every chart, for a page or a slide."))  # fmt: skip
        download_button(run, _("Table (Markdown)"), ".md", "text/markdown", partial(markdown_table, run, reading),
                _("The figures as a table, for a pull request."))  # fmt: skip
        download_button(run, _("Recording (JSON)"), ".json", recording.MEDIA_TYPE, partial(recording_json, run),
                _("Everything that came, with its times: all figures can be computed from it again."))  # fmt: skip
        download_button(run, _("Figures (CSV)"), "-lanes.csv", tables.MEDIA_TYPE, partial(lanes_csv, run, reading),
                _("One row for each lane: every figure, or the reason why there is none."))  # fmt: skip
        download_button(run, _("Deltas (CSV)"), "-deltas.csv", tables.MEDIA_TYPE, partial(deltas_csv, run),
                _("One row for each piece of text, with the time it arrived."))  # fmt: skip


def _charts(run: Run, reading: ReadingSpeed | None) -> bytes:
    """All charts of a result in one archive, as pictures and as drawings."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for kind in ("png", "svg"):
            for name, content in chart_files(run, kind, speed=reading).items():
                archive.writestr(f"{name}.{kind}" if "." not in name else name, content)
    return packed.getvalue()


def download_button(
    run: Run, label: str, ending: str, media_type: str, made: Callable[[], bytes], help_text: str
) -> None:
    """One quiet button; the file is made when it is pressed, in a thread of the server's, in the language of the page."""
    told = context_of_caller()
    st.download_button(
        label, lambda: told.copy().run(made), file_name(run, ending), media_type, key=f"download-{ending}-{run.id}",
        type="tertiary", icon=":material/download:", help=help_text, on_click="ignore",
    )  # fmt: skip
