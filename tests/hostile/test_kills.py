"""Processes that die in mid-race: what was received stays, words say what happened, and the next race runs."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from lib.backends.catalogue import LOCAL_ID, Catalogue
from lib.domain import events as ev
from lib.domain.run import Backend, Limits, Mode, Params, Prompt, Run
from lib.live.hub import Hub
from lib.live.live_run import LiveRun
from lib.local_model.models import LocalModels
from lib.local_model.weights import unavailable_reason
from lib.server_process import Failed, Ready, ServerProcess
from lib.simulator.profiles import DEFAULT_IDS
from tests.live.test_hub import has_result, new_hub, text_of, until, wait_for

READY_S = 60
SIMULATED = DEFAULT_IDS[0]
LONG = {"simulator": {"ttft_ms": 20, "tok_s": 50, "tokens": 5000, "tokens_per_chunk": 1}}
SHORT = {"simulator": {"ttft_ms": 20, "tok_s": 800, "tokens": 60, "tokens_per_chunk": 1}}
LATE = {"simulator": {"ttft_ms": 20_000, "tok_s": 50, "tokens": 50}}


@pytest.fixture(scope="module")
def catalogue() -> Iterator[Catalogue]:
    made = Catalogue(ServerProcess("lib.simulator"), LocalModels())
    started(made)
    yield made
    made.close()


@pytest.fixture
def hub() -> Iterator[Hub]:
    made = new_hub()
    made.collector.start()
    assert made.collector.ready.wait(READY_S)
    yield made
    made.close()


def started(catalogue: Catalogue) -> None:
    """As Start does it: what has died is started anew."""
    catalogue.start()
    catalogue.wait(READY_S)


def lane(catalogue: Catalogue, id_: str, body: dict[str, Any]) -> Backend:
    offer = catalogue.offers()[id_]
    assert not offer.absent
    return replace(offer.backend, extra_body={**offer.backend.extra_body, **body})


def race(hub: Hub, *backends: Backend, max_tokens: int = 2000) -> LiveRun:
    run = Run(f"kills-{len(hub._runs)}", Prompt("Count slowly from one to a thousand, in words."),
              Params(max_tokens=max_tokens), Mode.ALL_AT_ONCE, backends)  # fmt: skip
    return hub.start(run, {}, dict.fromkeys(range(len(backends)), Limits()))


def speaks(number: int) -> Any:
    return lambda message: any(entry[0] == number for entry in message.get("d", ()))


def has_begun(message: dict[str, Any]) -> bool:
    return "run" in message


def kill(pid: int | None) -> None:
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


def is_alive(hub: Hub) -> bool:
    """Whether the collector runs (asked of the client's own process object, which also reaps it)."""
    process = hub.collector._process
    return process is not None and process.poll() is None


def statuses(live: LiveRun) -> list[ev.Status]:
    return [generation.events[-1].status for generation in live.recorded().generations]


def told_errors(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [entry[3] for message in messages for entry in message.get("e", ()) if entry[2] == "error"]


def cut_connections_are_told(live: LiveRun) -> None:
    messages = until(live, has_result)
    for number, generation in enumerate(live.recorded().generations):
        failed = generation.last(ev.Failed)
        assert failed is not None
        assert failed.kind == "connection_lost"
        assert text_of(messages, number) == "".join(d.text for d in generation.of(ev.Delta)) != ""
    for told in told_errors(messages):
        assert (told["title"], told["retry_helps"]) == ("Connection cut", True)
        assert told["sentence"]
        assert told["advice"]
    assert len(told_errors(messages)) == len(live.run.backends)


def test_a_killed_simulator_cuts_its_lanes_and_the_next_start_brings_it_back(
    catalogue: Catalogue, hub: Hub
) -> None:
    live = race(hub, lane(catalogue, SIMULATED, LONG), lane(catalogue, DEFAULT_IDS[1], LONG))
    until(live, speaks(0))
    until(live, speaks(1))
    state = catalogue.simulator.state
    assert isinstance(state, Ready)
    kill(state.pid)
    cut_connections_are_told(live)
    assert wait_for(lambda: isinstance(catalogue.simulator.state, Failed))
    assert catalogue.offers()[SIMULATED].absent
    started(catalogue)
    again = race(hub, lane(catalogue, SIMULATED, SHORT))
    until(again, has_result)
    assert statuses(again) == [ev.Status.COMPLETE]


def test_a_killed_local_model_cuts_its_lane_alone_and_the_next_start_brings_it_back(
    catalogue: Catalogue, hub: Hub
) -> None:
    if unavailable_reason() is not None:
        assert catalogue.offers()[LOCAL_ID].absent == unavailable_reason()
        return
    live = race(hub, lane(catalogue, LOCAL_ID, {}), lane(catalogue, SIMULATED, LONG))
    until(live, speaks(0))
    model = next(m for m in catalogue.models.models() if catalogue.models.backend(m.id).id == LOCAL_ID)
    state = model.process.state
    assert isinstance(state, Ready)
    kill(state.pid)
    messages = until(live, lambda message: any(e[:1] == [0] and e[2] == "end" for e in message.get("e", ())))
    assert [told["kind"] for told in told_errors(messages)] == ["connection_lost"]
    hub.stop(live.run.id)
    until(live, has_result)
    assert statuses(live) == [ev.Status.ERROR, ev.Status.STOPPED]
    assert live.recorded().generations[0].of(ev.Delta)
    started(catalogue)
    again = race(hub, lane(catalogue, LOCAL_ID, {}), max_tokens=16)
    until(again, has_result)
    assert statuses(again) == [ev.Status.COMPLETE]


def test_a_collector_killed_twice_in_a_row_interrupts_two_races_and_runs_the_third(
    catalogue: Catalogue, hub: Hub
) -> None:
    for _ in range(2):
        live = race(hub, lane(catalogue, SIMULATED, LONG))
        until(live, speaks(0))
        kill(hub.collector.pid)
        messages = until(live, has_result)
        assert statuses(live) == [ev.Status.INTERRUPTED]
        assert [told["title"] for told in told_errors(messages)] == ["Interrupted"]
    third = race(hub, lane(catalogue, SIMULATED, SHORT))
    until(third, has_result)
    assert statuses(third) == [ev.Status.COMPLETE]


def test_a_collector_killed_before_the_first_row_leaves_an_interrupted_lane(
    catalogue: Catalogue, hub: Hub
) -> None:
    first = race(hub, lane(catalogue, SIMULATED, LATE))
    kill(hub.collector.pid)
    messages = until(first, has_result)
    assert statuses(first) == [ev.Status.INTERRUPTED]
    assert [message for message in messages if has_begun(message)] == messages[:1]
    second = race(hub, lane(catalogue, SIMULATED, SHORT))
    until(second, has_result)
    assert statuses(second) == [ev.Status.COMPLETE]


def test_a_collector_killed_while_idle_is_not_missed(catalogue: Catalogue, hub: Hub) -> None:
    for _ in range(3):
        assert wait_for(lambda: is_alive(hub))
        kill(hub.collector.pid)
        live = race(hub, lane(catalogue, SIMULATED, SHORT))
        until(live, has_result)
        assert statuses(live) in (
            [ev.Status.COMPLETE],
            [ev.Status.INTERRUPTED],
        )  # it may die with the order in hand
    live = race(hub, lane(catalogue, SIMULATED, SHORT))
    until(live, has_result)
    assert statuses(live) == [ev.Status.COMPLETE]


def test_an_idle_collector_seen_dead_takes_no_run_with_it(catalogue: Catalogue, hub: Hub) -> None:
    pid = hub.collector.pid
    kill(pid)
    assert hub.collector._process is not None
    hub.collector._process.wait(READY_S)
    live = race(hub, lane(catalogue, SIMULATED, SHORT))
    until(live, has_result)
    assert statuses(live) == [ev.Status.COMPLETE]
    assert hub.collector.pid != pid


def test_a_lane_begun_anew_after_the_collector_died_is_a_generation_of_its_own(
    catalogue: Catalogue, hub: Hub
) -> None:
    live = race(hub, lane(catalogue, SIMULATED, LONG), lane(catalogue, SIMULATED, SHORT))
    until(live, speaks(0))
    kill(hub.collector.pid)
    before = until(live, has_result)
    interrupted = live.recorded().generations[0]
    hub.retry(live.run.id, 1, "", Limits())
    until(live, lambda _: sum("result" in message for message in map(json.loads, live.messages)) == 2)
    after = [json.loads(message) for message in live.messages]
    assert [message for message in after if has_begun(message)] == before[:1]
    assert after[: len(before)] == before
    recorded = live.recorded()
    assert recorded.generations[0] == interrupted
    assert recorded.generations[1].last(ev.Ended) == recorded.generations[1].events[-1]
    assert statuses(live) == [ev.Status.INTERRUPTED, ev.Status.COMPLETE]
    began = [event.at_ns for event in recorded.generations[1].of(ev.Attempt)]
    assert began[0] > interrupted.events[-1].at_ns
