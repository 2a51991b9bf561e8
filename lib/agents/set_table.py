"""What each backend made of a prompt set, as the table of a page: texts, what each means, why one is absent.

The same form as the table of all metrics (`lib.charts.metric_table`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lib import numbers
from lib.agents.figure_texts import ABSENT
from lib.agents.set_summary import SetSummary
from lib.charts.metric_table import Notes
from lib.charts.palette import Theme, palette
from lib.charts.result_lanes import names_apart
from lib.domain.run import Backend
from lib.i18n import _
from lib.metrics.cost import as_decimal
from lib.metrics.quantity import Figure, Quantity, Unavailable
from lib.metrics.statistics import Spread
from lib.provenance import Conditions, badge_word, how_head, made_by, shared_facts


def set_table(
    backends: tuple[Backend, ...], found: Sequence[SetSummary], theme: Theme, known: Conditions
) -> dict[str, Any]:
    """The table as JSON values: head, lanes, rows of cells (text, note number, hint, chips), notes."""
    source, shared = _("usage of the server, else estimated (o200k_base)"), shared_facts(known)
    notes = Notes()
    columns = [_column(one, notes) for one in found]
    rows = [{"name": name, "help": meaning, "cells": [column[place] for column in columns]}
            for place, (name, meaning) in enumerate(_rows())]  # fmt: skip
    return {
        "head": _("The whole set"),
        "lanes": [
            {"name": name, "badge": badge_word(backend.origin), "origin": backend.origin.value, "note": backend.note,
             "colour": palette(theme).lane(place), "how": (*made_by(backend, source), *shared)}
            for place, (name, backend) in enumerate(zip(names_apart(backends), backends, strict=True))
        ],
        "how_head": how_head(),
        "rows": rows,
        "notes": notes.sentences,
    }  # fmt: skip


def _rows() -> tuple[tuple[str, str], ...]:
    return (
        (_("Answered"), _("Complete answers, of all questions.")),
        (_("Wall time"), _("Time in which this backend was being asked, over all sessions.")),
        (_("Throughput"), _("Output tokens of complete answers over the wall time.")),
        (_("Cost"), _("Complete answers by the published prices.")),
        (_("Errors"), _("Questions whose last answer failed or was cut.")),
        (_("Retries"), _("Attempts beyond the first, those that were asked again later included.")),
        (_("Per question"), _("Median of the complete answers, and the shortest and longest.")),
        (_("p90"), _("Nine of ten answers took no longer; from ten answers on.")),
    )


def _column(one: SetSummary, notes: Notes) -> list[list[Any]]:
    answered = f"{numbers.whole(one.answered)} / {numbers.whole(one.of)}"
    return [
        [answered, 0, "", ()], _cell(one.wall_s, notes), _cell(one.output_tok_s, notes), _cell(one.cost, notes),
        [numbers.whole(one.failed), 0, "", ()], [numbers.whole(one.retries), 0, "", ()], _spread(one.seconds, notes),
        _cell(one.p90_s, notes),
    ]  # fmt: skip


def _spread(spread: Spread | Unavailable, notes: Notes) -> list[Any]:
    if isinstance(spread, Unavailable):
        return _absent(spread.reason, notes)
    text = _("{median} ({least} to {most})").format(
        median=numbers.seconds(spread.median), least=numbers.seconds(spread.least), most=numbers.seconds(spread.most)
    )
    return [text, 0, "", ()]


def _cell(figure: Figure, notes: Notes) -> list[Any]:
    if isinstance(figure, Unavailable):
        return _absent(figure.reason, notes)
    return [_text(figure), 0, "", ()]


def _text(figure: Quantity) -> str:
    if figure.unit == "tok/s":
        return numbers.rate(float(figure.value))
    return numbers.seconds(float(figure.value)) if figure.unit == "s" else numbers.money(as_decimal(figure), figure.unit)


def _absent(reason: str, notes: Notes) -> list[Any]:
    return [ABSENT, notes.number(reason), reason, ()]
