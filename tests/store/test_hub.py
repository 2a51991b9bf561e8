"""The hub with its history: what was on screen is what is kept, whatever happens to the race."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from lib.domain.run import Backend, Limits, Mode, Origin, Params, Prompt, Run
from lib.live.hub import Hub
from lib.server_process import Ready, ServerProcess
from lib.store.keeper import Keeper
from lib.store.store import Store

PATIENCE_S = 60


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    server = ServerProcess("lib.simulator")
    server.start()
    assert isinstance(server.wait(PATIENCE_S), Ready)
    yield str(server.base_url)
    server.close()


@pytest.fixture
def hub(store: Store) -> Iterator[Hub]:
    keeper = Keeper(store)
    made = Hub(lambda *_: {}, lambda *_: {}, grace_s=PATIENCE_S, keeper=keeper)
    yield made
    made.close()
    keeper.close()


def race(base_url: str, run_id: str, max_tokens: int) -> Run:
    lanes = tuple(
        Backend(f"{run_id}{lane}", f"Lane {lane}", base_url, model, Origin.SIMULATED)
        for lane, model in enumerate(("gpt-5.6-sol-ultrafast", "gpt-5.6-sol-standard"))
    )
    prompt, at = Prompt("Tide"), "2026-11-30T10:00:00+00:00"
    return Run(run_id, prompt, Params(max_tokens=max_tokens), Mode.ALL_AT_ONCE, lanes, at)


def until(holds: Callable[[], object]) -> None:
    pace, end_s = threading.Event(), time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end_s, "it did not come to hold"
        pace.wait(0.01)


def start(hub: Hub, run: Run) -> None:
    hub.start(run, {}, dict.fromkeys(range(2), Limits()))


def test_a_race_is_kept_exactly_as_the_hub_had_it_and_so_is_a_retry(
    hub: Hub, store: Store, base_url: str
) -> None:
    start(hub, race(base_url, "whole", 60))
    live = hub.get("whole")
    assert live is not None
    until(lambda: live.ended and store.row("whole").status == "complete")
    assert store.open("whole") == live.recorded()
    first = store.open("whole")
    hub.retry("whole", 0, "", Limits())
    until(lambda: live.ended and store.row("whole").status == "complete" and store.open("whole") != first)
    assert store.open("whole") == live.recorded()
    assert store.open("whole").generations[1] == first.generations[1]
    assert store.verify("whole").ok


def test_when_the_collector_is_killed_in_a_race_what_was_seen_is_kept_as_interrupted(
    hub: Hub, store: Store, base_url: str
) -> None:
    start(hub, race(base_url, "cut", 2000))
    live = hub.get("cut")
    assert live is not None
    until(lambda: any(len(rows) > 30 for rows in live.lane_rows()))
    assert store.row("cut").status == "running"
    assert hub.collector.pid is not None
    os.kill(hub.collector.pid, signal.SIGKILL)
    until(lambda: store.row("cut").status == "interrupted")
    assert replace(store.open("cut"), clock_health_ms=None) == replace(live.recorded(), clock_health_ms=None)
    assert len(store.open("cut").generations[0].events) > 30
