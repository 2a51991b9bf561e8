"""Bringing recordings in and taking them out, as files."""

from __future__ import annotations

import streamlit as st

from lib.domain.codec import RecordingError
from lib.i18n import _
from lib.store.store import Store
from lib.ui import history_state, state
from lib.ui.markdown import plain

UPLOAD = "history_upload"
MOST_MB = 64


def show_import(known: Store) -> None:
    """A place to drop a recording; the same file twice gives one run."""
    with st.expander(_("Import a recording")):
        st.file_uploader(
            _("A Tokenrace recording (JSON)"), type=["json"], key=UPLOAD, max_upload_size=MOST_MB,
            label_visibility="collapsed",
        )  # fmt: skip
        file = state.value(UPLOAD, None)
        if file is not None and st.button(_("Import"), key="history_import"):
            try:
                history_state.open_run(known.import_run(file.getvalue()))
                st.rerun()
            except RecordingError as error:
                st.warning(plain(str(error)))
