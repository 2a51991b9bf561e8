"""How many tokens a word, a character or a line of code takes: measured texts, `lib/data/token_density.csv`.

A density is the mean over several texts of one language, because it differs from text to text by some per cent.
Nothing here counts a text that a visitor gives (`text_facts.py` does).
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lib.i18n import _
from lib.metrics.quantity import Unavailable
from lib.tokens import DEFAULT_ENCODING

TABLE = Path(__file__).resolve().parents[1] / "data" / "token_density.csv"
CODE = "python"  # stands in the column of the language for Python source; its unit is the line
ARTICLE, STORY = "article", "story"


@dataclass(frozen=True, slots=True)
class Sample:
    """One text counted with one encoding; `units` are words, characters or lines, as `unit` says."""

    lang: str
    corpus: str
    encoding: str
    unit: str
    units: int
    tokens: int
    characters: int
    in_mean: bool
    source: str

    @property
    def tokens_per_unit(self) -> float:
        """Tokens / units."""
        return self.tokens / self.units


@dataclass(frozen=True, slots=True)
class Density:
    """Tokens per unit of a language: the mean of its texts, and the least and the most of them.

    `is_estimate`: only one text was counted with this encoding, and its ratio to the default encoding was
    carried over to the others.
    """

    unit: str
    tokens_per_unit: float
    lo: float
    hi: float
    characters_per_token: float  # blanks too
    is_estimate: bool = False

    def units_per_s(self, tps: float) -> float:
        """Units per second at so many tokens per second: tok/s / (tokens per unit)."""
        return tps / self.tokens_per_unit

    def tps_of(self, per_min: float) -> float:
        """Tokens per second of somebody who takes in so many units per minute: units/min x tokens per unit / 60."""
        return per_min * self.tokens_per_unit / 60


def density(lang: str, encoding: str = DEFAULT_ENCODING) -> Density | Unavailable:
    """The density of a language (or of `CODE`) under an encoding; a reason where nothing was counted."""
    found = [one for one in samples() if (one.lang, one.encoding) == (lang, encoding) and one.in_mean]
    usual = [one for one in samples() if (one.lang, one.encoding) == (lang, DEFAULT_ENCODING) and one.in_mean]
    if not found:
        return Unavailable(_("No text of this language was counted with {encoding}.").format(encoding=encoding))
    if len(found) < len(usual):
        return _carried_over(found[0], usual)
    return _mean(found)


def sample(lang: str, corpus: str, encoding: str = DEFAULT_ENCODING) -> Sample | None:
    """One counted text, or None."""
    wanted = (lang, corpus, encoding)
    return next((one for one in samples() if (one.lang, one.corpus, one.encoding) == wanted), None)


@cache
def samples() -> tuple[Sample, ...]:
    """Every row of the table, in its order."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(_sample(row) for row in csv.DictReader(file))


def _mean(found: list[Sample]) -> Density:
    each = [one.tokens_per_unit for one in found]
    characters = [one.characters / one.tokens for one in found]
    return Density(found[0].unit, sum(each) / len(each), min(each), max(each), sum(characters) / len(characters))


def _carried_over(one: Sample, usual: list[Sample]) -> Density:
    """The mean of the default encoding, times what this encoding makes of the one text that both counted."""
    same = next(other for other in usual if other.corpus == one.corpus)
    mean, factor = _mean(usual), one.tokens / same.tokens
    return Density(
        one.unit, mean.tokens_per_unit * factor, mean.lo * factor, mean.hi * factor, mean.characters_per_token / factor,
        is_estimate=True,
    )  # fmt: skip


def _sample(row: dict[str, str]) -> Sample:
    return Sample(
        row["lang"], row["corpus"], row["encoding"], row["unit"], int(row["units"]), int(row["tokens"]),
        int(row["characters"]), row["in_mean"] == "1", row["source"],
    )  # fmt: skip
