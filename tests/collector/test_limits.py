"""Limits hold whatever keeps the connection busy, count from the right moment, and leave nothing behind."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from lib.collector.connection import Network, now_ns
from lib.collector.lane import Lane
from lib.collector.order import order_for
from lib.collector.single import Measurer
from lib.domain import events as ev
from lib.domain.run import Backend, Limits, Params, Prompt
from tests.collector.measuring import LIMITS, Told, ask
from tests.collector.wire_server import DONE, Reply, Request, Wire, finished, said, serving

EARLY_MS = 10.0  # a timer of the event loop counts in whole milliseconds
OVERDUE_MS = 3000.0  # how late a limit may strike on a busy machine
PATIENCE_S = 10.0
BEAT_S = 0.02


@pytest.fixture(scope="module")
def measurer() -> Iterator[Measurer]:
    with Measurer() as measurer:
        yield measurer


def silent(_request: Request, wire: Wire) -> None:
    wire.wait_for_close()


def beating(_request: Request, wire: Wire) -> None:
    wire.head()
    wire.keep_saying(": beat\n\n", BEAT_S)


def text_then_beats(_request: Request, wire: Wire) -> None:
    wire.head()
    wire.send(said("Sea "), said("and "))
    wire.keep_saying(": beat\n\n", BEAT_S)


def text_then_role_frames(_request: Request, wire: Wire) -> None:
    wire.head()
    wire.send(said("Sea "), said("and "))
    wire.keep_saying('data: {"choices": [{"index": 0, "delta": {"content": ""}}]}\n\n', BEAT_S)


def endless(_request: Request, wire: Wire) -> None:
    wire.head()
    wire.keep_saying(said("and on "), BEAT_S)


def finished_then_silent(_request: Request, wire: Wire) -> None:
    wire.head()
    wire.send(said("Sea."), finished())
    wire.wait_for_close()


@contextmanager
def nobody_accepts() -> Iterator[str]:
    """The base URL of a socket that listens and whose backlog is full: a further connection gets no answer."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        port = listener.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
        try:
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            for one in waiting:
                one.close()


def told_of(measurer: Measurer, reply: Reply, **limits: Any) -> Told:
    with serving(reply) as server:
        return ask(measurer, server.base_url, replace(LIMITS, **limits))


@pytest.mark.parametrize("reply", [text_then_beats, text_then_role_frames])
def test_the_stall_limit_passes_though_the_connection_is_kept_busy(measurer: Measurer, reply: Reply) -> None:
    told = told_of(measurer, reply, stall_s=0.3)
    assert told.outcome == ("error", "timeout_stall")
    assert told["text"] == "Sea and "
    assert told["error_message"] == "The limit is 0.3 s."
    quiet_ms = told["elapsed_ms"] - told["last_token_ms"]
    assert 300 - EARLY_MS <= quiet_ms <= 300 + OVERDUE_MS


@pytest.mark.parametrize("reply", [silent, beating])
def test_the_first_token_limit_passes_before_and_after_the_headers(measurer: Measurer, reply: Reply) -> None:
    told = told_of(measurer, reply, first_token_s=0.3, stall_s=0.1)
    assert told.outcome == ("error", "timeout_first_token")
    assert told["ttft_ms"] is None
    assert 300 - EARLY_MS <= told["elapsed_ms"] <= 300 + OVERDUE_MS


@pytest.mark.parametrize(("reply", "has_text"), [(endless, True), (beating, False), (silent, False)])
def test_the_total_limit_passes_whatever_comes(measurer: Measurer, reply: Reply, has_text: bool) -> None:
    told = told_of(measurer, reply, total_s=0.4)
    assert told.outcome == ("error", "timeout_total")
    assert bool(told["text"]) == has_text


def test_no_limit_at_all_waits_for_the_end(measurer: Measurer) -> None:
    def reply(_request: Request, wire: Wire) -> None:
        wire.head()
        wire.send(said("Sea."), finished(), DONE)

    told = told_of(measurer, reply, connect_s=None, first_token_s=None, stall_s=None, total_s=None)
    assert told.outcome == ("complete", None)


def test_the_first_token_limit_counts_from_the_attempt_not_from_the_one_that_was_refused(
    measurer: Measurer,
) -> None:
    def reply(request: Request, wire: Wire) -> None:
        if request.connection == 0:
            wire.head("429 Later", retry_after_ms="700", content_length="0")
        else:
            wire.head()
            wire.send(said("Sea."), finished(), DONE)

    told = told_of(measurer, reply, first_token_s=0.5)
    assert told.outcome == ("complete", None)
    assert told["attempts"] == 2
    assert told["waited_ms"] == 700


def test_an_answer_that_is_finished_does_not_fail_because_the_connection_stays_open(
    measurer: Measurer,
) -> None:
    told = told_of(measurer, finished_then_silent, stall_s=0.3)
    assert told.outcome == ("complete", None)
    assert (told["text"], told["finish_reason"]) == ("Sea.", "stop")


def test_usage_in_every_frame_does_not_make_half_an_answer_whole(measurer: Measurer) -> None:
    def reply(_request: Request, wire: Wire) -> None:
        wire.head()
        frame = said("Sea ").replace(
            '{"choices"', '{"usage": {"completion_tokens": 1, "prompt_tokens": 2}, "choices"'
        )
        wire.send(frame)
        wire.wait_for_close()

    assert told_of(measurer, reply, stall_s=0.3).outcome == ("error", "timeout_stall")


def test_an_address_that_takes_no_connection_ends_at_the_connect_limit(measurer: Measurer) -> None:
    with nobody_accepts() as base_url:
        told = ask(measurer, base_url, replace(LIMITS, connect_s=0.3))
    assert told.outcome == ("error", "connect")
    assert told["error_message"] == "No answer from the address within the connect limit."
    assert told.generation.of(ev.Sent) == ()
    assert told.generation.events[-1].at_ns / 1e6 <= 300 + OVERDUE_MS


def test_stop_while_the_connection_is_being_made_ends_the_lane(measurer: Measurer) -> None:
    with nobody_accepts() as base_url:
        assert _cut_in_process(base_url, lambda rows: bool(rows)) == ("stopped", [], [])


@pytest.mark.parametrize(
    ("reply", "phase"),
    [(silent, "sent"), (beating, "headers"), (endless, "a"), (text_then_beats, "a")],
)
def test_a_stopped_lane_leaves_no_task_and_no_timer(reply: Reply, phase: str) -> None:
    with serving(reply) as server:
        ended = _cut_in_process(server.base_url, lambda rows: any(row[1] == phase for row in rows))
    assert ended == ("stopped", [], [])


def test_a_lane_stopped_while_it_waits_for_its_second_attempt_leaves_nothing() -> None:
    with serving(lambda _r, wire: wire.head("429 Later", retry_after="20", content_length="0")) as server:
        ended = _cut_in_process(server.base_url, lambda rows: any(row[1] == "wait" for row in rows))
    assert ended == ("stopped", [], [])


def test_lanes_that_were_cut_leave_no_socket_in_the_collector(measurer: Measurer) -> None:
    told_of(measurer, endless, stop_after_s=0.05)
    before = _sockets(measurer)
    for reply, limit in ((silent, "stop_after_s"), (silent, "first_token_s"), (beating, "first_token_s"),
                         (beating, "total_s"), (endless, "total_s"), (endless, "stop_after_s"),
                         (text_then_beats, "stall_s")):  # fmt: skip
        assert told_of(measurer, reply, **{limit: 0.05})["status"] in ("stopped", "error")
    with nobody_accepts() as base_url:
        ask(measurer, base_url, replace(LIMITS, connect_s=0.05))
    _wait_until(lambda: _sockets(measurer) <= before)


def test_every_server_of_a_cut_lane_sees_the_connection_close(measurer: Measurer) -> None:
    closed: list[bool] = []

    def reply(_request: Request, wire: Wire) -> None:
        wire.head()
        wire.send(said("Sea "))
        closed.append(wire.wait_for_close())

    for limits in ({"stop_after_s": 0.1}, {"total_s": 0.1}, {"stall_s": 0.1}):
        told_of(measurer, reply, **limits)
    assert closed == [True, True, True]


class _WatchedLoop(asyncio.SelectorEventLoop):
    """Remembers every timer that was set, with what it was to call."""

    def __init__(self) -> None:
        super().__init__()
        self.timers: list[tuple[asyncio.TimerHandle, Any]] = []

    def call_at(self, when: float, callback: Any, *args: Any, **more: Any) -> asyncio.TimerHandle:
        handle = super().call_at(when, callback, *args, **more)
        self.timers.append((handle, callback))
        return handle


def _cut_in_process(base_url: str, reached: Callable[[list[Any]], bool]) -> tuple[str, list[str], list[str]]:
    """(status, tasks left, timers of the lane left) of a lane that is stopped when its rows are as `reached` says."""
    with asyncio.Runner(loop_factory=_WatchedLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, _WatchedLoop)
        status, tasks = runner.run(_stopped_lane(base_url, reached))
        left = [
            callback.__qualname__
            for handle, callback in loop.timers
            if "Lane." in getattr(callback, "__qualname__", "")
            and not handle.cancelled()
            and handle.when() > loop.time()
        ]
    return status, tasks, left


async def _stopped_lane(base_url: str, reached: Callable[[list[Any]], bool]) -> tuple[str, list[str]]:
    network = Network()
    limits = Limits(connect_s=30, first_token_s=30, stall_s=30, total_s=30, max_wait_s=30)
    backend = Backend("b", "b", base_url, "m")
    lane = Lane(order_for(0, backend, Prompt("Speak."), Params(), limits, "q"), now_ns(), network, {})

    async def in_turn() -> None:
        assert await lane.turn(asyncio.Lock())
        await lane.run()

    task = asyncio.create_task(in_turn())
    async with asyncio.timeout(PATIENCE_S):
        while not reached(lane.rows):  # noqa: ASYNC110 (a lane tells nobody of its rows: they are taken)
            await asyncio.sleep(0)
        lane.stop()
        await task
    await network.close()
    others = [one.get_name() for one in asyncio.all_tasks() - {asyncio.current_task()}]
    return lane.rows[-1][2], others


def _sockets(measurer: Measurer) -> int:
    folder = f"/proc/{measurer.pid}/fd"
    links = []
    for name in os.listdir(folder):
        try:
            links.append(os.readlink(f"{folder}/{name}"))
        except FileNotFoundError:
            continue
    return sum(link.startswith("socket:") for link in links)


def _wait_until(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.01)
