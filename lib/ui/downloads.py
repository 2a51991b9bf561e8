"""Three quiet buttons under a result: the recording, the figures and the deltas as files.

What is in the files is made by `lib.export`, and only when a button is pressed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from lib.domain.run import Run
from lib.export import recording, tables
from lib.export.names import file_name
from lib.export.recording import recording_json
from lib.export.run_tables import deltas_csv, lanes_csv
from lib.i18n import _
from lib.reading import ReadingSpeed


def show_downloads(run: Run, reading: ReadingSpeed | None) -> None:
    """The buttons; `reading` None takes the reader for the language of each answer."""
    with st.container(horizontal=True, horizontal_alignment="left", gap="small"):
        _button(run, _("Recording (JSON)"), ".json", recording.MEDIA_TYPE, partial(recording_json, run),
                _("Everything that came, with its times: all figures can be computed from it again."))  # fmt: skip
        _button(run, _("Figures (CSV)"), "-lanes.csv", tables.MEDIA_TYPE, partial(lanes_csv, run, reading),
                _("One row for each lane: every figure, or the reason why there is none."))  # fmt: skip
        _button(run, _("Deltas (CSV)"), "-deltas.csv", tables.MEDIA_TYPE, partial(deltas_csv, run),
                _("One row for each piece of text, with the time it arrived."))  # fmt: skip


def _button(
    run: Run, label: str, ending: str, media_type: str, made: Callable[[], bytes], help_text: str
) -> None:
    st.download_button(
        label, made, file_name(run, ending), media_type, key=f"download-{ending}-{run.id}", type="tertiary",
        icon=":material/download:", help=help_text, on_click="ignore",
    )  # fmt: skip
