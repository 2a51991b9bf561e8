"""Rates match their tokens to their time, and give a reason where they cannot."""

from __future__ import annotations

import pytest

from lib.domain import events as ev
from lib.metrics import rates
from lib.metrics.measurement import measure
from lib.metrics.quantity import ESTIMATED, SHORT_SAMPLE, Quantity, Unavailable, number
from tests.metrics.building import ANSWER_WORDS, at, backend, generation, steady

HIDDEN = {
    "prompt_tokens": 18,
    "completion_tokens": 412,
    "total_tokens": 430,
    "completion_tokens_details": {"reasoning_tokens": 400},
}


def _decode(made: ev.Generation) -> Quantity | Unavailable:
    return rates.decode_rate(measure(made, backend()))


def test_a_steady_stream_has_its_rate() -> None:
    decode = _decode(steady(200, each_ms=2))
    assert number(decode) == pytest.approx(500)
    assert isinstance(decode, Quantity)
    assert decode.marks == ()


def test_tokens_of_the_first_arrival_are_left_out() -> None:
    pieces = [
        (400, "Long ropes hold"),
        (460, " wide sails while"),
        (520, " small crews watch"),
        (580, " the grey sea roll"),
    ]
    decode = _decode(generation(pieces, usage={"completion_tokens": 13}))
    assert number(decode) == pytest.approx(10 / 0.18)
    assert isinstance(decode, Quantity)
    assert decode.marks == (SHORT_SAMPLE,)


def test_one_word_counts_one_token_beside_the_servers_own_total() -> None:
    made = generation([(300, "Ducks"), (400, " paddle"), (500, " past.")], usage={"completion_tokens": 7})
    assert number(_decode(made)) == pytest.approx(30)


def test_the_servers_own_count_of_the_first_chunk_is_taken() -> None:
    pieces = [(200, "Go far"), (300, " and"), (400, " wide")]
    made = generation(pieces, usage={"completion_tokens": 9}, tokens=[3, None, None])
    assert number(_decode(made)) == pytest.approx(6 / 0.2)


def test_a_running_usage_says_what_the_first_arrival_held() -> None:
    pieces = [(250, "Rivers carve"), (330, " deep"), (410, " valleys.")]
    running = [
        ev.Usage(at(ms), {"completion_tokens": n}, i)
        for i, (ms, n) in enumerate([(250, 4), (330, 7), (410, 12)])
    ]
    assert number(_decode(generation(pieces, extra=running))) == pytest.approx(8 / 0.16)


def test_the_wait_for_a_late_usage_is_not_in_the_rate() -> None:
    early, late = (
        generation([(300, "Ducks"), (500, " paddle")], usage={"completion_tokens": 7}, end_ms=end)
        for end in (500, 1400)
    )
    assert _decode(early) == _decode(late)


def test_hidden_thinking_is_not_in_the_rate() -> None:
    made = generation([(4000, "Yes"), (4050, ","), (4100, " it"), (4150, " floats.")], usage=HIDDEN)
    assert number(_decode(made)) == pytest.approx(11 / 0.15)


def test_thinking_shown_word_for_word_is_in_the_rate_from_its_first_token() -> None:
    thinking = [(200 + 10 * i, " step", "r") for i in range(50)]
    answer = [(700 + 10 * i, " four", "a") for i in range(50)]
    usage = {"completion_tokens": 100, "completion_tokens_details": {"reasoning_tokens": 50}}
    measured = measure(generation([*thinking, *answer], usage=usage), backend())
    assert number(rates.decode_rate(measured)) == pytest.approx(100)
    assert number(rates.thinking_rate(measured)) == pytest.approx(100)
    assert number(rates.answer_rate(measured)) == pytest.approx(100)


def test_summarised_thinking_leaves_only_the_answers_tokens_and_time() -> None:
    answer = [(5000 + 10 * i, " four", "a") for i in range(50)]
    usage = {"completion_tokens": 950, "completion_tokens_details": {"reasoning_tokens": 900}}
    made = generation([(800, "It thinks about numbers.", "r"), *answer], usage=usage)
    assert number(_decode(made)) == pytest.approx(100)


def test_tokens_hidden_without_a_word_give_a_reason_and_no_fantastic_rate() -> None:
    undeclared = {"prompt_tokens": 18, "completion_tokens": 412, "total_tokens": 430}
    measured = measure(
        generation([(4000, "Yes"), (4050, " it"), (4150, " floats.")], usage=undeclared), backend()
    )
    assert isinstance(rates.decode_rate(measured), Unavailable)
    answer = rates.answer_rate(measured)
    assert isinstance(answer, Quantity)
    assert number(answer) == pytest.approx(3 / 0.15)
    assert ESTIMATED in answer.marks


def test_thinking_of_an_unknown_share_gives_a_reason() -> None:
    answer = [(5000 + 10 * i, " four", "a") for i in range(50)]
    made = generation([(800, "It thinks.", "r"), *answer], usage={"completion_tokens": 950})
    assert isinstance(_decode(made), Unavailable)


@pytest.mark.parametrize(
    "made",
    [
        generation([(300, "Blue")], usage={"completion_tokens": 1}),
        generation([(300, "All of it came in one frame of some length.")], usage={"completion_tokens": 12}),
        generation(
            [(1740, w) for w in ["Fog", "hides", "the", "far", "shore", "."]],
            reads=[1] * 6,
            usage={"completion_tokens": 8},
        ),
        generation([(200, "Salt"), (260, " and")], usage={"completion_tokens": 20}),
        generation([], usage={"completion_tokens": 5}, finish="tool_calls"),
        generation(
            [(800, "Salt"), (840, " and"), (920, " lime.")],
            usage={"completion_tokens": 40, "completion_tokens_details": {"reasoning_tokens": 44}},
        ),
    ],
    ids=["one token", "one chunk", "one read", "under 100 ms", "no text", "contradiction"],
)
def test_where_there_is_nothing_to_divide_by_there_is_a_reason(made: ev.Generation) -> None:
    decode = _decode(made)
    assert isinstance(decode, Unavailable)
    assert decode.reason.endswith(".")
    assert isinstance(rates.tpot_ms(measure(made, backend())), Unavailable)


def test_a_buffered_stream_has_an_end_to_end_rate_only() -> None:
    lumps = [(1000 + 500 * i, ANSWER_WORDS * 5) for i in range(3)]
    measured = measure(generation(lumps, usage={"completion_tokens": 300}), backend())
    assert isinstance(rates.decode_rate(measured), Unavailable)
    assert number(rates.end_to_end_rate(measured)) == pytest.approx(150)


def test_several_choices_share_one_count_so_there_is_no_rate() -> None:
    other = [ev.Delta(at(210), ev.Channel.ANSWER, " right", 77, 1)]
    measured = measure(
        generation([(200, "Left"), (500, " bank")], usage={"completion_tokens": 90}, extra=other), backend()
    )
    assert isinstance(rates.decode_rate(measured), Unavailable)
    assert isinstance(rates.end_to_end_rate(measured), Unavailable)


def test_end_to_end_takes_all_output_over_the_whole_time() -> None:
    measured = measure(generation([(4000, "Yes"), (4120, " it floats.")], usage=HIDDEN), backend())
    assert number(rates.end_to_end_rate(measured)) == pytest.approx(412 / 4.12)


@pytest.mark.parametrize(
    "status", [ev.Status.STOPPED, ev.Status.ERROR, ev.Status.INCOMPLETE, ev.Status.INTERRUPTED]
)
def test_an_answer_that_is_not_complete_has_no_end_to_end_rate_but_its_decode_rate(status: ev.Status) -> None:
    measured = measure(steady(40, status=status), backend())
    assert isinstance(rates.end_to_end_rate(measured), Unavailable)
    decode = rates.decode_rate(measured)
    assert isinstance(decode, Quantity)
    assert ESTIMATED in decode.marks
