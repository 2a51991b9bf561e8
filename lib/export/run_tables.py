"""The two tables of a run: one row per lane with every figure, one row per delta with its moment.

Figures come from the catalogue, in its order and with its keys; nothing is computed here. An absent figure is
an empty cell, and the column beside it says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from lib.domain import events as ev
from lib.domain.run import Backend, Run
from lib.export.tables import Cell, table
from lib.metrics.catalogue import CATALOGUE, compute_all
from lib.metrics.measurement import Measurement, measure
from lib.metrics.quantity import Figure, Quantity, Unavailable
from lib.metrics.timeline import timeline
from lib.metrics.verdict import places
from lib.metrics.warnings import served_model, warnings_of
from lib.provenance import figure_facts, in_words, warmth_words
from lib.reading import ReadingSpeed, speed_for

DIGITS = 6  # after the point: nanoseconds of a millisecond
CHANNEL_WORDS = {ev.Channel.ANSWER: "answer", ev.Channel.THINKING: "thinking", ev.Channel.TOOL: "tool"}
DELTA_HEAD = ("lane", "name", "at_ms", "read", "channel", "text", "choice", "how")
VARYING_UNITS = {"units_per_s": "units_per_s_unit", "cost": "cost_currency"}  # whose unit is not in the key


def lanes_csv(run: Run, speed: ReadingSpeed | None) -> bytes:
    """One row per lane: outcome, every figure with its reason, provenance. UTF-8 with BOM.

    `speed` None takes the silent reading speed for the language of each answer.
    """
    finished = places(run)
    rows = [
        _lane(run, lane, measure(generation, backend), speed, finished[lane])
        for lane, (backend, generation) in enumerate(zip(run.backends, run.generations, strict=True))
    ]
    return table(list(rows[0]) if rows else [], [list(row.values()) for row in rows])


def deltas_csv(run: Run) -> bytes:
    """One row per delta of every lane: `at_ms` counts from the lane's own request. UTF-8 with BOM.

    The first row of each lane says how the lane was measured.
    """
    return table(DELTA_HEAD, _deltas(run))


def _lane(
    run: Run, lane: int, measured: Measurement, speed: ReadingSpeed | None, place: int | None
) -> dict[str, Cell]:
    reader = speed_for(measured.answer, speed)
    figures = compute_all(measured, reader)
    return {
        "lane": lane + 1,
        **_who(measured.backend, measured),
        **_outcome(measured, place),
        **figure_cells(figures),
        **_provenance(run, lane, measured),
        "reader": reader.id,
        "reader_per_min": reader.per_min,
        "reader_unit": reader.unit,
    }


def _who(backend: Backend, measured: Measurement) -> dict[str, Cell]:
    return {
        "name": backend.name,
        "origin": backend.origin.value,
        "note": backend.note,
        "model": backend.model,
        "served_model": served_model(measured),
    }


def _outcome(measured: Measurement, place: int | None) -> dict[str, Cell]:
    failed = measured.time.failed
    return {
        "status": measured.time.status.value,
        "place": place,
        "attempts": measured.time.attempts,
        "error_kind": failed.kind if failed else None,
        "error_message": failed.message if failed else None,
        "http_status": failed.http_status if failed else None,
        "warnings": " ".join(code for code, _detail in warnings_of(measured)),
    }


def figure_cells(figures: dict[str, Figure]) -> dict[str, Cell]:
    """Every figure of the catalogue in its order, each with the reason of its absence, and the marks of all."""
    cells: dict[str, Cell] = {}
    for metric in CATALOGUE:
        figure = figures[metric.key]
        cells[metric.key] = _value(figure)
        if metric.key in VARYING_UNITS:
            cells[VARYING_UNITS[metric.key]] = figure.unit if isinstance(figure, Quantity) else None
        cells[f"{metric.key}_reason"] = figure.reason if isinstance(figure, Unavailable) else None
    marked = [
        f"{key}: {' '.join(f.marks)}" for key, f in figures.items() if isinstance(f, Quantity) and f.marks
    ]
    return {**cells, "marks": "; ".join(marked)}


def _provenance(run: Run, lane: int, measured: Measurement) -> dict[str, Cell]:
    params = run.params_of(lane)
    counted = measured.output_tokens is not None
    return {
        "token_source": ("estimated (o200k_base)" if measured.is_estimated else "usage") if counted else None,
        "trials": 1,
        "cold_or_warm": warmth_words(measured),
        "mode": run.mode.value,
        "started_at": run.started_at,
        "clock_health_ms": run.clock_health_ms,
        "display_lag_ms": run.display_lag_ms,
        "versions": "; ".join(f"{name} {number}" for name, number in run.versions.items()),
        "prompt": run.prompt.text,
        "system": run.prompt.system,
        "max_tokens": params.max_tokens,
        "temperature": params.temperature,
        "top_p": params.top_p,
        "seed": params.seed,
    }


def _value(figure: Figure) -> Cell:
    if isinstance(figure, Unavailable):
        return None
    value = figure.value
    return value if isinstance(value, Decimal | int) else round(value, DIGITS)


def _deltas(run: Run) -> Iterator[list[Cell]]:
    for lane, (backend, generation) in enumerate(zip(run.backends, run.generations, strict=True)):
        time = timeline(generation)
        how: str | None = in_words(figure_facts(run, measure(generation, backend)))
        for delta in generation.of(ev.Delta):
            since_ms = None if time.sent_ns is None else round((delta.at_ns - time.sent_ns) / 1e6, DIGITS)
            yield [lane + 1, backend.name, since_ms, delta.read, CHANNEL_WORDS[delta.channel], delta.text,
                   delta.choice, how]  # fmt: skip
            how = None
