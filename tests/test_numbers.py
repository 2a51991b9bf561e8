"""The formatter writes numbers as the shared vectors say; the browser's twin is held to the same file."""

from __future__ import annotations

import contextvars
import json
import struct
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from lib import i18n, numbers

VECTORS = json.loads((Path(__file__).parent / "vectors" / "numbers.json").read_text(encoding="utf-8"))
WRITERS: dict[str, Callable[[Any], str]] = {
    "tok_per_s": numbers.rate,
    "words_per_s": lambda value: numbers.rate(value, "words/s"),
    "chars_per_s": lambda value: numbers.rate(value, "characters/s"),
    "words_per_min": lambda value: numbers.rate(value, "words/min"),
    "chars_per_min": lambda value: numbers.rate(value, "characters/min"),
    "ms": numbers.milliseconds,
    "clock_ms": numbers.clock,
    "tokens": numbers.tokens,
    "words": numbers.words,
    "chars": numbers.characters,
    "count": numbers.whole,
    "ratio": numbers.ratio,
    "percent": numbers.percent,
    "usd": lambda value: numbers.money(Decimal(str(value))),
}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: f"{v['kind']}={v['value']}")
def test_a_number_is_written_as_its_vector_says(vector: dict[str, Any]) -> None:
    assert WRITERS[vector["kind"]](vector["value"]) == vector["expect"]


def test_seconds_and_milliseconds_agree() -> None:
    assert [numbers.seconds(s) for s in (0.312, 1.1, 154)] == ["312 ms", "1.1 s", "2 min 34 s"]


def test_a_currency_without_a_symbol_is_named_after_the_amount() -> None:
    assert numbers.money(Decimal("3.1"), "CHF") == "3.10 CHF"


def test_texts_follow_the_language_of_their_context_and_stay_english_without_a_translation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "xx" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "tokenrace.mo").write_bytes(
        _catalogue({"": "Content-Type: text/plain; charset=UTF-8\n", "tok/s": "枚/秒"})
    )
    monkeypatch.setattr(i18n, "LOCALE_FOLDER", tmp_path)
    other = contextvars.copy_context()
    other.run(i18n.use_language, "xx-Test")
    assert other.run(numbers.rate, 753) == "753 枚/秒"
    assert other.run(numbers.tokens, 2) == "2 tokens"
    assert numbers.rate(753) == "753 tok/s"


def _catalogue(texts: dict[str, str]) -> bytes:
    """A gettext .mo file (GNU gettext manual, "The Format of GNU MO Files")."""
    pairs = [(key.encode(), value.encode()) for key, value in sorted(texts.items())]
    place = 28 + 16 * len(pairs)
    tables, body = [b"", b""], b""
    for column in (0, 1):
        for pair in pairs:
            tables[column] += struct.pack("<2I", len(pair[column]), place + len(body))
            body += pair[column] + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, 0)
    return head + tables[0] + tables[1] + body
