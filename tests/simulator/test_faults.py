"""Faults on demand, each as a raw client sees it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lib.simulator.faults import Attempts, Fault, Wish
from lib.tokens import count
from tests.simulator.conftest import Running
from tests.simulator.wire import Exchange, ask


def faulty(simulator: Running, fault: str, limit_s: float = 30.0, **wishes: Any) -> Exchange:
    wishes = {"tokens_per_chunk": 1, **wishes, "fault": fault}
    return ask(simulator.port, max_tokens=60, limit_s=limit_s, simulator=wishes)


def test_rate_limit_is_429_and_says_how_long_to_wait(simulator: Running) -> None:
    got = faulty(simulator, "rate_limit", retry_after_s=1.5)
    assert got.status == 429
    assert (got.headers["retry-after"], got.headers["retry-after-ms"]) == ("2", "1500")
    assert json.loads(got.payload)["error"]["code"] == "rate_limit_exceeded"


def test_server_error_is_500_in_openais_shape(simulator: Running) -> None:
    got = faulty(simulator, "server_error")
    assert (got.status, json.loads(got.payload)["error"]["type"]) == (500, "server_error")


def test_cut_closes_the_connection_without_the_end_of_the_body(simulator: Running) -> None:
    got = faulty(simulator, "cut", after_tokens=7)
    assert (got.status, got.end, count(got.text)) == (200, "closed", 7)
    assert not got.body_is_complete
    assert "[DONE]" not in got.events


def test_reset_ends_in_a_tcp_reset_after_the_tokens(simulator: Running) -> None:
    got = faulty(simulator, "reset", after_tokens=7)
    assert (got.end, count(got.text)) == ("reset", 7)
    assert not got.body_is_complete


def test_stall_falls_silent_and_keeps_the_connection(simulator: Running) -> None:
    got = faulty(simulator, "stall", limit_s=0.5, after_tokens=7)
    assert (got.end, count(got.text)) == ("silent", 7)


def test_a_stall_that_ends_goes_on_with_the_rest(simulator: Running) -> None:
    got = faulty(simulator, "stall", after_tokens=7, stall_s=0.4)
    assert got.body_is_complete
    assert count(got.text) == 60
    assert (
        max(later - earlier for (earlier, _), (later, _) in zip(got.reads, got.reads[1:], strict=False)) > 0.3
    )


def test_slow_headers_hold_back_every_byte(simulator: Running) -> None:
    got = faulty(simulator, "slow_headers", headers_ms=400)
    assert got.reads[0][0] >= 0.4
    assert count(got.text) == 60


def test_malformed_frame_breaks_one_event_and_the_stream_goes_on(simulator: Running) -> None:
    got = faulty(simulator, "malformed_frame", after_tokens=7)
    whole = ask(simulator.port, max_tokens=60, simulator={"tokens_per_chunk": 1})
    broken = [place for place, event in enumerate(got.events) if event != "[DONE]" and not is_json(event)]
    assert broken == [8]  # the role, seven tokens, then this one
    assert got.body_is_complete
    assert len(got.events) == len(whole.events)
    assert got.events[-1] == "[DONE]"


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("fault", ["cut", "reset", "malformed_frame"])
def test_an_answer_in_one_piece_breaks_too(simulator: Running, fault: str) -> None:
    got = ask(simulator.port, stream=False, max_tokens=60, simulator={"fault": fault})
    assert got.status == 200
    assert not is_json(got.payload.decode())
    assert got.end == ("reset" if fault == "reset" else "closed")
    assert got.body_is_complete == (fault == "malformed_frame")


def test_a_suffix_of_the_model_asks_for_a_fault(simulator: Running) -> None:
    got = ask(simulator.port, "gpt-4o-2026+cut", max_tokens=60, simulator={"after_tokens": 3})
    assert (count(got.text), got.body_is_complete) == (3, False)
    assert {chunk["model"] for chunk in got.chunks} == {"gpt-4o-2026+cut"}


def test_cut_before_the_first_token_leaves_no_text(simulator: Running) -> None:
    got = faulty(simulator, "cut", after_tokens=0)
    assert (got.text, got.body_is_complete) == ("", False)


def test_times_lets_the_next_attempt_through_and_starts_over(simulator: Running) -> None:
    statuses = [faulty(simulator, "server_error", times=2, key="k1").status for _ in range(6)]
    assert statuses == [500, 500, 200, 500, 500, 200]


def test_attempts_of_other_keys_are_counted_apart() -> None:
    attempts = Attempts()
    wish = Wish(fault=Fault.CUT, times=1)
    asked = [attempts.fault_of(wish, key) for key in ("a", "b", "a", "b")]
    assert asked == [Fault.CUT, Fault.CUT, None, None]


def test_a_fault_without_times_happens_always() -> None:
    attempts = Attempts()
    assert [attempts.fault_of(Wish(fault=Fault.STALL), "a") for _ in range(3)] == [Fault.STALL] * 3
