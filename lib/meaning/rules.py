"""Rules of thumb beside what is measured: where each of them holds, and where it misleads.

A rule holds where what is measured lies within its range, widened by 5 % (rules are told in round numbers).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lib.i18n import _
from lib.meaning.densities import density
from lib.meaning.human import Way, pace
from lib.metrics.quantity import Unavailable
from lib.reading import speed

ROUNDING = 0.05


class Verdict(StrEnum):
    """How a measured value stands to a rule."""

    HOLDS = "holds"
    BELOW = "measured below"
    ABOVE = "measured above"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of thumb: a value, or a range, of a unit; `lang` is the language it speaks of."""

    id: str
    said: str
    lo: float
    hi: float
    unit: str
    lang: str

    def verdict(self, value: float) -> Verdict:
        """Whether the value fits the rule."""
        if value < self.lo * (1 - ROUNDING):
            return Verdict.BELOW
        return Verdict.ABOVE if value > self.hi * (1 + ROUNDING) else Verdict.HOLDS


@dataclass(frozen=True, slots=True)
class Range:
    """What was measured: the middle, and the least and the most."""

    value: float
    lo: float
    hi: float


def rules() -> tuple[Rule, ...]:
    """The three rules one meets most often, in the language of the context."""
    return (
        Rule("words-per-token", _("A token is about 0.75 English words"), 0.75, 0.75, "words/token", "en"),
        Rule("tokens-per-han", _("A Chinese character is 1 to 2 tokens"), 1, 2, "tokens/character", "zh-Hans"),
        Rule("reading", _("A person reads 5 to 7 tokens a second"), 5, 7, "tok/s", "en"),
    )  # fmt: skip


def measured(rule: Rule, encoding: str) -> Range | Unavailable:
    """What texts of the rule's language gave under an encoding, in the rule's unit.

    Words per token are 1 / (tokens per word); reading is words/min x tokens per word / 60 over the band in
    which most adults are.
    """
    known = density(rule.lang, encoding)
    if isinstance(known, Unavailable):
        return known
    if rule.id == "words-per-token":
        return Range(1 / known.tokens_per_unit, 1 / known.hi, 1 / known.lo)
    if rule.id == "tokens-per-han":
        return Range(known.tokens_per_unit, known.lo, known.hi)
    reader = speed(rule.lang)
    return Range(*(known.tps_of(per_min) for per_min in (reader.per_min, reader.lo, reader.hi)))


def of_text(rule: Rule, lang: str, units: int, tokens: int) -> float | Unavailable:
    """The same of one text; a reason when the rule does not speak of its language."""
    if lang != rule.lang and not (rule.id == "reading" and units):
        return Unavailable(_("The text is in another language."))
    if not units or not tokens:
        return Unavailable(_("The text has no words to count."))
    if rule.id == "words-per-token":
        return units / tokens
    if rule.id == "tokens-per-han":
        return tokens / units
    person = pace(lang, Way.SILENT)
    return person if isinstance(person, Unavailable) else person.per_min / 60 * tokens / units
