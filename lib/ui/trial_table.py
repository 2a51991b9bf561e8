"""The table of several trials: a row for each figure's median, range and percentiles, a column for each backend.

What cannot be said with so few trials is a dash with the reason in a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lib import numbers
from lib.charts.metric_table import DASH, Notes
from lib.charts.palette import Theme, palette
from lib.i18n import _
from lib.metrics.figures import figure_text
from lib.metrics.quantity import Quantity, Unavailable
from lib.provenance import Facts, badge_word, how_head
from lib.trials.goodput import Goals, goodput
from lib.trials.how import backend_facts
from lib.trials.plan import Plan
from lib.trials.summary import RELIABLE, FigureSummary, Percentile, counts_of, figure_summary, trials_of
from lib.trials.trial import Trial

_UNITS = {"ttfat_ms": "ms", "ttft_ms": "ms", "decode_tok_s": "tok/s", "e2e_tok_s": "tok/s", "whole_ms": "ms"}
Row = dict[str, Any]


def table_of(
    plan: Plan, trials: Sequence[Trial], names: Sequence[str], goals: Goals, theme: Theme, how: Facts = ()
) -> dict[str, Any]:
    """Everything the table shows, as JSON values; `how` is what all figures have in common."""
    notes = Notes()
    lanes = [trials_of(trials, place) for place in range(len(names))]
    rows = [
        _row(_("Complete"), _("Complete answers of all trials; only these are in a median."),
             [_complete(own) for own in lanes]),
        _row(_("Failed, throttled"), _("Failed on the server's side; asked to slow down, even if answered later."),
             [_troubles(own) for own in lanes]),
        *_figure_rows(lanes, notes),
        _row(_("Good enough"), goals_in_words(goals), [_goodput(own, goals, notes) for own in lanes]),
        _row(_("Read from a cache"), _("Prompt tokens the server says it had in a cache."),
             [_cached(own, notes) for own in lanes]),
        _row(_("Warm-up"), _("TTFT of the discarded first request, with its connection set-up where one was made."),
             [_warm_up(trials, place, notes) for place in range(len(names))]),
    ]  # fmt: skip
    return {
        "head": _("Figure"),
        "lanes": [
            {"name": name, "badge": badge_word(backend.origin), "origin": backend.origin.value, "note": backend.note,
             "colour": palette(theme).lane(place), "how": (*backend_facts(backend, lanes[place]), *how)}
            for place, (name, backend) in enumerate(zip(names, plan.backends, strict=True))
        ],
        "how_head": how_head(),
        "rows": rows,
        "notes": notes.sentences,
    }  # fmt: skip


def goals_in_words(goals: Goals) -> str:
    """What a trial has to keep to be good enough."""
    parts = [_("no failure")]
    if goals.ttfat_ms is not None:
        parts.append(_("TTFAT at most {time}").format(time=numbers.milliseconds(goals.ttfat_ms)))
    if goals.stall_ms is not None:
        parts.append(_("no silence above {time}").format(time=numbers.milliseconds(goals.stall_ms)))
    if goals.starved_s is not None:
        parts.append(
            _("the reader waits at most {time} for text").format(time=numbers.seconds(goals.starved_s))
        )
    return ", ".join(parts)


def _figure_rows(lanes: Sequence[Sequence[Trial]], notes: Notes) -> list[Row]:
    rows = []
    titles = {"ttfat_ms": _("TTFAT"), "decode_tok_s": _("Decode rate"), "e2e_tok_s": _("End-to-end rate")}
    for key, title in titles.items():
        found = [figure_summary(own, key) for own in lanes]
        unit = _UNITS[key]
        rows.append(
            _row(
                _("{figure}, median").format(figure=title),
                _("Half of the trials are below."),
                [_median(one, unit, notes) for one in found],
            )
        )
        rows.append(
            _row(
                _("{figure}, range").format(figure=title),
                _("Least and most of all trials."),
                [_range(one, unit, notes) for one in found],
            )
        )
        for name, percent in (("p90", 90.0), ("p99", 99.0)):
            parts = [one.p90 if name == "p90" else one.p99 for one in found]
            if name == "p90" or any(isinstance(part.figure, Quantity) for part in parts):
                help_text = _("Needs {needed} trials, reliable from {reliable}.").format(
                    needed={90.0: 10, 99.0: 100}[percent], reliable=RELIABLE[percent]
                )
                rows.append(
                    _row(
                        f"{title}, {name}",
                        help_text,
                        [_percentile(part, unit, percent, notes) for part in parts],
                    )
                )
    return rows  # fmt: skip


def _row(name: str, help_text: str, cells: Sequence[list[Any]]) -> Row:
    return {"name": name, "help": help_text, "cells": list(cells)}


def _cell(text: str, sentence: str = "", notes: Notes | None = None) -> list[Any]:
    number = notes.number(sentence) if sentence and notes is not None else 0
    return [text, number, sentence, []]


def _complete(own: Sequence[Trial]) -> list[Any]:
    counts = counts_of(own)
    return _cell(_("{complete} of {all}").format(complete=counts.complete, all=counts.trials))


def _troubles(own: Sequence[Trial]) -> list[Any]:
    counts = counts_of(own)
    return _cell(f"{counts.failed}, {counts.throttled}")


def _median(one: FigureSummary, unit: str, notes: Notes) -> list[Any]:
    if isinstance(one.spread, Unavailable):
        return _cell(DASH, one.spread.reason, notes)
    return _cell(figure_text(Quantity(one.spread.median, unit)))


def _range(one: FigureSummary, unit: str, notes: Notes) -> list[Any]:
    if isinstance(one.spread, Unavailable):
        return _cell(DASH, one.spread.reason, notes)
    least, most = (figure_text(Quantity(value, unit)) for value in (one.spread.least, one.spread.most))
    return _cell(least if least == most else _("{least} to {most}").format(least=least, most=most))


def _percentile(part: Percentile, unit: str, percent: float, notes: Notes) -> list[Any]:
    if isinstance(part.figure, Unavailable):
        return _cell(DASH, part.figure.reason, notes)
    text = figure_text(Quantity(part.figure.value, unit))
    if part.is_reliable:
        return _cell(text)
    needed = _("p{p} is an indication only: it is reliable from {n} trials.")
    return _cell(text, needed.format(p=f"{percent:g}", n=RELIABLE[percent]), notes)


def _goodput(own: Sequence[Trial], goals: Goals, notes: Notes) -> list[Any]:
    told = goodput(own, goals)
    if isinstance(told.interval, Unavailable):
        return _cell(DASH, told.interval.reason, notes)
    low, high = told.interval
    text = _("{good} of {n} (95 %: {low} to {high})").format(
        good=told.good, n=told.judged, low=numbers.percent(low), high=numbers.percent(high)
    )
    if not told.undetermined:
        return _cell(text)
    sentence = _("{n} trials are undetermined: a measurement is missing or they were stopped.")
    return _cell(text, sentence.format(n=told.undetermined), notes)


def _cached(own: Sequence[Trial], notes: Notes) -> list[Any]:
    known = [value for trial in own if (value := trial.value("cached_tokens")) is not None]
    if not known:
        return _cell(DASH, _("The server did not report it."), notes)
    hits = sum(value > 0 for value in known)
    return _cell(_("{hits} of {n} trials, at most {most}").format(
        hits=hits, n=len(known), most=numbers.tokens(int(max(known)))) if hits else _("none"))  # fmt: skip


def _warm_up(trials: Sequence[Trial], place: int, notes: Notes) -> list[Any]:
    first = next((trial for trial in trials if trial.is_warm_up and trial.turn.place == place), None)
    if first is None:
        return _cell(DASH, _("No warm-up was made."), notes)
    ttft, setup = first.figures["ttft_ms"], first.figures["setup_ms"]
    if isinstance(ttft, Unavailable):
        return _cell(DASH, first.failure or ttft.reason, notes)
    text = figure_text(ttft)
    if isinstance(setup, Quantity):
        text = _("{ttft} after {setup} of set-up").format(ttft=text, setup=figure_text(setup))
    return _cell(text)
