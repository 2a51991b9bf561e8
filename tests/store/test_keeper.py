"""The keeper: what the hub says is kept in order, and a history that cannot be written harms nobody."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from sqlalchemy.exc import OperationalError

from lib.domain.run import Run
from lib.domain.series import RoundPlace
from lib.store import keeper as module
from lib.store.keeper import Keeper
from lib.store.rows import Filter, NoSuchRunError
from lib.store.store import Store
from tests.store.runs import race, shipped

LOCKED = OperationalError("INSERT", {}, Exception("database is locked"))


class Recorder:
    """A store that notes its calls; `fail` may raise before one."""

    def __init__(self, fail: Callable[[str, int], None] = lambda _call, _number: None) -> None:
        self.calls: list[tuple[object, ...]] = []
        self._fail = fail
        self._number = 0

    def begin(self, run: Run, place: RoundPlace | None = None) -> None:
        self._call("begin", run.id)

    def tag(self, run_id: str, tags: Sequence[str]) -> None:
        self._call("tag", run_id, *tags)

    def extend(self, run: Run) -> None:
        self._call("extend", run.id, len(run.backends))

    def seen(self, run_id: str, display_lag_ms: float) -> None:
        self._call("seen", run_id, display_lag_ms)

    def append(self, run_id: str, payload: bytes) -> None:
        self._call("append", run_id, payload)

    def end(self, run_id: str, clock_health_ms: float | None) -> None:
        self._call("end", run_id, clock_health_ms)

    def tidy(self) -> None:
        self._call("tidy")

    def _call(self, *call: object) -> None:
        self._number += 1
        self._fail(str(call[0]), self._number)
        self.calls.append(call)


def tell(keeper: Keeper, run: Run) -> None:
    keeper.on_begin(run)
    for batch in shipped(run):
        keeper.on_rows(run.id, batch)
    keeper.on_end(run.id, {"clock_health_ms": 0.25})


def first_lanes(run: Run, lanes: int) -> Run:
    return replace(run, backends=run.backends[:lanes], generations=run.generations[:lanes])


def test_a_run_that_gets_lanes_while_it_runs_is_kept_whole_and_found_by_each(store: Store) -> None:
    run = race("grows")
    keeper = Keeper(store)
    keeper.on_begin(first_lanes(run, 1), ["a tag"])
    for lanes in range(2, len(run.backends) + 1):
        keeper.on_lanes(first_lanes(run, lanes))
    for batch in shipped(run):
        keeper.on_rows(run.id, batch)
    keeper.on_end(run.id, {"clock_health_ms": run.clock_health_ms})
    keeper.close()
    assert store.open("grows") == run
    assert [lane.name for lane in store.row("grows").lanes] == [backend.name for backend in run.backends]
    assert store.row("grows").tags == ("a tag",)
    assert [row.id for row in store.page(Filter(text=run.backends[-1].model)).rows] == ["grows"]
    assert not store.verify("grows").differences


def test_what_a_screen_told_of_itself_is_kept_with_the_run_and_changes_nothing_else(store: Store) -> None:
    run = race("seen")
    keeper = Keeper(store)
    keeper.on_begin(first_lanes(run, 1))
    keeper.on_lanes(run)
    for batch in shipped(run):
        keeper.on_rows(run.id, batch)
    keeper.on_end(run.id, {"clock_health_ms": run.clock_health_ms})
    keeper.on_seen("seen", 71.5)
    keeper.close()
    assert store.open("seen") == replace(run, display_lag_ms=71.5)
    assert not store.verify("seen").differences


def test_lanes_are_told_before_the_rows_that_are_theirs() -> None:
    recorder, run = Recorder(), race("grows")
    keeper = Keeper(recorder)
    keeper.on_begin(first_lanes(run, 1), ["loop"])
    for lanes in (2, 3):
        keeper.on_rows(run.id, b"[]")
        keeper.on_lanes(first_lanes(run, lanes))
    keeper.on_rows(run.id, b"[1]")
    keeper.close()
    assert [call[0] for call in recorder.calls] == ["begin", "tag", "append", "extend", "append", "extend", "append"]


def test_two_races_at_once_are_both_kept_whole(store: Store) -> None:
    first, second = race("first"), race("second", broken=True)
    keeper = Keeper(store)
    keeper.on_begin(first)
    keeper.on_begin(second)
    for one, other in zip(shipped(first), [*shipped(second), *[b"[]"] * 9], strict=False):
        keeper.on_rows("first", one)
        keeper.on_rows("second", other)
    for batch in shipped(second)[len(shipped(first)) :]:
        keeper.on_rows("second", batch)
    keeper.on_end("first", {"clock_health_ms": 0.25})
    keeper.on_end("second", {"clock_health_ms": 0.25})
    keeper.close()
    assert (store.open("first"), store.open("second")) == (first, second)
    assert keeper.trouble is None


def test_telling_the_keeper_never_waits_for_the_database() -> None:
    release = threading.Event()
    recorder = Recorder(lambda _call, _number: release.wait() and None)
    keeper = Keeper(recorder)
    tell(keeper, race())  # returns although nothing can be written
    assert recorder.calls == []
    release.set()
    keeper.close()
    assert [call[0] for call in recorder.calls] == ["begin", "append", "end"]


def test_what_came_while_a_write_took_long_is_written_as_one_batch_in_order() -> None:
    release = threading.Event()
    recorder = Recorder(lambda _call, _number: release.wait() and None)
    keeper = Keeper(recorder)
    tell(keeper, race())
    release.set()
    keeper.close()
    assert recorder.calls[1] == ("append", "one", b"\n".join(shipped(race())))


def test_a_write_that_fails_is_told_and_tried_again_until_it_succeeds() -> None:
    told: list[str | None] = []

    def fail(_call: str, number: int) -> None:
        if number in (2, 3, 4):
            raise LOCKED

    def wait(_event: threading.Event, _seconds: float) -> None:
        told.append(keeper.trouble)

    recorder = Recorder(fail)
    keeper = Keeper(recorder, wait)
    ready = threading.Event()
    recorder.end = lambda *_: ready.set()  # type: ignore[method-assign]
    tell(keeper, race())
    assert ready.wait(30)
    keeper.close()
    assert len(told) == 3
    assert all(told)
    assert keeper.trouble is None
    assert b"".join(
        call[2].replace(b"\n", b"") for call in recorder.calls if call[0] == "append"
    ) == b"".join(shipped(race()))
    assert not keeper.is_lost("one")


def test_closing_while_the_database_is_away_gives_up_and_says_which_run_is_lost() -> None:
    waiting = threading.Event()

    def fail(_call: str, _number: int) -> None:
        raise LOCKED

    def wait(closing: threading.Event, _seconds: float) -> None:
        waiting.set()
        closing.wait()

    keeper = Keeper(Recorder(fail), wait)
    tell(keeper, race())
    assert waiting.wait(30)
    keeper.close()
    assert keeper.is_lost("one")


@pytest.mark.parametrize("fault", [ValueError("cannot be written"), NoSuchRunError("one")])
def test_a_run_that_cannot_be_kept_does_not_keep_the_next_from_it(fault: Exception) -> None:
    def fail(_call: str, number: int) -> None:
        if number == 1:
            raise fault

    recorder = Recorder(fail)
    keeper = Keeper(recorder)
    keeper.on_begin(race("one"))
    keeper.on_begin(race("two"))
    keeper.close()
    assert recorder.calls == [("begin", "two")]
    assert (keeper.is_lost("one"), keeper.is_lost("two")) == (True, False)


def test_a_history_that_stays_away_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING_BYTES", 100)
    release = threading.Event()
    recorder = Recorder(lambda _call, _number: release.wait() and None)
    keeper = Keeper(recorder)
    for _ in range(4):
        keeper.on_rows("one", b"x" * 60)
    release.set()
    keeper.close()
    assert sum(call[2].count(b"x") for call in recorder.calls) == 120
    assert keeper.is_lost("one")


def test_in_a_quiet_time_the_history_is_tidied_and_a_failure_of_that_is_no_harm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "QUIET_S", 0.001)
    looked = threading.Event()

    def fail(_call: str, number: int) -> None:
        if number == 1:
            raise LOCKED  # tried again in the next quiet time
        looked.set()

    recorder = Recorder(fail)
    keeper = Keeper(recorder)
    assert looked.wait(30)
    keeper.close()
    assert recorder.calls[0] == ("tidy",)
