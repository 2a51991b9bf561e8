"""The two components of the page "What it means": a table, and a text with its tokens. Both write texts only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from lib.i18n import _

_HERE = Path(__file__).parent
_MAKE = (_HERE / "meaning_make.js").read_text("utf-8")


def _component(name: str, root: str) -> Any:
    return st.components.v2.component(
        f"tokenrace_{name}",
        html=f"\n<div class='{root}'></div>\n",
        css=(_HERE / f"{name}.css").read_text("utf-8"),
        js=_MAKE + (_HERE / f"{name}.js").read_text("utf-8"),
    )


_mount_table = _component("meaning_table", "tr-meaning")
_mount_tokens = _component("meaning_tokens", "tr-tokens")


def show_table(key: str, table: dict[str, Any]) -> None:
    """A table of `meaning_tables.py`."""
    _mount_table(data=table, key=f"meaning-{key}")


def show_tokens(cards: list[dict[str, Any]], tints: tuple[str, ...]) -> None:
    """One card for each tokenizer: name, figures, [text, tokens] of each span, a note."""
    words = {"several": _("{n} tokens, of which none is a whole character")}
    _mount_tokens(data={"cards": cards, "tints": list(tints), "words": words}, key="meaning-tokens")
