"""Runs as viewers see them: a real collector, a real simulator, real routes."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import anyio
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from lib.domain.events import Delta, Ended, Status
from lib.domain.run import Backend, Limits, Mode, Origin, Params, Prices, Prompt, Run
from lib.live.hub import Hub, TooManyRuns
from lib.live.live_run import LiveRun
from lib.live.routes import NO_SUCH_RUN, routes
from lib.metrics.figures import figures_of
from lib.metrics.measurement import measure
from lib.metrics.verdict import result_of
from lib.metrics.warnings import warnings_of
from lib.server_process import Ready, ServerProcess

FAST = {"simulator": {"ttft_ms": 30, "tok_s": 800, "tokens": 120, "tokens_per_chunk": 1}}
SLOW = {"simulator": {"ttft_ms": 30, "tok_s": 20, "tokens": 4000, "tokens_per_chunk": 1}}


@pytest.fixture(scope="module")
def simulator() -> Iterator[str]:
    process = ServerProcess("lib.simulator")
    process.start()
    state = process.wait(30)
    assert isinstance(state, Ready)
    yield state.base_url
    process.close()


def new_hub(**options: Any) -> Hub:
    return Hub(
        lambda run, lane, speed: figures_of(run.generations[lane], run.backends[lane], speed),
        result_of,
        **options,
    )


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    made = new_hub()
    made.collector.start()
    yield made
    made.close()


@pytest.fixture
def race(hub: Hub, simulator: str, request: pytest.FixtureRequest) -> Callable[..., LiveRun]:
    def start(*bodies: dict[str, Any], on: Hub = hub) -> LiveRun:
        backends = tuple(
            Backend(
                f"b{n}", f"Lane {n}", simulator, "gpt-5.6-sol-ultrafast", Origin.SIMULATED, extra_body=body
            )
            for n, body in enumerate(bodies)
        )
        name = f"{request.node.name}-{len(on._runs)}"
        run = Run(name, Prompt("Say something."), Params(max_tokens=4000), Mode.ALL_AT_ONCE, backends)
        return on.start(run, {0: "sk-secret-of-the-visitor"}, dict.fromkeys(range(len(bodies)), Limits()))

    return start


def until(
    live: LiveRun, holds: Callable[[dict[str, Any]], bool], limit_s: float = 30.0
) -> list[dict[str, Any]]:
    """Follow like a viewer until a message holds; all messages so far."""
    bell = threading.Event()
    live.watch(bell.set)
    try:
        while True:
            messages = [json.loads(message) for message in tuple(live.messages)]
            if any(holds(message) for message in messages):
                return messages
            assert bell.wait(limit_s), "no such message"
            bell.clear()
    finally:
        live.unwatch(bell.set)


def has_result(message: dict[str, Any]) -> bool:
    return "result" in message


def text_of(messages: list[dict[str, Any]], lane: int) -> str:
    return "".join(
        "".join(entry[2][1::2])
        for message in messages
        for entry in message.get("d", ())
        if entry[:2] == [lane, "a"]
    )


def test_what_viewers_get_is_what_was_recorded(race: Callable[..., LiveRun]) -> None:
    live = race(FAST, FAST)
    messages = until(live, has_result)
    recorded = live.recorded()
    for lane, generation in enumerate(recorded.generations):
        assert text_of(messages, lane) == "".join(delta.text for delta in generation.of(Delta))
        assert generation.last(Ended) == generation.events[-1]
    assert messages[0]["run"]["lanes"][1]["name"] == "Lane 1"
    assert [entry[0] for message in messages for entry in message.get("f", ())] in ([0, 1], [1, 0])
    assert recorded.clock_health_ms is not None


def test_the_key_is_in_no_message_and_in_no_row(race: Callable[..., LiveRun]) -> None:
    live = race(FAST)
    messages = until(live, has_result)
    assert "sk-secret" not in json.dumps(messages) + json.dumps(live.lane_rows())


def test_a_viewer_who_comes_back_loses_and_doubles_nothing(hub: Hub, race: Callable[..., LiveRun]) -> None:
    live = race(FAST)
    until(live, has_result)
    with TestClient(Starlette(routes=routes(lambda: hub))) as client:
        path = f"/race/ws/{live.run.id}"
        with client.websocket_connect(path) as socket:
            first = [socket.receive_text() for _ in range(3)]
        with client.websocket_connect(f"{path}?from=3") as socket:
            rest = [socket.receive_text() for _ in range(len(live.messages) - 3)]
    assert first + rest == live.messages


def test_server_sent_events_carry_the_same_messages(hub: Hub, race: Callable[..., LiveRun]) -> None:
    live = race(FAST)
    until(live, has_result)
    collected: list[str] = []

    async def drive() -> None:
        from_three = {"type": "http", "method": "GET", "path": f"/race/sse/{live.run.id}", "query_string": b"from=3",
                      "headers": [], "http_version": "1.1", "scheme": "http", "server": ("x", 80)}  # fmt: skip
        app = Starlette(routes=routes(lambda: hub))

        async def receive() -> dict[str, Any]:
            await anyio.sleep_forever()
            raise AssertionError

        async def send(message: Any) -> None:
            collected.append(message.get("body", b"").decode())
            if "".join(collected).count("data: ") == len(live.messages) - 3:
                scope.cancel()

        with anyio.move_on_after(10) as scope:
            await app(from_three, receive, send)

    anyio.run(drive)
    lines = "".join(collected).split("\n")
    assert [line[6:] for line in lines if line.startswith("data: ")] == live.messages[3:]
    assert next(line for line in lines if line.startswith("id: ")) == "id: 3"


def test_another_site_cannot_follow_and_an_unknown_run_is_told(
    hub: Hub, race: Callable[..., LiveRun]
) -> None:
    live = race(FAST)
    with TestClient(Starlette(routes=routes(lambda: hub))) as client:
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect(
                f"/race/ws/{live.run.id}", headers={"origin": "https://elsewhere.example"}
            ),
        ):
            pass
        with (
            client.websocket_connect("/race/ws/unknown") as socket,
            pytest.raises(WebSocketDisconnect) as told,
        ):
            socket.receive_text()
        assert told.value.code == NO_SUCH_RUN
        assert client.get("/race/sse/unknown").status_code == 404
    until(live, has_result)


def test_stop_ends_one_lane_and_leaves_the_other(hub: Hub, race: Callable[..., LiveRun]) -> None:
    live = race(SLOW, FAST)
    until(live, lambda message: any(entry[0] == 0 for entry in message.get("d", ())))
    hub.stop(live.run.id, 0)
    until(live, has_result)
    assert [generation.events[-1].status for generation in live.recorded().generations] == [
        Status.STOPPED,
        Status.COMPLETE,
    ]
    assert live.recorded().generations[0].of(Delta)


def test_a_retried_lane_begins_anew_and_the_run_ends_again(hub: Hub, race: Callable[..., LiveRun]) -> None:
    live = race({"simulator": {"fault": "server_error"}}, FAST)
    until(live, has_result)
    hub.retry(live.run.id, 0, "", Limits())
    seen = len(live.messages)
    until(live, lambda _: sum("result" in message for message in map(json.loads, live.messages)) == 2)
    events = [entry[2] for message in map(json.loads, live.messages[seen:]) for entry in message.get("e", ())]
    assert "restart" in events
    assert len(live.lane_rows()[0]) > len(live.recorded().generations[0].events)


def test_a_run_nobody_watches_is_stopped(simulator: str, race: Callable[..., LiveRun]) -> None:
    hub = new_hub(grace_s=0.3)
    try:
        live = race(SLOW, on=hub)
        until(live, lambda message: "d" in message)
        assert wait_for(lambda: live.ended)
        assert live.recorded().generations[0].events[-1].status is Status.STOPPED
    finally:
        hub.close()


def test_lanes_of_a_killed_collector_are_interrupted_and_the_next_race_runs(
    race: Callable[..., LiveRun],
) -> None:
    hub = new_hub()
    try:
        live = race(SLOW, SLOW, on=hub)
        until(live, lambda message: "d" in message)
        assert hub.collector.pid is not None
        os.kill(hub.collector.pid, signal.SIGKILL)
        messages = until(live, has_result)
        assert [g.events[-1].status for g in live.recorded().generations] == [Status.INTERRUPTED] * 2
        assert any(entry[2] == "error" and entry[3]["title"] for m in messages for entry in m.get("e", ()))
        assert text_of(messages, 0) == "".join(d.text for d in live.recorded().generations[0].of(Delta))
        again = race(FAST, on=hub)
        until(again, has_result)
        assert again.recorded().generations[0].events[-1].status is Status.COMPLETE
    finally:
        hub.close()


def test_a_spend_cap_stops_the_paid_lanes_and_says_why(hub: Hub, simulator: str) -> None:
    prices = Prices(Decimal(1), Decimal(1000))
    paid = Backend("paid", "Paid", simulator, "gpt-5.6-sol-ultrafast", Origin.LIVE, prices=prices, extra_body=SLOW)
    free = Backend("free", "Free", simulator, "gpt-5.6-sol-ultrafast", Origin.SIMULATED, extra_body=FAST)
    run = Run("capped", Prompt("Say something."), Params(max_tokens=4000), Mode.ALL_AT_ONCE, (paid, free))
    live = hub.start(run, {}, {0: Limits(), 1: Limits()}, cap=Decimal("0.01"))
    messages = until(live, has_result)
    told = [entry for message in messages for entry in message.get("e", ()) if entry[2] == "warning"]
    assert [(lane, *rest) for lane, _at, *rest in told] == [(0, "warning", "spend_cap", "0.01")]
    capped, finished = live.recorded().generations
    assert capped.events[-1].status is Status.STOPPED
    assert [code for code, _ in warnings_of(measure(capped, paid))] == ["usage_estimated", "spend_cap"]
    assert finished.events[-1].status is Status.COMPLETE


def test_a_full_server_says_so(simulator: str, race: Callable[..., LiveRun]) -> None:
    hub = new_hub(most=1)
    try:
        live = race(SLOW, on=hub)
        with pytest.raises(TooManyRuns, match="1 races"):
            race(SLOW, on=hub)
        hub.stop(live.run.id)
        until(live, has_result)
    finally:
        hub.close()


def wait_for(holds: Callable[[], bool], limit_s: float = 20.0) -> bool:
    """Look again and again until it holds, at most so long."""
    tick = threading.Event()
    for _ in range(int(limit_s / 0.02)):
        if holds():
            return True
        tick.wait(0.02)
    return False
