"""Values typed on a command line: refused in one line when they are none. No option is defined here."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from decimal import Decimal, InvalidOperation


def whole_from(least: int, most: int) -> Callable[[str], int]:
    """Reads a whole number from `least` to `most`."""

    def whole(text: str) -> int:
        if not text.isdecimal() or len(text) > len(str(most)) or not least <= int(text) <= most:
            raise ArgumentTypeError(f"{text[:40]!r} is no whole number from {least} to {most}")
        return int(text)

    return whole


def amount(text: str) -> Decimal:
    """An amount of money from 0, in whatever currency."""
    try:
        found = Decimal(text)
    except InvalidOperation:
        found = Decimal("NaN")
    if not found.is_finite() or found < 0:
        raise ArgumentTypeError(f"{text[:40]!r} is no amount from 0")
    return found
