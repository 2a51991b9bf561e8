"""The live llama.cpp server in trouble: stopped, killed, overfull, loading, queueing, left alone in its prefill.

Skipped by nobody: where a platform has no engine there is no such server, and what must hold then is in
`test_local_model.py`.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import orjson
import pytest

from lib.collector.single import Measurer
from lib.domain import events as ev
from lib.domain.run import Backend, Limits, Params, Prompt
from lib.local_model import weights
from lib.local_model.variants import CROWD
from lib.metrics.keys import measure_keys
from lib.server_process import Ready, ServerProcess

PATIENCE_S = 120.0
LIMITS = Limits(connect_s=20.0, first_token_s=PATIENCE_S, stall_s=PATIENCE_S, total_s=None)
STORY = "Write a very long story about the sea."


class Watching(Measurer):
    """A measurer that tells when text has come, so that a test can act in the middle of a stream."""

    def __init__(self) -> None:
        super().__init__()
        self.text_came = threading.Event()

    def on_rows(self, run_id: str, rows: bytes) -> None:
        super().on_rows(run_id, rows)
        if any(row[1] == "a" for _lane, lane_rows in orjson.loads(rows) for row in lane_rows):
            self.text_came.set()


@dataclass(frozen=True)
class Told:
    generation: ev.Generation
    keys: dict[str, Any]


def ask(
    measurer: Measurer, base_url: str, prompt: str = "Hello.", max_tokens: int = 8, limits: Limits = LIMITS
) -> Told:
    """One request that always brings `max_tokens` tokens unless something goes wrong."""
    extra = {"ignore_eos": True, "cache_prompt": False}
    backend = Backend("local", "local", base_url, weights.MODEL, extra_body=extra)
    params = Params(max_tokens=max_tokens, temperature=0.0)
    generation = measurer.generation(backend, "", Prompt(prompt), params, limits)
    return Told(generation, measure_keys(generation, backend))


def outcome(told: Told) -> tuple[str, str | None]:
    return told.keys["status"], told.keys["error_kind"]


def wait_until(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.01)


def ready_of(model: ServerProcess) -> Ready:
    model.start()
    state = model.wait(PATIENCE_S)
    assert isinstance(state, Ready), state
    return state


if weights.unavailable_reason() is None:

    @pytest.fixture(scope="module")
    def server() -> Iterator[Ready]:
        model = ServerProcess("lib.local_model", absence=weights.unavailable_reason)
        yield ready_of(model)
        model.close()

    @pytest.fixture
    def measurer() -> Iterator[Watching]:
        with Watching() as measurer:
            yield measurer

    @pytest.fixture
    def beside() -> Iterator[ThreadPoolExecutor]:
        with ThreadPoolExecutor(4) as threads:
            yield threads

    def in_mid_stream(
        measurer: Watching, beside: ThreadPoolExecutor, base_url: str, limits: Limits = LIMITS
    ) -> Future[Told]:
        """A request that runs beside the test and has brought text already."""
        asked = beside.submit(ask, measurer, base_url, STORY, 2000, limits)
        assert measurer.text_came.wait(PATIENCE_S)
        return asked

    def test_a_server_that_is_stopped_in_mid_stream_is_a_stall_and_lives_on_when_continued(
        server: Ready, measurer: Watching, beside: ThreadPoolExecutor
    ) -> None:
        asked = in_mid_stream(
            measurer, beside, server.base_url, Limits(first_token_s=PATIENCE_S, stall_s=1.0)
        )
        os.kill(server.pid, signal.SIGSTOP)
        try:
            told = asked.result(PATIENCE_S)
        finally:
            os.kill(server.pid, signal.SIGCONT)
        assert outcome(told) == ("error", "timeout_stall")
        assert told.keys["text"]
        assert told.keys["ttft_ms"] is not None
        assert told.keys["output_tokens_source"] == "tokenizer"
        assert outcome(ask(measurer, server.base_url)) == ("complete", None)

    def test_a_server_killed_in_mid_stream_leaves_its_text_and_is_started_anew(
        measurer: Watching, beside: ThreadPoolExecutor
    ) -> None:
        model = ServerProcess("lib.local_model", absence=weights.unavailable_reason)
        first = ready_of(model)
        asked = in_mid_stream(measurer, beside, first.base_url)
        os.kill(first.pid, signal.SIGKILL)
        told = asked.result(PATIENCE_S)
        assert outcome(told) == ("error", "connection_lost")
        assert told.keys["text"]
        assert told.keys["error_message"]
        assert told.keys["output_tokens"] > 0
        wait_until(lambda: not isinstance(model.state, Ready))
        gone = ask(measurer, first.base_url)
        assert outcome(gone) == ("error", "connect")
        second = ready_of(model)
        again = ask(measurer, second.base_url)
        model.close()
        assert second.pid != first.pid
        assert outcome(again) == ("complete", None)

    def test_a_prompt_beyond_the_context_is_refused_in_the_servers_words(
        server: Ready, measurer: Watching
    ) -> None:
        told = ask(measurer, server.base_url, "sea " * 5000)
        assert outcome(told) == ("error", "bad_request")
        assert told.keys["http_status"] == 400
        assert "exceeds the available context size" in told.keys["error_message"]
        assert told.keys["attempts"] == 1

    def test_while_it_loads_every_request_is_answered_in_words_until_it_is_answered(
        measurer: Watching,
    ) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        model = ServerProcess("lib.local_model", "--port", str(port), absence=weights.unavailable_reason)
        model.start()
        told: list[Told] = []

        def answered() -> bool:
            told.append(ask(measurer, f"http://127.0.0.1:{port}/v1"))
            return told[-1].keys["status"] == "complete"

        wait_until(answered)
        model.close()
        for one in told[:-1]:
            assert outcome(one) in {
                ("error", "connect"),
                ("error", "server_error"),
                ("error", "connection_lost"),
            }
            assert one.keys["error_message"]
            assert one.keys["http_status"] in (None, 503)
        assert told[-1].keys["output_tokens"] == 8

    def test_requests_beyond_the_slots_wait_their_turn_and_lose_nothing(
        server: Ready, measurer: Watching, beside: ThreadPoolExecutor
    ) -> None:
        asked = [beside.submit(ask, measurer, server.base_url, STORY, 100) for _ in range(4)]
        told = [one.result(PATIENCE_S) for one in asked]
        assert [outcome(one) for one in told] == [("complete", None)] * 4
        assert [one.keys["output_tokens"] for one in told] == [100] * 4
        assert len({one.keys["text"] for one in told}) == 1
        for one in told:
            (sent,), (headers,) = one.generation.of(ev.Sent), one.generation.of(ev.Headers)
            first = one.generation.of(ev.Delta)[0]
            assert sent.at_ns <= headers.at_ns <= first.at_ns
            assert one.keys["ttft_ms"] == pytest.approx((first.at_ns - sent.at_ns) / 1e6, abs=0.01)
        by_turn = sorted(told, key=lambda one: float(one.keys["ttft_ms"]))
        whole_answer_ms = by_turn[0].keys["last_token_ms"] - by_turn[0].keys["ttft_ms"]
        assert by_turn[2].keys["ttft_ms"] > by_turn[0].keys["ttft_ms"] + whole_answer_ms / 2

    def test_the_form_for_a_crowd_answers_all_at_once(measurer: Watching, beside: ThreadPoolExecutor) -> None:
        model = ServerProcess("lib.local_model", "--variant", CROWD, absence=weights.unavailable_reason)
        url = ready_of(model).base_url
        asked = [beside.submit(ask, measurer, url, STORY, 60) for _ in range(4)]
        told = [one.result(PATIENCE_S) for one in asked]
        model.close()
        assert [outcome(one) for one in told] == [("complete", None)] * 4
        assert max(one.keys["ttft_ms"] for one in told) < min(one.keys["last_token_ms"] for one in told)

    def test_a_lane_stopped_during_the_prefill_ends_at_once_whenever_the_server_notices(
        server: Ready, measurer: Watching
    ) -> None:
        stop_after_s = 0.3
        limits = Limits(first_token_s=PATIENCE_S, stop_after_s=stop_after_s)
        told = [ask(measurer, server.base_url, f"{number} " + "sea " * 800, 8, limits) for number in range(3)]
        assert [one.keys["status"] for one in told] == ["stopped"] * 3
        assert [one.keys["text"] for one in told] == [""] * 3
        late_ms = [one.keys["elapsed_ms"] - 1000 * stop_after_s for one in told]
        assert min(late_ms) < 150
        assert outcome(ask(measurer, server.base_url)) == ("complete", None)
