"""The loops' asker with the real collector against the simulator: lanes at once, one after another, stopped."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from lib.agents.asking import Asked, LoopAsker
from lib.agents.loop import LoopRun
from lib.agents.phases import status_of
from lib.agents.record import read_loop, run_of
from lib.agents.task_lane import LoopPlan
from lib.agents.trace import samples
from lib.agents.work import Access
from lib.domain import events as ev
from lib.domain.run import Backend, Limits, Origin, Params, Prompt
from lib.server_process import Ready, ServerProcess


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    simulator = ServerProcess("lib.simulator")
    simulator.start()
    ready = simulator.wait(30)
    assert isinstance(ready, Ready)
    yield ready.base_url
    simulator.close()


def asked(url: str, tokens: int, text: str = "?") -> Asked:
    wish = {"simulator": {"ttft_ms": 20, "tok_s": 400, "tokens": tokens, "tokens_per_chunk": 1}}
    backend = Backend("b", "B", url, "gpt-5.6-sol-ultrafast", Origin.SIMULATED, extra_body=wish)
    return Asked(backend, Prompt(text), Params(max_tokens=None), Limits())


def in_lanes(asker: LoopAsker, requests: dict[int, list[Asked]]) -> dict[int, list[ev.Generation]]:
    found: dict[int, list[ev.Generation]] = {}

    def work(lane: int) -> None:
        found[lane] = [asker.ask(lane, one) for one in requests[lane]]

    threads = [threading.Thread(target=work, args=(lane,)) for lane in requests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return found


def test_lanes_at_once_and_one_after_another_lose_and_mix_nothing(url: str) -> None:
    with LoopAsker() as asker:
        wanted = {lane: [asked(url, 10 + lane), asked(url, 30 + lane), asked(url, 3)] for lane in (0, 1, 5, 9)}
        found = in_lanes(asker, wanted)
    for lane, generations in found.items():
        counts = [one.of(ev.Usage)[-1].values["completion_tokens"] for one in generations]
        assert counts == [10 + lane, 30 + lane, 3]
        assert [len(one.of(ev.Delta)) for one in generations] == counts
        times = [event.at_ns for one in generations for event in one.events]
        assert times == sorted(times)


def test_stop_ends_every_request_with_what_had_come(url: str) -> None:
    with LoopAsker() as asker:
        found: dict[int, list[ev.Generation]] = {}
        waiting = {lane: [asked(url, 20_000)] for lane in range(3)}
        thread = threading.Thread(target=lambda: found.update(in_lanes(asker, waiting)))
        thread.start()
        while not all((seen := asker.so_far(lane)) and seen.of(ev.Delta) for lane in range(3)):
            thread.join(0.01)
        asker.stop()
        thread.join(30)
    assert [status_of(one) for lane in range(3) for one in found[lane]] == [ev.Status.STOPPED] * 3
    assert all(found[lane][0].of(ev.Delta) for lane in range(3))


def test_a_collector_that_dies_leaves_an_interrupted_request_and_the_next_one_works(url: str) -> None:
    with LoopAsker() as asker:
        found: list[ev.Generation] = []
        thread = threading.Thread(target=lambda: found.append(asker.ask(0, asked(url, 20_000))))
        thread.start()
        while not ((seen := asker.so_far(0)) and seen.of(ev.Delta)):
            thread.join(0.01)
        assert asker._client.pid is not None
        os.kill(asker._client.pid, signal.SIGKILL)
        thread.join(30)
        assert status_of(found[0]) is ev.Status.INTERRUPTED
        assert found[0].of(ev.Delta)
        assert status_of(asker.ask(0, asked(url, 5))) is ev.Status.COMPLETE


def test_a_whole_loop_through_the_collector_is_a_recording_on_one_clock(url: str) -> None:
    backend = Backend("b", "B", url, "gpt-5.6-sol-ultrafast", Origin.SIMULATED)
    loop = LoopRun(LoopPlan("l", samples()["voice-turn"], (backend, backend)), Access(["", ""], [Limits()] * 2))
    loop.carry_out()
    assert [lane.ended for lane in loop.lanes] == ["complete", "complete"]
    run = run_of(loop)
    assert run is not None
    assert len(run.backends) == 6
    assert [len(steps) for _backend, steps in read_loop(run)] == [3, 3]
    for _backend, steps in read_loop(run):
        firsts = [step.tries[0].events[0].at_ns for step in steps]
        assert firsts == sorted(firsts)
        assert 0 <= firsts[0] < 1_000_000_000
