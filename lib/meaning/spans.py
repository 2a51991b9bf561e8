"""The tokens of a text as pieces a person can read: a token that is part of a character stands with its neighbours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Readable text and the tokens it takes; more than one where a character is made of several."""

    text: str
    tokens: int


def spans_of(pieces: Iterable[bytes]) -> list[Span]:
    """The pieces joined until they are whole characters; what is left over at the end is replaced."""
    found: list[Span] = []
    held, tokens = b"", 0
    for piece in pieces:
        held, tokens = held + piece, tokens + 1
        try:
            found.append(Span(held.decode(), tokens))
        except UnicodeDecodeError:
            continue
        held, tokens = b"", 0
    if held:
        found.append(Span(held.decode(errors="replace"), tokens))
    return found
