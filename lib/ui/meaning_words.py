"""The sentences of the page "What it means", made by rule from the values beside them."""

from __future__ import annotations

from collections.abc import Sequence

from lib import numbers
from lib.i18n import _
from lib.meaning.conversions import PAGE_UNITS, TextSpeed, characters_per_s, times_person
from lib.meaning.human import Pace, Way, pace
from lib.meaning.parallel import Pair
from lib.meaning.rules import Range, Rule, Verdict
from lib.metrics.quantity import Figure, Unavailable
from lib.prices import PublishedPrice
from lib.reading import Unit, is_readable_here
from lib.ui.meaning_state import Chosen, output_price


def tps(value: float) -> str:
    """A speed as it was typed: 750 tok/s, 53.6 tok/s."""
    return _("{rate} tok/s").format(rate=numbers.whole(value) if value.is_integer() else numbers.plain(value))


def units_per_s(value: float, unit: Unit) -> str:
    """Text per second: 642 words/s, 903 characters/s."""
    told = _("{rate} words/s") if unit == "word" else _("{rate} characters/s")
    return told.format(rate=numbers.plain(value))


def per_min(value: float, unit: Unit) -> str:
    """A person's speed: 238 words/min, 420 characters/min."""
    told = _("{rate} words/min") if unit == "word" else _("{rate} characters/min")
    return told.format(rate=numbers.whole(value))


def headline(speed: TextSpeed) -> str:
    """The whole page in one sentence."""
    person = times_person(speed, pace(speed.facts.language, Way.SILENT))
    text = _text_per_s(speed)
    if isinstance(person, Unavailable):
        return _("{speed} of this text is {text} a second.").format(speed=tps(speed.tps), text=text)
    ratio = float(person.value)
    if ratio < 1:
        return _("{speed} of this text is {text} a second: slower than a person reads it, at {ratio} of their speed.").format(
            speed=tps(speed.tps), text=text, ratio=numbers.percent(ratio))  # fmt: skip
    return _("{speed} of this text is {text} a second: {ratio} times a person reading silently.").format(
        speed=tps(speed.tps), text=text, ratio=numbers.plain(ratio))  # fmt: skip


def whole_text(speed: TextSpeed) -> str:
    """How long all of it takes, and a person."""
    person = pace(speed.facts.language, Way.SILENT)
    told = _("The whole text, {units}, is there in {time}").format(
        units=units(speed.facts.units, speed.facts.unit), time=numbers.seconds(speed.whole_s))  # fmt: skip
    if isinstance(person, Pace) and person.unit == speed.facts.unit:
        read_s = speed.facts.units / (person.per_min / 60)
        return _("{told}; a person reads it in {read}.").format(told=told, read=numbers.seconds(read_s))
    return f"{told}."


def stand_in(text: str) -> str:
    """That people and averages are of another language than the text; empty where they are not."""
    if is_readable_here(text):
        return ""
    return _("No language of the table is written in this script: people and averages are those of English.")


def units(value: int, unit: Unit) -> str:
    """A number of words or characters."""
    return numbers.words(value) if unit == "word" else numbers.characters(value)


def page_size(unit: Unit) -> str:
    """What is called a page."""
    told = (
        _("a manuscript page of {n} words")
        if unit == "word"
        else _("a sheet of manuscript paper with {n} characters")
    )
    return told.format(n=PAGE_UNITS[unit])


def way(one: Way) -> str:
    """A way to take in a text."""
    return {
        Way.SILENT: _("Reading silently"), Way.ALOUD: _("Reading aloud"), Way.SKIM: _("Skimming"),
        Way.LISTEN: _("Listening"),
    }[one]  # fmt: skip


def rule_measured(rule: Rule, found: Range) -> str:
    """The mean, and the least and the most."""
    mean, low, high = (_rule_number(rule, value) for value in (found.value, found.lo, found.hi))
    return _("{mean} {unit} ({low} to {high})").format(mean=mean, unit=rule_unit(rule), low=low, high=high)


def rule_value(rule: Rule, value: float) -> str:
    """One value in the rule's unit."""
    return f"{_rule_number(rule, value)} {rule_unit(rule)}"


def rule_unit(rule: Rule) -> str:
    """The unit a rule speaks in."""
    return {
        "words/token": _("words/token"), "tokens/character": _("tokens/character"), "tok/s": _("tok/s"),
    }[rule.unit]  # fmt: skip


def verdict(rule: Rule, found: Range, now: Chosen) -> str:
    """What the measured mean says of the rule, and what both make of the speed."""
    return f"{_judged(rule, found, now.encoding)} {_consequence(rule, found, now)}"


def _judged(rule: Rule, found: Range, encoding: str) -> str:
    kind = rule.verdict(found.value)
    if kind is Verdict.HOLDS:
        return _("Holds for {encoding}.").format(encoding=encoding)
    if rule.id == "words-per-token":
        return _("Too low for plain prose; right for an article full of figures and names (0.75 measured).")
    if rule.id == "reading":
        return _("Rounded up: most adults read {low} to {high} tok/s of plain English.").format(
            low=_rule_number(rule, found.lo), high=_rule_number(rule, found.hi))  # fmt: skip
    if kind is Verdict.BELOW:
        return _("False for {encoding}, which takes fewer; it was true for cl100k_base.").format(encoding=encoding)
    return _("Too low for {encoding}, which takes more.").format(encoding=encoding)


def _consequence(rule: Rule, found: Range, now: Chosen) -> str:
    """The speed by what is measured, and by the rule."""
    if rule.id == "words-per-token":
        told = _("{speed} are {measured} words/s, by the rule {rule}.")
        measured, low, high = (now.tps * value for value in (found.value, rule.lo, rule.hi))
    else:
        told = (
            _("{speed} are {measured} characters/s, by the rule {rule}.")
            if rule.id == "tokens-per-han"
            else _("{speed} are {measured} times a person, by the rule {rule}.")
        )
        measured, low, high = (now.tps / value for value in (found.value, rule.hi, rule.lo))
    by_rule = numbers.plain(low) if low == high else _("{lo} to {hi}").format(
        lo=numbers.plain(low), hi=numbers.plain(high))  # fmt: skip
    return told.format(speed=tps(now.tps), measured=numbers.plain(measured), rule=by_rule)


def pairs(found: Sequence[Pair | Unavailable], encoding: str) -> str:
    """What Chinese takes of the tokens of English, over all pairs."""
    ratios = sorted(pair.times for pair in found if isinstance(pair, Pair))
    return _("The same content in both languages: with {encoding} Chinese takes {lo} to {hi} times the tokens of English, "
             "and so the time and the money.").format(
        encoding=encoding, lo=f"{ratios[0]:.2f}", hi=f"{ratios[-1]:.2f}")  # fmt: skip


def price(row: PublishedPrice) -> str:
    """A model with its price per million output tokens."""
    amount = numbers.money(output_price(row), row.prices.currency)
    return _("{model}, {provider}: {amount} per million").format(model=row.model, provider=row.provider, amount=amount)


def figure(found: Figure) -> str:
    """A figure with its unit, in this page's words."""
    if isinstance(found, Unavailable):
        return found.reason
    told = {
        "words/s": _("{rate} words/s"), "characters/s": _("{rate} characters/s"), "lines/s": _("{rate} lines/s"),
        "pages/min": _("{rate} pages/min"), "tok/s": _("{rate} tok/s"), "×": _("{rate}×"),
    }[found.unit]  # fmt: skip
    return told.format(rate=numbers.plain(float(found.value)))


def _text_per_s(speed: TextSpeed) -> str:
    if speed.facts.unit == "word":
        return _("{n} words").format(n=numbers.plain(speed.units_per_s))
    return _("{n} characters").format(n=numbers.plain(float(characters_per_s(speed).value)))


def _rule_number(rule: Rule, value: float) -> str:
    return f"{numbers.rounded(value, 2):.2f}" if rule.unit != "tok/s" else numbers.plain(value)
