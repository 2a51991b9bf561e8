"""How long people take a wait for nothing, for short, for too long: one table, `lib/data/response_limits.csv`.

The limits are rules of human-computer interaction, good to a factor of about two; nothing here judges a lane.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lib.i18n import _, current_language

TABLE = Path(__file__).parent / "data" / "response_limits.csv"


@dataclass(frozen=True, slots=True)
class ResponseLimit:
    """One limit in seconds after a person's own move; `hi_s` is None for a point, else a range from `lo_s`."""

    id: str
    label: str
    lo_s: float
    hi_s: float | None
    meaning: str
    source: str

    @property
    def time(self) -> str:
        """0.1 s, or 0.2 to 0.8 s."""
        if self.hi_s is None:
            return _("{time} s").format(time=f"{self.lo_s:g}")
        return _("{low} to {high} s").format(low=f"{self.lo_s:g}", high=f"{self.hi_s:g}")

    @property
    def name(self) -> str:
        """The time with the label, as a mark on an axis is called."""
        return f"{self.time} {self.label}"


def response_limits() -> tuple[ResponseLimit, ...]:
    """Every limit from the shortest on, its label and meaning in the language of the context."""
    return _response_limits(current_language())


@cache
def _response_limits(_interface_language: str) -> tuple[ResponseLimit, ...]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        found = [_limit(row) for row in csv.DictReader(file)]
    return tuple(sorted(found, key=lambda limit: limit.lo_s))


def _limit(row: dict[str, str]) -> ResponseLimit:
    high = float(row["hi_s"]) if row["hi_s"] else None
    return ResponseLimit(
        row["id"], _(row["label"]), float(row["lo_s"]), high, _(row["meaning"]), row["source"]
    )
