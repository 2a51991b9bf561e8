"""The six figures of each task as the table of a page or a file: texts, what each means, why one is absent.

The same form as the table of all metrics (`lib.charts.metric_table`), so that it is drawn by the same hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lib.agents.figure_texts import six_names, six_of, text_of
from lib.agents.figures import LOWER_BOUND
from lib.agents.tasks import TaskView, ended_words
from lib.charts.metric_table import Notes
from lib.charts.palette import Theme, palette
from lib.i18n import _
from lib.metrics.quantity import ESTIMATED, UPPER_BOUND, Figure, Unavailable
from lib.provenance import how_head


def six_table(tasks: Sequence[TaskView], theme: Theme) -> dict[str, Any]:
    """The table as JSON values: head, lanes, rows of cells (text, note number, hint, chips), notes."""
    notes = Notes()
    figures = [six_of(task.figures) for task in tasks]
    steps = {"name": _("Steps"), "help": _("Steps that were done, of the task's."),
             "cells": [[_steps(task), 0, "", ()] for task in tasks]}  # fmt: skip
    rows = [
        {"name": name, "help": meaning, "cells": [_cell(one[name], notes) for one in figures]}
        for name, meaning in _meanings().items()
    ]
    return {
        "head": _("The whole task"),
        "lanes": [
            {"name": task.name, "badge": task.badge, "origin": task.backend.origin.value, "note": task.backend.note,
             "colour": palette(theme).lane(place), "how": task.how} for place, task in enumerate(tasks)
        ],
        "how_head": how_head(),
        "rows": [steps, *rows],
        "notes": notes.sentences,
    }  # fmt: skip


def _meanings() -> dict[str, str]:
    sentences = (
        _("From the first request to the end of the last step, with tools, people and retries."),
        _("Every request by the published prices, retries included."),
        _("Median over the steps of the time from a request to its first token."),
        _("All time spent waiting for tools."),
        _("Attempts beyond the first, for each step."),
        _("All time a person looked at a step."),
    )
    return dict(zip(six_names(), sentences, strict=True))


def _steps(task: TaskView) -> str:
    done = _("{done} of {of}").format(done=task.figures.steps, of=task.figures.of)
    ended = ended_words(task.ended)
    return f"{done}, {ended}" if ended else done


def _cell(figure: Figure, notes: Notes) -> list[Any]:
    sentence = figure.reason if isinstance(figure, Unavailable) else _marked(figure.marks)
    return [text_of(figure), notes.number(sentence) if sentence else 0, sentence, ()]


def _marked(marks: Sequence[str]) -> str:
    sentences = {
        ESTIMATED: _("Rests on the text counted with o200k_base, as the server reported no count."),
        UPPER_BOUND: _("The true value is this or less."),
        LOWER_BOUND: _("A try that was cut may have been billed as well."),
    }
    return " ".join(sentences[mark] for mark in marks if mark in sentences)
