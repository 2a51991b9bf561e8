"""The tables of the page "What it means" as texts: pure functions of what is chosen; nothing is drawn here.

A cell is [text, number of its note (0: none), hint]. What is absent is a dash whose note says why; `~` marks an
estimate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lib import numbers
from lib.charts.metric_table import DASH, Notes
from lib.i18n import _
from lib.meaning import conversions, parallel
from lib.meaning.conversions import TextSpeed
from lib.meaning.densities import CODE, Density, density
from lib.meaning.human import Pace, Way, pace, times_human
from lib.meaning.parallel import Pair
from lib.meaning.rules import Range, measured, of_text, rules
from lib.metrics.cost import NOTHING
from lib.metrics.quantity import Figure, Unavailable
from lib.prices import PublishedPrice
from lib.reading import speed as reading_speed
from lib.reading import speeds
from lib.response_limits import response_limits
from lib.tokens import ENCODINGS
from lib.ui import meaning_words
from lib.ui.meaning_state import Chosen, output_price

Cell = list[Any]
Table = dict[str, Any]


def units_table(speed: TextSpeed, counts: Mapping[str, int | Unavailable]) -> Table:
    """One speed in every unit: of this text, and of the language on the average."""
    notes = Notes()
    lang = speed.facts.language
    usual = density(lang, speed.encoding)
    rows = [_token_row(speed, name, count, notes) for name, count in counts.items()]
    rows += [
        _row(_("Words"), _cell(conversions.words_per_s(speed), notes), _usual_units(usual, speed, "word", notes)),
        _row(_("Characters"), _cell(conversions.characters_per_s(speed), notes), _usual_units(usual, speed, "char", notes)),
        _code_row(speed, notes),
        _row(_("Pages"), _cell(conversions.pages_per_min(speed), notes), _usual_pages(usual, speed, notes)),
    ]  # fmt: skip
    rows += [_person_row(speed, usual, one, notes) for one in Way]
    head = [
        (_("Unit"), ""),
        (_("this text"), _("counted in the text above")),
        (_("{language}, on average").format(language=reading_speed(lang).label),
         _("the mean of measured texts of the language")),
    ]  # fmt: skip
    notes.number(_("A page is {page}.").format(page=meaning_words.page_size(speed.facts.unit)))
    return _table(head, rows, notes)


def languages_table(now: Chosen) -> Table:
    """Every language: how people read it, and what the speed is to them; English and Chinese first."""
    notes = Notes()
    told = meaning_words.tps(now.tps)
    head = [
        (_("Language"), ""),
        (_("read silently"), _("words per minute, or characters where they are read one by one")),
        (_("that is"), _("in tokens of {encoding}, mean density").format(encoding=now.encoding)),
        *((f"× {_short(one)}", _("{speed} is so many times a person: {way}").format(
            speed=told, way=meaning_words.way(one))) for one in Way),
        *((name, _("{speed} of these tokens, as text per second").format(speed=told)) for name in ENCODINGS),
    ]  # fmt: skip
    languages = [one.id for one in speeds() if one.id == one.language]
    return _table(head, [_language_row(lang, now, notes) for lang in languages], notes)


def rules_table(now: Chosen, speed: TextSpeed | None) -> Table:
    """What is usually said, beside what is measured."""
    notes = Notes()
    head = [
        (_("Rule of thumb"), ""), (_("measured"), _("the mean of several texts, and the least and the most of them")),
        (_("this text"), ""), (_("verdict"), ""),
    ]  # fmt: skip
    rows = []
    for rule in rules():
        found = measured(rule, now.encoding)
        if isinstance(found, Range):
            cells = [_text(meaning_words.rule_measured(rule, found))]
            told = meaning_words.verdict(rule, found, now.encoding)
        else:
            cells, told = [_absent(found, notes)], ""
        own: float | Unavailable = Unavailable(_("There is no text to count."))
        if speed is not None:
            own = of_text(rule, speed.facts.language, speed.facts.units, speed.tokens)
        cells.append(_absent(own, notes) if isinstance(own, Unavailable)
                     else _text(meaning_words.rule_value(rule, own)))  # fmt: skip
        rows.append(_row(rule.said, *cells, _text(told)))
    return _table(head, rows, notes, left=(3,))


def parallel_table(now: Chosen, price: PublishedPrice | None) -> Table:
    """The same content in English and Chinese. Raises TokenizerError."""
    notes = Notes()
    head = [
        (_("The same content"), ""), (_("English"), ""), (_("Chinese"), ""), (_("Chinese takes"), ""),
        (_("English at {speed}").format(speed=meaning_words.tps(now.tps)), ""), (_("Chinese"), ""),
        (_("English costs"), _price_help(price)), (_("Chinese costs"), _price_help(price)),
    ]  # fmt: skip
    rows = [_pair_row(pair, now, price) for pair in parallel.pairs(now.encoding) if isinstance(pair, Pair)]
    for missing in parallel.pairs(now.encoding):
        if isinstance(missing, Unavailable):
            notes.number(missing.reason)
    notes.number(_("Costs are for output tokens and hold where the model counts as {encoding} does.").format(
        encoding=now.encoding))  # fmt: skip
    return _table(head, rows, notes)


def limits_table(now: Chosen, speed: TextSpeed | None) -> Table:
    """How long people wait gladly, and what the speed makes of that time."""
    head = [
        (_("A wait of"), ""), (_("is"), ""), (_("meaning"), ""),
        (_("{speed} makes of it").format(speed=meaning_words.tps(now.tps)), _("tokens of {encoding}, and text of the"
         " kind above").format(encoding=now.encoding)), (_("source"), ""),
    ]  # fmt: skip
    rows = []
    for limit in response_limits():
        times = [limit.lo_s] if limit.hi_s is None else [limit.lo_s, limit.hi_s]
        wait = _("{lo} to {hi}").format(lo=numbers.seconds(times[0]), hi=numbers.seconds(times[-1])) if (
            len(times) > 1) else numbers.seconds(times[0])  # fmt: skip
        made = numbers.tokens(int(numbers.rounded(now.tps * times[-1])))
        if speed is not None:
            written = meaning_words.units(int(numbers.rounded(speed.units_per_s * times[-1])), speed.facts.unit)
            made = f"{made}, {written}"
        rows.append(_row(wait, _text(limit.label), _text(limit.meaning), _text(made), _text(limit.source)))
    return _table(head, rows, Notes(), left=(1, 2, 4))


def _token_row(speed: TextSpeed, name: str, count: int | Unavailable, notes: Notes) -> dict[str, Any]:
    label = _("Tokens of {encoding}").format(encoding=name)
    if isinstance(count, Unavailable):
        return _row(label, _absent(count, notes), _text(""))
    here = conversions.in_other_tokens(speed, count)
    base = density(speed.facts.language, speed.encoding)
    there = density(speed.facts.language, name) if name in ENCODINGS else Unavailable(
        _("This tokenizer counted the text above only."))  # fmt: skip
    if isinstance(base, Unavailable) or isinstance(there, Unavailable):
        missing = base if isinstance(base, Unavailable) else there
        assert isinstance(missing, Unavailable)
        return _row(label, _text(meaning_words.tps(here)), _absent(missing, notes))
    usual = speed.tps * there.tokens_per_unit / base.tokens_per_unit
    return _row(label, _text(meaning_words.tps(here)), _estimate(meaning_words.tps(usual), there, notes))


def _usual_units(usual: Density | Unavailable, speed: TextSpeed, unit: str, notes: Notes) -> Cell:
    if isinstance(usual, Unavailable):
        return _absent(usual, notes)
    if usual.unit != unit:
        return _absent(Unavailable(_("The average of the language is in words or in characters, not in both.")), notes)
    return _estimate(meaning_words.units_per_s(usual.units_per_s(speed.tps), speed.facts.unit), usual, notes)


def _usual_pages(usual: Density | Unavailable, speed: TextSpeed, notes: Notes) -> Cell:
    if isinstance(usual, Unavailable):
        return _absent(usual, notes)
    pages = usual.units_per_s(speed.tps) * 60 / conversions.PAGE_UNITS[speed.facts.unit]
    return _estimate(_("{rate} pages/min").format(rate=numbers.plain(pages)), usual, notes)


def _code_row(speed: TextSpeed, notes: Notes) -> dict[str, Any]:
    own = conversions.has_own_code(speed.facts)
    found = conversions.code_lines_per_s(speed)
    python = density(CODE, speed.encoding)
    usual = _absent(python, notes) if isinstance(python, Unavailable) else _text(
        _("{rate} lines/s").format(rate=numbers.plain(python.units_per_s(speed.tps))),
        notes.number(_("Lines of code: Python source, {n} tokens a line (5,533 lines of the standard library).").format(
            n=f"{python.tokens_per_unit:.2f}")))  # fmt: skip
    here = _cell(found, notes) if own else _absent(Unavailable(_("The text has no code.")), notes)
    return _row(_("Lines of code"), here, usual)


def _person_row(speed: TextSpeed, usual: Density | Unavailable, one: Way, notes: Notes) -> dict[str, Any]:
    person = pace(speed.facts.language, one)
    label = meaning_words.way(one)
    if isinstance(person, Unavailable):
        return _row(label, _absent(person, notes), _absent(person, notes))
    mark = notes.number(_ratio_note()) if person.is_estimate else 0
    own = conversions.times_person(speed, person)
    here = _cell(own, notes) if isinstance(own, Unavailable) else _text(
        _("{times} a person ({rate})").format(times=meaning_words.times(own, estimated=person.is_estimate),
            rate=meaning_words.figure(conversions.person_tps(speed, person))), mark, person.source)  # fmt: skip
    if isinstance(usual, Unavailable):
        return _row(label, here, _absent(usual, notes))
    mean = numbers.ratio(times_human(usual.units_per_s(speed.tps), person))
    rate = numbers.rate(usual.tps_of(person.per_min))
    told = _("{times} a person ({rate})").format(times="~" * person.is_estimate + mean, rate=rate)
    return _row(label, here, _text(told, mark, person.source),
                hint=meaning_words.per_min(person.per_min, person.unit))  # fmt: skip


def _language_row(lang: str, now: Chosen, notes: Notes) -> dict[str, Any]:
    silent, known = pace(lang, Way.SILENT), density(lang, now.encoding)
    assert isinstance(silent, Pace)
    mark = notes.number(_("No study of silent reading was found: estimated from reading aloud.")) if (
        silent.is_estimate) else 0  # fmt: skip
    cells = [_text("~" * silent.is_estimate + meaning_words.per_min(silent.per_min, silent.unit), mark, silent.source)]
    if isinstance(known, Unavailable):
        cells += [_absent(known, notes)] * (1 + len(Way))
    else:
        cells.append(_text(numbers.rate(known.tps_of(silent.per_min))))
        cells += [_times_cell(pace(lang, one), known, now.tps, notes) for one in Way]
    for name in ENCODINGS:
        there = density(lang, name)
        cells.append(_absent(there, notes) if isinstance(there, Unavailable) else _estimate(
            meaning_words.units_per_s(there.units_per_s(now.tps), silent.unit), there, notes))  # fmt: skip
    return _row(reading_speed(lang).label, *cells)


def _times_cell(person: Pace | Unavailable, known: Density, tps: float, notes: Notes) -> Cell:
    if isinstance(person, Unavailable):
        return _absent(person, notes)
    text = numbers.ratio(times_human(known.units_per_s(tps), person))
    return _text("~" * person.is_estimate + text, 0, meaning_words.per_min(person.per_min, person.unit))


def _pair_row(pair: Pair, now: Chosen, price: PublishedPrice | None) -> dict[str, Any]:
    both = (pair.english_tokens, pair.chinese_tokens)
    counted = [_text(numbers.tokens(count)) for count in both]
    waited = [_text(numbers.seconds(parallel.seconds(count, now.tps))) for count in both]
    per_million = output_price(price) if price is not None else NOTHING
    currency = price.prices.currency if price is not None else "USD"
    paid = [_text(numbers.money(parallel.cost(count, per_million), currency)) for count in both]
    ratio = _text(_("{times} the tokens").format(times=f"{pair.times:.2f}×"))
    return _row(pair.title, *counted, ratio, *waited, *paid)


def _price_help(price: PublishedPrice | None) -> str:
    return f"{price.source}, {price.since.isoformat()}" if price is not None else ""


def _short(one: Way) -> str:
    return {
        Way.SILENT: _("silent"), Way.ALOUD: _("aloud"), Way.SKIM: _("skimming"), Way.LISTEN: _("listening"),
    }[one]  # fmt: skip


def _ratio_note() -> str:
    return _("~ No study of this language was found: estimated by the ratio in English.")


def _estimate(text: str, known: Density, notes: Notes) -> Cell:
    if not known.is_estimate:
        return _text(text)
    return _text(f"~{text}", notes.number(_(
        "~ One text was counted with this encoding; its ratio to o200k_base is carried over to the others.")))  # fmt: skip


def _cell(found: Figure, notes: Notes) -> Cell:
    return _absent(found, notes) if isinstance(found, Unavailable) else _text(meaning_words.figure(found))


def _absent(found: Unavailable, notes: Notes) -> Cell:
    return _text(DASH, notes.number(found.reason), found.reason)


def _text(text: str, note: int = 0, hint: str = "") -> Cell:
    return [text, note, hint]


def _row(label: str, *cells: Cell, hint: str = "") -> dict[str, Any]:
    return {"label": label, "hint": hint, "cells": list(cells)}


def _table(
    head: Sequence[tuple[str, str]], rows: Iterable[dict[str, Any]], notes: Notes, left: Sequence[int] = ()
) -> Table:
    """`left`: columns (the label is 0) whose texts begin at their left edge."""
    return {
        "head": [[text, help_] for text, help_ in head], "rows": list(rows), "notes": notes.sentences,
        "left": list(left),
    }  # fmt: skip
