"""What a text is made of: language, words or characters, lines, pages, code; and its tokens under each encoding.

Counts only; what a speed makes of them is `conversions.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lib import tokens
from lib.metrics.quantity import Unavailable
from lib.reading import Unit, count_units, speed_for, unit_of

_FENCED = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_CODE_LINE = re.compile(
    r"^(?:[ \t]{2,}\S.*|.*[{};:]|[)\]}].*|(?:def|class|import|from|return|if|for|while|let|const|var|function|#include"
    r"|func|fn|pub|public|private|static|package|using|//|/\*).*)$"
)
_CODE_SHARE = 0.6  # of the lines that say anything


@dataclass(frozen=True, slots=True)
class TextFacts:
    """Counts of one text. `units` are words, or characters in scripts written without spaces (`unit` says which)."""

    text: str
    language: str
    unit: Unit
    units: int
    characters: int  # with blanks
    code: str  # the part of it that is code; empty when none is

    @property
    def code_lines(self) -> int:
        """Lines of its code that say anything."""
        return sum(bool(line.strip()) for line in self.code.splitlines())


def facts_of(text: str) -> TextFacts:
    """The counts of a text; its language is the one whose readers are counted in the text's own unit."""
    unit = unit_of(text)
    return TextFacts(text, speed_for(text, None).language, unit, count_units(text, unit), len(text), code_in(text))


def code_in(text: str) -> str:
    """The fenced code of a text; the whole text when most of its lines look like code; else nothing."""
    fenced = "".join(found[1] for found in _FENCED.finditer(text))
    if fenced:
        return fenced
    lines = [line for line in text.splitlines() if line.strip()]
    looks = sum(bool(_CODE_LINE.match(line)) for line in lines)
    return text if len(lines) > 1 and looks >= _CODE_SHARE * len(lines) else ""


def token_counts(
    text: str, encodings: Iterable[str] = tokens.ENCODINGS
) -> dict[str, int | Unavailable]:
    """Tokens of the text under each encoding; the reason where it could not be counted."""
    return {encoding: _count(text, encoding) for encoding in encodings}


def _count(text: str, encoding: str) -> int | Unavailable:
    try:
        return tokens.count(text, encoding)
    except tokens.TokenizerError as error:
        return Unavailable(str(error))
