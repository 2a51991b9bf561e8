"""Lines of a title that fit into a phone's width, also in scripts written without spaces. Measures no font."""

from __future__ import annotations

import re
import textwrap

_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60"
_WIDTH = 2.3  # of such a sign, in letters of mean width
_CLOSING = "，。；：、？！）》」”"  # begin no line
_PIECE = re.compile(rf"(?:[{_WIDE}]|[^\s{_WIDE}]+)[{_CLOSING}]*\s*")
_SIGN = re.compile(f"[{_WIDE}]")


def lines(text: str, columns: int) -> list[str]:
    """The text in lines of at most so many columns; a line may end at a space and after any wide sign."""
    if not _SIGN.search(text):
        return textwrap.wrap(text, columns)
    found = [""]
    for piece in _PIECE.findall(text):
        if found[-1] and _width(found[-1] + piece.rstrip()) > columns:
            found.append("")
        found[-1] += piece
    return [line.rstrip() for line in found]


def _width(text: str) -> float:
    return len(text) + (_WIDTH - 1) * len(_SIGN.findall(text))
