"""Series of trials in the history: one row, rounds that are runs, figures that are those of the rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import median

import pytest

from lib.domain.run import Mode, Run
from lib.domain.series import RoundPlace, SeriesPlan
from lib.store.rows import Filter, NoSuchRunError
from lib.store.store import KEPT_DELETED_MS, Store
from tests.metrics.building import steady
from tests.store.runs import race, shipped

PLAN = SeriesPlan(rounds=3, condition="cold", has_warm_up=True, seed=2**40 + 1)


def round_of(number: int, broken: bool = False) -> Run:
    """A round with a pace of its own."""
    made = race(f"series-{number}", mode=Mode.BY_BACKEND, broken=broken)
    first = replace(steady(40, each_ms=10.0 + 3 * number), lane=0)
    return replace(made, generations=(first, *made.generations[1:]))


def keep(store: Store, rounds: list[Run], ended: str | None = "") -> None:
    asked = race("series", mode=Mode.BY_BACKEND)
    store.begin_series(asked, PLAN)
    store.tag("series", ["nightly"])
    for number, run in enumerate(rounds):
        store.begin(run, RoundPlace("series", number))
        for batch in shipped(run):
            store.append(run.id, batch)
        store.end(run.id, 0.1 * number)
    if ended is not None:
        store.end_series("series", ended)


def test_a_series_is_one_row_that_shows_medians_of_its_rounds_without_the_warm_up(store: Store) -> None:
    store.save(race("other", started_at="2026-11-29T10:00:00+00:00"))
    keep(store, [round_of(number) for number in range(4)])
    page = store.page()
    assert [(row.id, row.series and row.series.kept) for row in page.rows] == [("series", 3), ("other", None)]
    assert page.total == 2
    row = page.rows[0]
    assert (row.status, row.series and row.series.plan, row.clock_health_ms) == (
        "complete",
        PLAN,
        pytest.approx(0.3),
    )
    rates = [store.row(f"series-{number}").lanes[0].summary.decode_tok_s or 0 for number in (1, 2, 3)]
    assert len(set(rates)) == 3
    assert row.lanes[0].summary.decode_tok_s == pytest.approx(median(rates))
    costs = [store.row(f"series-{number}").lanes[0].summary.cost for number in (1, 2, 3)]
    assert row.lanes[0].summary.cost == sum(filter(None, costs))
    assert all(found.ok for found in store.verify_all())


def test_a_series_opens_with_its_rounds_whole_and_in_order(store: Store) -> None:
    rounds = [round_of(number) for number in range(4)]
    keep(store, rounds, "stopped")
    record = store.series("series")
    assert (record.plan, record.ended, record.run.id) == (PLAN, "stopped", "series")
    assert [number for number, _run in record.rounds] == [0, 1, 2, 3]
    assert store.rounds("series") == tuple((number, f"series-{number}") for number in range(4))
    assert store.rounds("series-1") == ()
    assert [run.generations for _number, run in record.rounds] == [run.generations for run in rounds]
    for unknown in ("series-1", "nothing"):
        with pytest.raises(NoSuchRunError):
            store.series(unknown)


def test_a_series_is_found_by_what_it_is_and_its_rounds_are_not(store: Store) -> None:
    keep(store, [round_of(0), round_of(1, broken=True)])
    for wanted in (Filter(text="lighthouse"), Filter(tag="nightly"), Filter(mode=Mode.BY_BACKEND),
                   Filter(status="error"), Filter(backend="Terra")):  # fmt: skip
        assert [row.id for row in store.page(wanted).rows] == ["series"], wanted
    assert store.page(Filter(status="complete")).total == 0


def test_figures_of_a_series_that_its_rounds_do_not_give_are_named(store: Store) -> None:
    keep(store, [round_of(number) for number in range(3)])
    with store._write() as connection:
        connection.exec_driver_sql(
            "UPDATE lane SET ttft_ms = 1.5 WHERE lane = 0 AND run = (SELECT number FROM run WHERE id = 'series')"
        )
    found = store.verify("series")
    assert [(one.lane, one.figure, one.kept) for one in found.differences] == [(0, "ttft_ms", "1.5")]


def test_a_series_whose_process_died_is_closed_with_the_rounds_it_had(opened: Callable[..., Store]) -> None:
    first = opened()
    keep(first, [round_of(0), round_of(1)], ended=None)
    under_way = round_of(2)
    first.begin(under_way, RoundPlace("series", 2))
    first.append(under_way.id, shipped(under_way)[0])
    first._presence.close()
    again = opened()
    row = again.row("series")
    record = again.series("series")
    assert (row.status, record.ended, row.series and row.series.kept) == ("interrupted", "interrupted", 2)
    assert row.lanes[0].summary.decode_tok_s == again.row("series-1").lanes[0].summary.decode_tok_s
    last = record.rounds[-1][1]
    assert [generation.events[-1].status.value for generation in last.generations] == ["interrupted"] * 2  # type: ignore[union-attr]
    assert all(found.ok for found in again.verify_all())


def test_a_deleted_series_comes_back_whole_and_is_removed_with_its_rounds(
    opened: Callable[..., Store],
) -> None:
    now_s = [1_000_000.0]
    store = opened(now_s=lambda: now_s[0])
    keep(store, [round_of(0), round_of(1)])
    store.delete("series")
    assert store.page().total == 0
    store.restore("series")
    assert [row.series and row.series.kept for row in store.page().rows] == [1]
    store.delete("series")
    now_s[0] += KEPT_DELETED_MS / 1000 + 1
    assert store.purge() == 1
    for gone in ("series", "series-0", "series-1"):
        with pytest.raises(NoSuchRunError):
            store.open(gone)
