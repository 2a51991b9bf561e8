"""The one step that keeps keys out of everything that is shown, logged, stored or exported."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

import orjson

from lib.domain.codec import Row

HIDDEN = "[key hidden]"
_SHAPES = re.compile(
    r"(?i:bearer|basic)\s+[^\s\"',;]{6,}"  # an Authorization header repeated in a text
    r"|\b(?:sk|gsk|xai|csk|pk|rk|nvapi|AIza|hf)[-_][A-Za-z0-9_\-*.]{8,}"
)
SHORTEST = 4  # characters; what is shorter is no key
SHORTEST_IN_ANSWERS = 8  # a placeholder such as "none" or "test" is left alone in what a model says
_CODES = {"error": 3, "warning": 3, "end": 3}  # rows whose third item is a word of ours


def redactor(*keys: str) -> re.Pattern[str]:
    """A pattern that matches each key (also stripped, and its pieces around odd characters) and key shapes."""
    known = "|".join(map(re.escape, _forms(keys, SHORTEST)))
    literal = [rf"(?i:bearer|basic)\s+(?:{known})", known] if known else []
    return re.compile("|".join([*literal, _SHAPES.pattern]))


def redact(text: str, pattern: re.Pattern[str]) -> str:
    """`text` without keys."""
    return pattern.sub(HIDDEN, text)


class RowRedactor:
    """Hides keys in rows that are about to leave, whatever field a server put them in.

    Only the literal keys of the race count here: an answer may speak of keys. A key that a server cut over two
    chunks cannot be told from text.
    """

    def __init__(self) -> None:
        self._forms: set[str] = set()
        self._needles: list[bytes] = []
        self._pattern = re.compile("(?!)")

    def add(self, key: str) -> None:
        """Hide this key from now on."""
        new = set(_forms((key,), SHORTEST_IN_ANSWERS)) - self._forms
        if new:
            self._forms |= new
            self._needles = [orjson.dumps(form)[1:-1] for form in self._forms]
            self._pattern = re.compile("|".join(map(re.escape, sorted(self._forms, key=len, reverse=True))))

    def is_in(self, payload: bytes) -> bool:
        """Whether these JSON bytes hold a key; costs a search of memory, so it can be asked of every payload."""
        return any(needle in payload for needle in self._needles)

    def rows(self, rows: Iterable[Row]) -> list[Row]:
        """The rows without keys; moments, names and our own codes stay."""
        return [self._row(row) for row in rows]

    def _row(self, row: Row) -> Row:
        kept = _CODES.get(row[1], 2)
        return [*row[:kept], *(self._value(value) for value in row[kept:])]

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._pattern.sub(HIDDEN, value)
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if isinstance(value, dict):
            return {self._value(name): self._value(item) for name, item in value.items()}
        return value


def _forms(keys: Iterable[str], shortest: int) -> list[str]:
    """Every way in which a key may be written, the longest first."""
    found: set[str] = set()
    for key in keys:
        bare = key.strip()
        written = [key, bare, repr(key)[1:-1], quote(bare, safe=""), html.escape(bare), json.dumps(bare)[1:-1],
                   json.dumps(bare, ensure_ascii=False)[1:-1]]  # fmt: skip
        for form in (*written, key.encode("ascii", "backslashreplace").decode()):
            found |= {form, form.removeprefix("Bearer ").strip()}
    return sorted((form for form in found if len(form) >= shortest), key=len, reverse=True)
