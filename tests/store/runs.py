"""Runs for the history's tests, and their rows as a collector ships them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import zip_longest

import orjson

from lib.domain.codec import Row
from lib.domain.events import Generation
from lib.domain.run import Backend, Mode, Origin, Params, Prices, Prompt, Run
from lib.store.packing import rows_of
from tests.metrics.building import steady
from tests.ui.made_runs import answered, failed

TEXT = "The keeper climbed the stairs each night to trim the wick."


def backend(name: str, origin: Origin = Origin.SIMULATED) -> Backend:
    prices = Prices(Decimal("1.5"), Decimal("6"), source="made up")
    return Backend(
        name.lower(), name, "http://127.0.0.1:9/v1", f"{name.lower()}-model", origin, prices=prices
    )


def race(
    run_id: str = "one",
    prompt: str = "Tell me about the lighthouse.",
    names: Sequence[str] = ("Sol", "Terra"),
    started_at: str = "2026-11-30T10:00:00+00:00",
    mode: Mode = Mode.ALL_AT_ONCE,
    origin: Origin = Origin.SIMULATED,
    broken: bool = False,
) -> Run:
    """A finished run: a steady lane and lanes that answer (or fail)."""
    lanes: list[Generation] = [steady(40)]
    for lane in range(1, len(names)):
        lanes.append(failed(lane) if broken else answered(lane, TEXT))
    return Run(
        run_id,
        Prompt(prompt, "Be brief."),
        Params(),
        mode,
        tuple(backend(name, origin) for name in names),
        started_at,
        tuple(replace(generation, lane=lane) for lane, generation in enumerate(lanes)),
        clock_health_ms=0.25,
        versions={"tokenrace": "0.1.0"},
    )


def shipped(run: Run, size: int = 7) -> list[bytes]:
    """The rows of a run in batches of so many rows per lane, as the collector ships them."""
    lanes = rows_of(run)
    cut: list[list[list[Row]]] = [[rows[i : i + size] for i in range(0, len(rows), size)] for rows in lanes]
    return [
        orjson.dumps([[lane, rows] for lane, rows in enumerate(parts) if rows]) for parts in zip_longest(*cut)
    ]
