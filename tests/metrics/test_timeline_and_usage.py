"""Times come from the attempt that answered; usage is one shape whatever the server sent."""

from __future__ import annotations

from typing import Any

import pytest

from lib.domain import events as ev
from lib.metrics.timeline import arrivals, gaps_ms, timeline
from lib.metrics.usage import usage
from tests.metrics.building import MS, at, generation


def test_ttft_counts_from_the_attempt_that_answered_and_the_wait_stands_apart() -> None:
    events = (
        ev.Attempt(0, 1),
        ev.Sent(1 * MS),
        ev.Headers(20 * MS, 429),
        ev.Waiting(20 * MS, 1000.0, "429"),
        ev.Attempt(1020 * MS, 2),
        ev.Sent(1021 * MS),
        ev.Headers(1100 * MS, 200),
        ev.Delta(1321 * MS, ev.Channel.ANSWER, "Slow", 1),
        ev.Done(1400 * MS),
        ev.Ended(1400 * MS, ev.Status.COMPLETE),
    )
    time = timeline(ev.Generation(0, events))
    assert (time.since_sent_ms(time.first_ns), time.waited_ms, time.attempts) == (300, 1000, 2)
    assert time.failed is None


def test_the_first_token_is_of_any_channel_and_the_answer_has_its_own() -> None:
    time = timeline(generation([(200, "Hm", "r"), (1200, "Four", "a"), (1240, ".", "a")]))
    assert [time.since_sent_ms(t) for t in (time.first_ns, time.first_answer_ns, time.last_ns)] == [
        200,
        1200,
        1240,
    ]


def test_a_reply_of_tool_calls_alone_begins_with_their_first_piece() -> None:
    time = timeline(generation([(250, "get_time(", "t"), (300, "{})", "t")]))
    assert time.first_answer_ns is None
    assert time.since_sent_ms(time.answer_begins_ns) == 250


def test_text_of_another_choice_is_not_the_lane() -> None:
    other = ev.Delta(at(210), ev.Channel.ANSWER, "Right", 7, 1)
    time = timeline(generation([(200, "Left")], extra=[other]))
    assert [delta.text for delta in time.chunks] == ["Left"]
    assert time.choices == 2


def test_chunks_of_one_read_are_one_arrival() -> None:
    groups = arrivals(timeline(generation([(10, "a"), (10, "b"), (40, "c")], reads=[1, 1, 2])).chunks)
    assert [group.text for group in groups] == ["ab", "c"]
    assert gaps_ms(groups) == [30]


@pytest.mark.parametrize(
    ("extra", "end_ms"),
    [
        ([ev.Done(at(400)), ev.BodyEnd(at(9000))], 400),
        ([ev.BodyEnd(at(420))], 420),
        ([ev.Failed(at(300), "connection_lost")], 300),
        ([ev.Failed(at(2200), "timeout_stall")], None),
    ],
)
def test_the_end_is_done_or_the_bodys_end_or_the_cut_and_never_our_own_hanging_up(
    extra: list[ev.Event], end_ms: float | None
) -> None:
    time = timeline(generation([(200, "a")], status=ev.Status.ERROR, extra=extra))
    assert time.since_sent_ms(time.end_ns) == end_ms


def test_a_gateways_own_error_page_is_no_reply_that_could_end() -> None:
    page = [ev.Headers(at(30), 502, "text/html"), ev.BodyEnd(at(50)), ev.Failed(at(50), "server_error")]
    time = timeline(generation([], status=ev.Status.ERROR, finish=None, extra=page))
    assert time.end_ns is None


def test_the_name_of_a_tool_call_is_its_first_piece() -> None:
    time = timeline(generation([(300, "{}", "t")], extra=[ev.ToolCall(at(250), 0, "get_time", 0)]))
    assert time.since_sent_ms(time.first_tool_ns) == 250


def _usage(*values: dict[str, Any], has_text: bool = True) -> Any:
    return usage([ev.Usage(index, value, index) for index, value in enumerate(values)], has_text=has_text)


def test_the_last_usage_counts_and_they_are_never_added() -> None:
    found = _usage({"completion_tokens": 3}, {"completion_tokens": 7}, {"completion_tokens": 12})
    assert found.output == 12
    assert found.running == ((0, 3), (1, 7), (2, 12))


def test_null_never_overwrites() -> None:
    assert _usage({"completion_tokens": 7}, {"completion_tokens": None}, {}).output == 7


def test_zeros_beside_text_are_not_reported_and_zeros_without_text_are() -> None:
    zeros = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    assert (_usage(zeros).output, _usage(zeros).prompt) == (None, None)
    assert _usage({"prompt_tokens": 9, "completion_tokens": 0}, has_text=False).output == 0


def test_reasoning_is_inside_completion_unless_the_total_says_otherwise() -> None:
    details = {"completion_tokens_details": {"reasoning_tokens": 400}}
    inside = _usage({"prompt_tokens": 18, "completion_tokens": 412, "total_tokens": 430, **details})
    outside = _usage({"prompt_tokens": 18, "completion_tokens": 12, "total_tokens": 430, **details})
    assert (inside.output, inside.beside_reasoning) == (412, 12)
    assert (outside.output, outside.beside_reasoning) == (412, 12)
    assert (inside.inconsistent, outside.inconsistent) == ("", "")


@pytest.mark.parametrize(
    "values",
    [
        {"completion_tokens": 40, "completion_tokens_details": {"reasoning_tokens": 44}},
        {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 99},
        {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 11}},
    ],
)
def test_counts_that_contradict_each_other_are_said_and_never_negative(values: dict[str, Any]) -> None:
    found = _usage(values)
    assert found.inconsistent
    assert found.beside_reasoning >= 0


def test_a_running_total_that_shrinks_is_said() -> None:
    assert _usage({"completion_tokens": 9}, {"completion_tokens": 4}).inconsistent


def test_usage_under_a_vendors_key_is_found() -> None:
    report = ev.ServerReport(0, {"x_groq": {"usage": {"completion_tokens": 8, "prompt_tokens": 3}}})
    assert usage([report], has_text=True).output == 8


@pytest.mark.parametrize("nonsense", [True, -3, 1.5, float("nan"), float("inf"), "12", [1], {"n": 1}])
def test_a_count_that_is_no_count_is_not_reported(nonsense: object) -> None:
    assert _usage({"completion_tokens": nonsense}).output is None
