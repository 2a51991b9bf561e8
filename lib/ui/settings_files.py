"""Which settings files this server reads: those that Streamlit reads too, so that nothing is said in two places."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from lib.backends.settings import SECRETS


def settings_files() -> tuple[Path, ...]:
    """The existing TOML files of Streamlit's `secrets.files`, the one that counts most last; else the project's."""
    named = (Path(name) for name in st.get_option("secrets.files"))
    there = tuple(path for path in named if path.suffix == ".toml" and path.is_file())
    return there or (SECRETS,)


def settings_file() -> Path:
    """The file that holds the backends and who may call what."""
    return settings_files()[-1]
