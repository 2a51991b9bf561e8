"""A figure that can be given, or the reason why it cannot; there is no third thing.

Never 0, infinity, NaN or a sentinel for "not known".
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

SHORT_SAMPLE = "short_sample"  # a rate from fewer than 16 tokens: shown with a note, kept out of verdicts
ESTIMATED = "estimated"  # rests on a count of the text, not on the server's own
UPPER_BOUND = "upper_bound"  # the true value is this or less


@dataclass(frozen=True, slots=True)
class Quantity:
    """A measured value with its unit; `marks` says what to know about it."""

    value: float | int | Decimal
    unit: str
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unavailable:
    """No such figure, and why, as a sentence for people."""

    reason: str


Figure = Quantity | Unavailable


def number(figure: Figure) -> float | None:
    """The value as a float, or None when it is unavailable."""
    return float(figure.value) if isinstance(figure, Quantity) else None
