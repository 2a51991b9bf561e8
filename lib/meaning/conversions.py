"""One speed of one text in every unit: tokens of other tokenizers, words, characters, lines, pages, people.

The speed is tokens per second of one encoding; everything else follows from what the text at hand is made of.
No measurement of time is made here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lib.i18n import _
from lib.meaning.densities import CODE, density
from lib.meaning.human import Pace, times_human
from lib.meaning.text_facts import TextFacts
from lib.metrics.quantity import Figure, Quantity, Unavailable
from lib.reading import Unit
from lib.tokens import TokenizerError, count

PAGE_UNITS: dict[Unit, int] = {"word": 250, "char": 400}  # a manuscript page; a sheet of manuscript paper


@dataclass(frozen=True, slots=True)
class TextSpeed:
    """A text that comes at `tps` tokens per second of `encoding`, of which it has `tokens`."""

    tps: float
    encoding: str
    tokens: int
    facts: TextFacts

    @property
    def whole_s(self) -> float:
        """Seconds until the whole text is there: tokens / (tok/s)."""
        return self.tokens / self.tps

    @property
    def units_per_s(self) -> float:
        """Words (or characters) per second: units of the text / its seconds."""
        return self.facts.units / self.whole_s


def in_other_tokens(speed: TextSpeed, tokens: int) -> float:
    """The same text per second in another tokenizer's tokens: tokens there / seconds of the text, tok/s."""
    return tokens / speed.whole_s


def words_per_s(speed: TextSpeed) -> Figure:
    """Words per second; none in scripts written without spaces."""
    if speed.facts.unit == "char":
        return Unavailable(_("This script has no spaces between words; it is counted by characters."))
    return Quantity(speed.units_per_s, "words/s")


def characters_per_s(speed: TextSpeed) -> Quantity:
    """Characters per second: read one by one in Chinese, Japanese and Thai; elsewhere all, blanks too."""
    counted = speed.facts.units if speed.facts.unit == "char" else speed.facts.characters
    return Quantity(counted / speed.whole_s, "characters/s")


def pages_per_min(speed: TextSpeed) -> Quantity:
    """Pages per minute: units/s x 60 / units of a page (`PAGE_UNITS`)."""
    return Quantity(speed.units_per_s * 60 / PAGE_UNITS[speed.facts.unit], "pages/min")


def code_lines_per_s(speed: TextSpeed) -> Figure:
    """Lines of code per second: those of the text's own code, else Python source as measured (`has_own_code` says)."""
    if has_own_code(speed.facts):
        try:
            per_line = count(speed.facts.code, speed.encoding) / speed.facts.code_lines
        except TokenizerError as error:
            return Unavailable(str(error))
        return Quantity(speed.tps / per_line, "lines/s")
    known = density(CODE, speed.encoding)
    return known if isinstance(known, Unavailable) else Quantity(known.units_per_s(speed.tps), "lines/s")


def has_own_code(facts: TextFacts) -> bool:
    """Whether the text itself has lines of code to count."""
    return facts.code_lines > 0


def text_speed(tps: float, encoding: str, counts: Mapping[str, int | Unavailable], facts: TextFacts) -> (
    TextSpeed | Unavailable
):
    """The text at that speed; a reason when it has nothing to count."""
    tokens = counts[encoding]
    if isinstance(tokens, Unavailable):
        return tokens
    if not tokens or not facts.units:
        return Unavailable(_("The text has no words to count."))
    return TextSpeed(tps, encoding, tokens, facts)


def times_person(speed: TextSpeed, person: Pace | Unavailable) -> Figure:
    """How many times as fast as a person takes the text in."""
    if isinstance(person, Unavailable):
        return person
    if person.unit != speed.facts.unit:
        return Unavailable(_("The speed of this reader is known in another unit."))
    return Quantity(times_human(speed.units_per_s, person), "×")


def person_tps(speed: TextSpeed, person: Pace | Unavailable) -> Figure:
    """A person's speed in tokens of this text: units/min / 60 x tokens / units, tok/s."""
    times = times_person(speed, person)
    return times if isinstance(times, Unavailable) else Quantity(speed.tps / float(times.value), "tok/s")
