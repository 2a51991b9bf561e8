"""What the tables of the page "What it means" are made of: cells, rows, notes. Nothing is drawn here.

A cell is [text, number of its note (0: none), hint]. What is absent is a dash whose note says why; `~` marks an
estimate, and the legend says of what kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lib.charts.metric_table import DASH, Notes
from lib.i18n import _
from lib.meaning.densities import Density
from lib.metrics.quantity import Figure, Unavailable
from lib.ui import meaning_words

Cell = list[Any]
Row = dict[str, Any]
Table = dict[str, Any]


class Remarks(Notes):
    """Numbered notes, and sentences that hold for the whole table."""

    def __init__(self) -> None:
        super().__init__()
        self.legend: list[str] = []

    def say(self, sentence: str) -> None:
        """A sentence of the legend, once."""
        if sentence not in self.legend:
            self.legend.append(sentence)


def text(content: str, note: int = 0, hint: str = "") -> Cell:
    """A cell with words."""
    return [content, note, hint]


def absent(found: Unavailable, remarks: Remarks) -> Cell:
    """A dash, with the reason as its note."""
    return text(DASH, remarks.number(found.reason), found.reason)


def cell(found: Figure, remarks: Remarks) -> Cell:
    """A figure, or a dash with its reason."""
    return absent(found, remarks) if isinstance(found, Unavailable) else text(meaning_words.figure(found))


def by_density(content: str, known: Density, remarks: Remarks) -> Cell:
    """A value that rests on a density; marked where that is an estimate."""
    if known.is_estimate:
        remarks.say(_("~ One text was counted with this tokenizer; its ratio to o200k_base is carried over to the mean."))
    return text("~" * known.is_estimate + content)


def by_english(content: str, is_estimate: bool, remarks: Remarks, hint: str = "") -> Cell:
    """A value of people; marked where the English ratio stands in for a study of the language."""
    if is_estimate:
        remarks.say(_("~ No study of this language was found: estimated by the ratio in other languages."))
    return text("~" * is_estimate + content, 0, hint)


def row(label: str, *cells: Cell, hint: str = "") -> Row:
    """One row; the label is its head."""
    return {"label": label, "hint": hint, "cells": list(cells)}


def table(
    head: Sequence[tuple[str, ...]],
    rows: Iterable[Row],
    remarks: Remarks,
    *,
    left: Sequence[int] = (),
    groups: Sequence[tuple[str, int]] = (),
) -> Table:
    """`head`: title and help of each column, and its name on a narrow page if it has another.

    `left`: columns whose texts begin at their left edge (the label is 0). `groups`: titles over so many columns each.
    """
    return {
        "head": [list(one) for one in head], "rows": list(rows), "left": list(left), "legend": remarks.legend,
        "groups": [list(one) for one in groups], "notes": remarks.sentences,
    }  # fmt: skip
