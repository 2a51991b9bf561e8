"""The formatter writes numbers as the shared vectors say; the browser's twin is held to the same file."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from lib import numbers

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
