"""Text in a picture that is made without a browser: escaped, cut to a width, broken into lines.

Widths are estimates (Source Sans: most letters take half their size, East Asian characters all of it).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from lib.charts.palette import FONT
from lib.export.drawn import drawable_text

_WORDS = re.compile(r"\S+\s*|\s+")
_LINE_HEIGHT = 1.3
_WIDE = {"W": 1.0, "F": 1.0}
_NARROW_CHARACTERS = frozenset("iljtfr.,:;'!|()[] ")
_BROAD_CHARACTERS = frozenset("mwMW%@×")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text with its own colour."""

    text: str
    colour: str


def width_of(text: str, size_px: float) -> float:
    """The estimated width in pixels."""
    return sum(_em(character) for character in text) * size_px


def cut(text: str, size_px: float, width_px: float) -> str:
    """The text, with an ellipsis in place of what does not fit."""
    if width_of(text, size_px) <= width_px:
        return text
    while text and width_of(text + "…", size_px) > width_px:
        text = text[:-1]
    return text.rstrip() + "…"


def text_at(
    x: float,
    y: float,
    text: str,
    size_px: float,
    colour: str,
    *,
    weight: int = 400,
    anchor: str = "start",
    after: tuple[str, float, str] | None = None,
) -> str:
    """A line of text on its baseline; `after` is (text, size, colour) of what follows on the same line."""
    if not text:
        return ""
    style = f'font-family=\'{FONT}\' font-weight="{weight}" text-anchor="{anchor}" xml:space="preserve"'
    more = f'<tspan font-size="{after[1]}" fill="{after[2]}">{clean(after[0])}</tspan>' if after else ""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size_px:g}" fill="{colour}" {style}>{clean(text)}{more}</text>'


def clean(text: str) -> str:
    """Escaped for XML; characters that XML does not have become a replacement character."""
    return escape(drawable_text(text))


def flow(
    pieces: Sequence[Piece], x: float, top: float, width_px: float, size_px: float, *, most: int
) -> list[str]:
    """The pieces broken into at most `most` lines below `top`; what is left over ends in an ellipsis."""
    lines: list[list[Piece]] = [[]]
    used = 0.0
    for piece in pieces:
        for word in _WORDS.findall(piece.text):
            length = width_of(word.rstrip(), size_px)
            if used + length > width_px and lines[-1]:
                if len(lines) == most:
                    lines[-1].append(Piece("…", piece.colour))
                    return _drawn(lines, x, top, size_px)
                lines.append([])
                used = 0.0
            lines[-1].append(Piece(word, piece.colour))
            used += width_of(word, size_px)
    return _drawn(lines, x, top, size_px)


def _drawn(lines: Sequence[Sequence[Piece]], x: float, top: float, size_px: float) -> list[str]:
    style = f'font-family=\'{FONT}\' font-size="{size_px:g}" xml:space="preserve"'
    return [
        f'<text x="{x:g}" y="{top + size_px + i * size_px * _LINE_HEIGHT:g}" {style}>'
        + "".join(f'<tspan fill="{piece.colour}">{clean(piece.text)}</tspan>' for piece in line)
        + "</text>"
        for i, line in enumerate(lines)
    ]


def _em(character: str) -> float:
    if character in _NARROW_CHARACTERS:
        return 0.27
    if character in _BROAD_CHARACTERS:
        return 0.8
    return _WIDE.get(unicodedata.east_asian_width(character), 0.58 if character.isupper() else 0.51)
