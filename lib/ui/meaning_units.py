"""Two tables of the page "What it means": one speed in every unit, and one speed in every language."""

from __future__ import annotations

from collections.abc import Mapping

from lib import numbers
from lib.i18n import _
from lib.meaning import conversions
from lib.meaning.conversions import TextSpeed
from lib.meaning.densities import CODE, Density, density
from lib.meaning.human import Pace, Way, pace, times_human
from lib.metrics.quantity import Unavailable
from lib.reading import speed as reading_speed
from lib.reading import speeds
from lib.tokens import ENCODINGS
from lib.ui import meaning_words
from lib.ui.meaning_cells import (
    Cell,
    Remarks,
    Row,
    Table,
    absent,
    by_density,
    by_english,
    cell,
    row,
    table,
    text,
)
from lib.ui.meaning_state import Chosen

Mean = Density | Unavailable


def units_table(speed: TextSpeed, counts: Mapping[str, int | Unavailable]) -> Table:
    """One speed in every unit: of this text, and of its language on the average."""
    remarks = Remarks()
    mean = density(speed.facts.language, speed.encoding)
    rows = [_token_row(speed, name, count, mean, remarks) for name, count in counts.items()]
    rows += [
        row(_("Words"), cell(conversions.words_per_s(speed), remarks), _mean_words(mean, speed, remarks)),
        row(_("Characters"), cell(conversions.characters_per_s(speed), remarks), _mean_characters(mean, speed, remarks)),
        row(_("Pages"), cell(conversions.pages_per_min(speed), remarks), _mean_pages(mean, speed, remarks)),
        _code_row(speed, remarks),
    ]  # fmt: skip
    rows += [_person_row(speed, mean, one, remarks) for one in Way]
    remarks.say(_("Assumption: a page is {page}.").format(page=meaning_words.page_size(speed.facts.unit)))
    language = reading_speed(speed.facts.language).label
    head = [
        (_("Unit"), ""),
        (_("this text"), _("counted in the text above")),
        (_("{language}, on average").format(language=language), _("the mean of measured texts of the language")),
    ]
    return table(head, rows, remarks)


def languages_table(now: Chosen) -> Table:
    """Every language: how people read it, and what the speed is to them; English and Chinese first."""
    remarks = Remarks()
    told = meaning_words.tps(now.tps)
    head = [
        (_("Language"), ""),
        (_("per minute"), _("words, or characters where they are read one by one"), _("read silently")),
        (_("in tok/s"), _("in tokens of {encoding}, mean density").format(encoding=now.encoding), _("that is")),
        *((_short(one), _("{speed} is so many times a person: {way}").format(speed=told, way=meaning_words.way(one)),
           _("times a person, {way}").format(way=_short(one))) for one in Way),
        *((name, _("{speed} of these tokens, as text per second").format(speed=told),
           _("{speed} of {encoding}").format(speed=told, encoding=name)) for name in ENCODINGS),
    ]  # fmt: skip
    groups = [
        ("", 1), (_("a person reads silently"), 2), (_("{speed} is so many times a person").format(speed=told), 4),
        (_("{speed} is this much text a second, by tokenizer").format(speed=told), 4),
    ]  # fmt: skip
    languages = [one.id for one in speeds() if one.id == one.language]
    return table(head, [_language_row(lang, now, remarks) for lang in languages], remarks, groups=groups)


def _token_row(
    speed: TextSpeed, name: str, count: int | Unavailable, mean: Mean, remarks: Remarks
) -> Row:
    label = _("Tokens of {encoding}").format(encoding=name)
    if isinstance(count, Unavailable):
        return row(label, absent(count, remarks), absent(count, remarks))
    here = text(meaning_words.tps(numbers.rounded(conversions.in_other_tokens(speed, count), 3)))
    own_only = Unavailable(_("This tokenizer counted the text above only."))
    there = density(speed.facts.language, name) if name in ENCODINGS else own_only
    if isinstance(mean, Unavailable) or isinstance(there, Unavailable):
        missing = [one for one in (mean, there) if isinstance(one, Unavailable)]
        return row(label, here, absent(missing[0], remarks))
    usual = speed.tps * there.tokens_per_unit / mean.tokens_per_unit
    return row(label, here, by_density(meaning_words.tps(numbers.rounded(usual, 3)), there, remarks))


def _mean_words(mean: Mean, speed: TextSpeed, remarks: Remarks) -> Cell:
    if isinstance(mean, Unavailable):
        return absent(mean, remarks)
    if mean.unit != "word":
        return cell(conversions.words_per_s(speed), remarks)
    return by_density(meaning_words.units_per_s(mean.units_per_s(speed.tps), "word"), mean, remarks)


def _mean_characters(mean: Mean, speed: TextSpeed, remarks: Remarks) -> Cell:
    if isinstance(mean, Unavailable):
        return absent(mean, remarks)
    per_s = mean.units_per_s(speed.tps) if mean.unit == "char" else speed.tps * mean.characters_per_token
    return by_density(meaning_words.units_per_s(per_s, "char"), mean, remarks)


def _mean_pages(mean: Mean, speed: TextSpeed, remarks: Remarks) -> Cell:
    if isinstance(mean, Unavailable):
        return absent(mean, remarks)
    pages = mean.units_per_s(speed.tps) * 60 / conversions.PAGE_UNITS[speed.facts.unit]
    return by_density(_("{rate} pages/min").format(rate=numbers.plain(pages)), mean, remarks)


def _code_row(speed: TextSpeed, remarks: Remarks) -> Row:
    """Lines of the text's own code, and of Python as measured."""
    own = Unavailable(_("The text has no code."))
    found = conversions.code_lines_per_s(speed) if conversions.has_own_code(speed.facts) else own
    python = density(CODE, speed.encoding)
    if isinstance(python, Unavailable):
        return row(_("Lines of code"), cell(found, remarks), absent(python, remarks))
    remarks.say(_("Lines of code on average: Python, {n} tokens a line (5,533 lines of the standard library).").format(
        n=f"{python.tokens_per_unit:.2f}"))  # fmt: skip
    usual = _("{rate} lines/s").format(rate=numbers.plain(python.units_per_s(speed.tps)))
    return row(_("Lines of code"), cell(found, remarks), text(usual))


def _person_row(speed: TextSpeed, mean: Mean, one: Way, remarks: Remarks) -> Row:
    person = pace(speed.facts.language, one)
    label = meaning_words.way(one)
    if isinstance(person, Unavailable):
        return row(label, absent(person, remarks), absent(person, remarks))
    own = conversions.times_person(speed, person)
    here = absent(own, remarks) if isinstance(own, Unavailable) else _times(
        float(own.value), speed.tps / float(own.value), person, remarks)  # fmt: skip
    usual = absent(mean, remarks) if isinstance(mean, Unavailable) else _times(
        times_human(mean.units_per_s(speed.tps), person), mean.tps_of(person.per_min), person, remarks)  # fmt: skip
    return row(label, here, usual, hint=meaning_words.per_min(person.per_min, person.unit))


def _times(times: float, tps: float, person: Pace, remarks: Remarks) -> Cell:
    told = _("{times} a person ({rate})").format(times=numbers.ratio(times), rate=numbers.rate(tps))
    return by_english(told, person.is_estimate, remarks, person.source)


def _language_row(lang: str, now: Chosen, remarks: Remarks) -> Row:
    silent, known = pace(lang, Way.SILENT), density(lang, now.encoding)
    assert isinstance(silent, Pace), "every language of the table has a silent speed"
    per_min = by_english(
        meaning_words.per_min(silent.per_min, silent.unit), silent.is_estimate, remarks, silent.source
    )
    if isinstance(known, Unavailable):
        people = [absent(known, remarks)] * (1 + len(Way))
    else:
        people = [by_density(numbers.rate(known.tps_of(silent.per_min)), known, remarks)]
        people += [_times_cell(pace(lang, one), known, now.tps, remarks) for one in Way]
    texts = [_text_cell(density(lang, name), now.tps, silent, remarks) for name in ENCODINGS]
    return row(reading_speed(lang).label, per_min, *people, *texts)


def _times_cell(person: Pace | Unavailable, known: Density, tps: float, remarks: Remarks) -> Cell:
    if isinstance(person, Unavailable):
        return absent(person, remarks)
    times = numbers.ratio(times_human(known.units_per_s(tps), person))
    return by_english(times, person.is_estimate, remarks, meaning_words.per_min(person.per_min, person.unit))


def _text_cell(there: Mean, tps: float, silent: Pace, remarks: Remarks) -> Cell:
    if isinstance(there, Unavailable):
        return absent(there, remarks)
    return by_density(meaning_words.units_per_s(there.units_per_s(tps), silent.unit), there, remarks)


def _short(one: Way) -> str:
    return {
        Way.SILENT: _("silent"), Way.ALOUD: _("aloud"), Way.SKIM: _("skimming"), Way.LISTEN: _("listening"),
    }[one]  # fmt: skip
