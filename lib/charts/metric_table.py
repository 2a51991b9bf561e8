"""The table of all metrics as texts: a row for each figure of the catalogue, a cell for each lane.

An absent figure is a dash with a number; the numbered note says why. It draws nothing: the page and the exports do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lib.charts.palette import Theme, palette
from lib.charts.result_lanes import ResultLane
from lib.charts.warning_chips import chip_of
from lib.i18n import _
from lib.metrics import rates
from lib.metrics.catalogue import CATALOGUE, Metric
from lib.metrics.figures import cost_text, figure_text
from lib.metrics.quantity import ESTIMATED, SHORT_SAMPLE, UPPER_BOUND, Figure, Unavailable
from lib.provenance import how_head, token_source

DASH = "–"


@dataclass(frozen=True, slots=True)
class Cell:
    """One text with the number of its note (0: none) and the note itself, shown when pointed at."""

    text: str
    note: int = 0
    hint: str = ""
    chips: tuple[tuple[str, int, str], ...] = ()  # (words, number of its note, sentence) of each warning


class Notes:
    """The notes under a table: the same sentence has one number, in the order of first use."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def number(self, sentence: str) -> int:
        """The number of this sentence, from 1."""
        if sentence not in self.sentences:
            self.sentences.append(sentence)
        return self.sentences.index(sentence) + 1


def table_of(lanes: Sequence[ResultLane], theme: Theme) -> dict[str, Any]:
    """The whole table as JSON values: head, lanes, rows of cells (text, note number, hint, chips), notes."""
    notes = Notes()
    rows = [
        _told(_("Outcome"), _outcome_help(), [_outcome(lane, notes) for lane in lanes]),
        _told(
            _("Place"),
            _("Order of the last text, complete answers only."),
            [_place(lane, notes) for lane in lanes],
        ),
        _told(_("Token source"), _("Who counted the output tokens."), [_source(lane) for lane in lanes]),
    ]
    rows += [_metric_row(metric, lanes, notes) for metric in CATALOGUE]
    return {
        "head": _("Metric"),
        "lanes": [
            {"name": lane.name, "badge": lane.badge, "origin": lane.backend.origin.value, "note": lane.backend.note,
             "colour": palette(theme).lane(lane.index), "how": lane.how} for lane in lanes
        ],
        "how_head": how_head(),
        "rows": rows,
        "notes": notes.sentences,
    }  # fmt: skip


def cell_of(metric: Metric, lane: ResultLane, notes: Notes) -> Cell:
    """One figure of one lane."""
    figure = lane.figures[metric.key]
    if metric.key == "cost":
        told = cost_text(lane.measured)
        return _with_note(told["text"], told["reason"] or "", notes)
    if isinstance(figure, Unavailable):
        return _with_note(DASH, figure.reason, notes)
    prefix = "~" if ESTIMATED in figure.marks else "≤ " if UPPER_BOUND in figure.marks else ""
    return _with_note(prefix + figure_text(figure), _mark_note(figure), notes)


def _metric_row(metric: Metric, lanes: Sequence[ResultLane], notes: Notes) -> dict[str, Any]:
    name = f"{_(metric.name)} ({metric.symbol})" if metric.symbol else _(metric.name)
    help_text = _("{formula}. Source: {source}.").format(formula=metric.formula, source=metric.source)
    return _told(name, help_text, [cell_of(metric, lane, notes) for lane in lanes])


def _told(name: str, help_text: str, cells: Sequence[Cell]) -> dict[str, Any]:
    return {
        "name": name,
        "help": help_text,
        "cells": [[cell.text, cell.note, cell.hint, cell.chips] for cell in cells],
    }


def _with_note(text: str, sentence: str, notes: Notes) -> Cell:
    return Cell(text, notes.number(sentence), sentence) if sentence else Cell(text)


def _mark_note(figure: Figure) -> str:
    marks = () if isinstance(figure, Unavailable) else figure.marks
    sentences = {
        SHORT_SAMPLE: _("From fewer than {n} tokens: kept out of the verdict.").format(n=rates.MIN_TOKENS),
        ESTIMATED: _("Rests on the text counted with o200k_base, as the server reported no count."),
        UPPER_BOUND: _("The true value is this or less."),
    }
    return " ".join(sentences[mark] for mark in marks if mark in sentences)


def _outcome(lane: ResultLane, notes: Notes) -> Cell:
    ended = _with_note(lane.outcome, lane.failure_sentence, notes)
    chips = tuple((chip_of(code), notes.number(sentence), sentence) for code, sentence in lane.warnings)
    return replace(ended, chips=chips)


def _outcome_help() -> str:
    return _("How the answer ended, and what to know about it.")


def _place(lane: ResultLane, notes: Notes) -> Cell:
    if lane.place:
        return Cell(str(lane.place))
    return _with_note(DASH, _("Only a complete answer has a place."), notes)


def _source(lane: ResultLane) -> Cell:
    return Cell(token_source(lane.measured))
