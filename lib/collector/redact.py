"""The one step that keeps keys out of everything that is shown, logged, stored or exported."""

from __future__ import annotations

import re

HIDDEN = "[key hidden]"
_SHAPES = re.compile(
    r"(?i:bearer|basic)\s+[^\s\"',;]{6,}"  # an Authorization header repeated in a text
    r"|\b(?:sk|gsk|xai|csk|pk|rk|nvapi|AIza|hf)[-_][A-Za-z0-9_\-*.]{8,}"
)


def redactor(*keys: str) -> re.Pattern[str]:
    """A pattern that matches each key (also stripped, and its pieces around odd characters) and key shapes."""
    literal: set[str] = set()
    for key in keys:
        for form in (key, key.strip(), key.encode("ascii", "backslashreplace").decode(), repr(key)[1:-1]):
            literal |= {form, form.removeprefix("Bearer ").strip()}
    known = sorted((form for form in literal if len(form) >= 4), key=len, reverse=True)
    return re.compile("|".join([*map(re.escape, known), _SHAPES.pattern]))


def redact(text: str, pattern: re.Pattern[str]) -> str:
    """`text` without keys."""
    return pattern.sub(HIDDEN, text)
