"""Which acts are shown: those of an uploaded file, of the address, of the settings; else the visitor's own race."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from lib.backends.settings import acts_file
from lib.backends.table import SettingsError
from lib.i18n import _
from lib.own_lines import data_folder
from lib.present.acts import Act, ActsError, missing, read_acts
from lib.store.rows import NoSuchRunError
from lib.ui import race_setup, state
from lib.ui.markdown import plain
from lib.ui.settings_files import settings_file
from lib.ui.wiring import store

UPLOAD, UPLOADED = "acts_upload", "acts_uploaded"
MOST_MB = 1


def acts() -> tuple[tuple[Act, ...], list[str]]:
    """The acts of the show, and what is wrong with them in words; without a script one act, the visitor's race."""
    try:
        data = _script()
        found = () if data is None else read_acts(data)
    except (ActsError, SettingsError) as error:
        return (_own(),), [str(error)]
    if not found:
        return (_own(),), []
    return found, missing(found, race_setup.offers(), _kept(found))


def show_below(troubles: list[str]) -> None:
    """Under the first screen: what is wrong with the script, and a place to drop another."""
    with st.container(key="present_below"):
        for trouble in troubles:
            st.warning(plain(trouble))
        st.file_uploader(
            _("The acts of a show (TOML)"), type=["toml"], key=UPLOAD, max_upload_size=MOST_MB, on_change=_keep
        )  # fmt: skip


def _keep() -> None:
    file = state.value(UPLOAD, None)
    if file is not None:
        state.put(UPLOADED, file.getvalue())
        state.put("show", None)


def _script() -> bytes | None:
    """The text of the acts, or None when nobody named any. Raises ActsError, SettingsError."""
    uploaded = state.value(UPLOADED, None)
    if uploaded is not None:
        return bytes(uploaded)
    path = _path()
    if path is None:
        return None
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # a name that no file can have is a ValueError
        raise ActsError(_("There is no script of acts {name}.").format(name=path.name)) from error


def _path() -> Path | None:
    """The file of the address (a name beside the settings' acts, or in the data folder), else of the settings."""
    configured, asked = acts_file(settings_file()), state.asked("acts")
    if not asked:
        return configured
    folder = configured.parent if configured else data_folder()
    path = folder / asked
    is_name = Path(asked).name == asked and path.suffix == ".toml" and path.name != settings_file().name
    if not is_name:
        raise ActsError(_("?acts= takes the name of a .toml file, such as show.toml, and no path."))
    return path


def _kept(found: tuple[Act, ...]) -> set[str]:
    known = store()
    named = {id_ for act in found for id_ in act.runs}
    return {id_ for id_ in named if known is not None and _is_kept(id_)}


def _is_kept(run_id: str) -> bool:
    """Whether it can be played: a series of trials cannot, only its rounds can."""
    known = store()
    try:
        return known is not None and known.row(run_id).series is None
    except NoSuchRunError:
        return False


def _own() -> Act:
    return Act("", state.value(state.PROMPT, None) or state.asked_prompt() or race_setup.DEFAULT_PROMPT)
