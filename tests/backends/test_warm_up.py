"""A warm-up: what it does to the backend, and that the race afterwards finds an open connection."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import orjson
import pytest

from lib.collector.client import CollectorClient
from lib.domain.codec import decode_rows
from lib.domain.events import Connected, Status
from lib.domain.run import Backend, Limits, Mode, Params, Prompt, Run, WarmUp
from tests.backends.small_server import Handler, counting, models, serving

KEY = "sk-warm-0123456789"
ROUTES = {"GET /v1/models": models("m"), "POST /v1/chat/completions": counting}
LIMITS = Limits(connect_s=2, first_token_s=5, total_s=10)


class Sink:
    """Keeps the rows of a run and says when it has ended."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self.ended = threading.Event()

    def on_rows(self, _run_id: str, rows: bytes) -> None:
        self.rows += [row for _, lane in orjson.loads(rows) for row in lane]

    def on_end(self, _run_id: str, _health: dict[str, Any]) -> None:
        self.ended.set()

    def on_died(self, _run_ids: list[str]) -> None:
        self.ended.set()

    def __getattr__(self, _name: str) -> Any:
        return lambda *_: None


@pytest.fixture(autouse=True)
def kept_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Handler, "protocol_version", "HTTP/1.1")


@pytest.fixture
def sink() -> Sink:
    return Sink()


@pytest.fixture
def client(sink: Sink) -> Iterator[CollectorClient]:
    running = CollectorClient(sink)
    yield running
    running.close()


def a_run(base_url: str, lanes: int = 1) -> Run:
    backends = tuple(Backend(str(lane), "b", base_url, "m") for lane in range(lanes))
    return Run("warm", Prompt("x"), Params(max_tokens=64), Mode.BY_BACKEND, backends)


def test_an_opened_connection_is_there_for_the_race(client: CollectorClient, sink: Sink) -> None:
    with serving(ROUTES) as server:
        run = a_run(server.base_url)
        (warmed,) = client.warm(run, {0: KEY}, LIMITS, {0: WarmUp.CONNECTION})
        assert (warmed.lane, warmed.error) == (0, "")
        assert warmed.setup_ms is not None
        assert warmed.setup_ms > 0
        client.start_run(run, {0: KEY}, LIMITS)
        assert sink.ended.wait(20)
    generation = decode_rows(0, sink.rows)[-1]
    assert [connected.setup_ms for connected in generation.of(Connected)] == [None]
    assert [(one.method, one.path) for one in server.asked] == [
        ("GET", "/v1/models"), ("POST", "/v1/chat/completions")]  # fmt: skip


def test_a_discarded_request_asks_for_one_token_and_leaves_nothing(
    client: CollectorClient, sink: Sink
) -> None:
    with serving(ROUTES) as server:
        (warmed,) = client.warm(a_run(server.base_url), {0: KEY}, LIMITS, {0: WarmUp.REQUEST})
    assert warmed.error == ""
    assert [one.body["max_tokens"] for one in server.asked] == [1]
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert sink.rows == []


def test_lanes_without_a_warm_up_are_left_alone(client: CollectorClient) -> None:
    with serving(ROUTES) as server:
        run = a_run(server.base_url, 3)
        assert client.warm(run, {}, LIMITS, {0: WarmUp.NONE, 2: WarmUp.NONE}) == ()
        warmed = client.warm(run, {}, LIMITS, {0: WarmUp.NONE, 2: WarmUp.CONNECTION})
    assert [each.lane for each in warmed] == [2]
    assert len(server.asked) == 1


def test_a_server_without_a_list_of_models_is_warm_all_the_same(client: CollectorClient) -> None:
    with serving({}) as server:
        (warmed,) = client.warm(a_run(server.base_url), {}, LIMITS, {0: WarmUp.CONNECTION})
    assert warmed.error == ""


@pytest.mark.parametrize("kind", [WarmUp.CONNECTION, WarmUp.REQUEST])
def test_what_cannot_be_warmed_says_why_and_hinders_nothing(client: CollectorClient, kind: WarmUp) -> None:
    with serving({}) as server:
        gone = server.base_url
    (warmed,) = client.warm(a_run(gone), {}, LIMITS, {0: kind})
    assert "nothing listens" in warmed.error


def test_a_strangers_address_is_not_warmed(client: CollectorClient) -> None:
    with serving(ROUTES) as server:
        limits = replace(LIMITS, allowed_hosts=())
        (warmed,) = client.warm(a_run(server.base_url), {}, limits, {0: WarmUp.CONNECTION})
    assert "only public addresses" in warmed.error
    assert server.asked == []


def test_the_race_that_follows_completes(client: CollectorClient, sink: Sink) -> None:
    with serving(ROUTES) as server:
        run = a_run(server.base_url)
        client.warm(run, {}, LIMITS, {0: WarmUp.REQUEST})
        client.start_run(run, {}, LIMITS)
        assert sink.ended.wait(20)
    assert decode_rows(0, sink.rows)[-1].events[-1].status is Status.COMPLETE  # type: ignore[union-attr]
