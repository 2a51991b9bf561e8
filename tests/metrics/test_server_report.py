"""The server's own timings, as real servers sent them; absent where a server says nothing."""

from __future__ import annotations

import pytest

from lib.domain import events as ev
from lib.metrics.server_report import GROQ, LLAMA_CPP, ServerTimings, server_timings
from tests.contract.recorded import CHATS


def generation(*events: ev.Event) -> ev.Generation:
    return ev.Generation(0, events)


def recorded(name: str) -> ServerTimings:
    found = server_timings(generation(*(ev.ServerReport(1, values) for values in CHATS[name].timings)))
    assert found is not None
    return found


def test_a_plain_answer_of_llama_cpp() -> None:
    assert recorded("llamacpp-smollm2-english") == ServerTimings(
        LLAMA_CPP, prefill_ms=212.849, prefill_tokens=41, cached_tokens=0, decode_ms=820.661,
        decode_tps=91.3897455831336, predicted_n=76,
    )  # fmt: skip


def test_its_rate_is_that_of_the_tokens_after_the_first() -> None:
    told = recorded("llamacpp-smollm2-english")
    assert told.decode_tps == pytest.approx((76 - 1) * 1000 / 820.661)


def test_guessed_tokens_and_the_share_that_was_kept() -> None:
    told = recorded("llamacpp-smol-f32-ngram-copy1")
    assert (told.draft_n, told.draft_n_accepted) == (67, 59)
    assert told.acceptance == pytest.approx(59 / 67)
    assert recorded("llamacpp-smol-f32-copy1").acceptance is None


def test_a_cached_prompt_is_told_apart_from_what_was_computed() -> None:
    told = recorded("llamacpp-smollm2-english-again-cached")
    assert (told.prefill_tokens, told.cached_tokens) == (1, 40)
    assert told.prefill_tps == pytest.approx(1000 / 9.168)


def test_one_token_has_no_rate() -> None:
    told = recorded("llamacpp-smollm2-maxtokens1")
    assert (told.predicted_n, told.decode_tps) == (1, None)


def test_the_last_of_several_reports_counts() -> None:
    first, last = ({"prompt_ms": 1.0, "predicted_n": n, "predicted_ms": 10.0} for n in (1, 9))
    found = server_timings(generation(ev.ServerReport(1, first), ev.ServerReport(2, last)))
    assert found is not None
    assert found.predicted_n == 9


def test_groq_tells_seconds_inside_its_usage() -> None:
    usage = {
        "queue_time": 0.037, "prompt_tokens": 18, "prompt_time": 0.0007, "completion_tokens": 556,
        "completion_time": 0.5, "total_tokens": 574, "total_time": 0.5007,
    }  # fmt: skip
    found = server_timings(generation(ev.Usage(1, usage, 0)))
    assert found == ServerTimings(
        GROQ, prefill_ms=pytest.approx(0.7), prefill_tokens=18, decode_ms=500.0, decode_tps=1112.0,
        predicted_n=556, queue_ms=pytest.approx(37.0),
    )  # fmt: skip


@pytest.mark.parametrize(
    "events",
    [
        (),
        (ev.Usage(1, {"prompt_tokens": 4, "completion_tokens": 2}, 0),),
        (ev.ServerReport(1, {"usage": {"completion_tokens": 2}}),),
    ],
)
def test_a_server_that_says_nothing_of_it_has_no_timings(events: tuple[ev.Event, ...]) -> None:
    assert server_timings(generation(*events)) is None


@pytest.mark.parametrize("odd", [None, "12", True, -1.0, float("inf"), float("nan"), [1]])
def test_what_is_no_number_is_absent(odd: object) -> None:
    found = server_timings(generation(ev.ServerReport(1, {"prompt_ms": odd, "predicted_per_second": odd})))
    assert found == ServerTimings(LLAMA_CPP)
