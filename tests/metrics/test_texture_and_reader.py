"""Gaps and stalls are what they were; the reader's figures are the reader's."""

from __future__ import annotations

import pytest

from lib import reading
from lib.domain import events as ev
from lib.metrics import reader_view, texture
from lib.metrics.measurement import measure
from lib.metrics.quantity import Unavailable, number
from tests.metrics.building import backend, generation, steady

ENGLISH = reading.speed("en")


def test_gaps_are_between_distinct_arrivals() -> None:
    measured = measure(
        generation([(100, "a"), (100, "b"), (160, "c"), (400, "d")], reads=[1, 1, 2, 3]), backend()
    )
    assert texture.gaps(measured) == [60, 240]
    assert number(texture.median_gap_ms(measured)) == 150
    assert number(texture.longest_gap_ms(measured)) == 240


def test_a_stall_is_longer_than_half_a_second_and_eight_median_gaps() -> None:
    fast = generation([*((10 * i, " w") for i in range(20)), (790, " late"), (800, " on")])
    slow = generation([(300 * i, " w") for i in range(8)] + [(3500, " late")])
    assert texture.stalls(measure(fast, backend())) == texture.Stalls(1, 600, 600)
    assert texture.stalls(measure(slow, backend())).count == 0


def test_one_arrival_has_no_gap_to_speak_of() -> None:
    measured = measure(generation([(300, "Blue")]), backend())
    assert texture.gaps(measured) == []
    assert isinstance(texture.median_gap_ms(measured), Unavailable)
    assert isinstance(texture.stall_count(measured), Unavailable)


def test_tokens_per_chunk_counts_what_was_shown() -> None:
    hidden = {"completion_tokens": 412, "completion_tokens_details": {"reasoning_tokens": 400}}
    measured = measure(
        generation([(1, "Yes"), (2, ","), (3, " it"), (4, " floats.")], usage=hidden), backend()
    )
    assert number(texture.tokens_per_chunk(measured)) == 3


def test_a_person_needs_the_words_over_the_pace() -> None:
    measured = measure(steady(238, each_ms=1), backend())
    assert number(reader_view.time_to_read_s(measured, ENGLISH)) == pytest.approx(60)
    assert number(reader_view.human_done_s(measured, ENGLISH)) == pytest.approx(60.2)
    assert number(reader_view.starved_s(measured, ENGLISH)) == 0
    assert number(reader_view.lead_s(measured, ENGLISH)) == pytest.approx(60.2 - 0.437)


def test_reading_speed_in_tokens_is_derived_from_the_text_at_hand() -> None:
    english = measure(generation([(100, "The infrastructure"), (400, " uncertainties grow.")]), backend())
    assert number(reader_view.reading_speed_tps(english, ENGLISH)) == pytest.approx(5 / 4 * 238 / 60)


def test_a_slow_stream_makes_the_reader_wait() -> None:
    measured = measure(steady(61, each_ms=1000), backend())
    assert number(reader_view.starved_s(measured, ENGLISH)) == pytest.approx(60 * (1 - 60 / 238))
    assert number(reader_view.units_per_s(measured, ENGLISH)) == pytest.approx(1)
    assert number(reader_view.reading_ratio(measured, ENGLISH)) == pytest.approx(60 / 238)


def test_thinking_is_not_read() -> None:
    measured = measure(generation([(100, "many thoughts of it", "r"), (900, "Four.", "a")]), backend())
    assert reader_view.answer_units(measured, ENGLISH) == 1
    assert number(reader_view.human_done_s(measured, ENGLISH)) == pytest.approx(0.9 + 60 / 238)


def test_chinese_is_read_by_characters() -> None:
    chinese = reading.speed_for("灯塔看守人在日志里写道，风正在变大。", ENGLISH)
    assert (chinese.id, chinese.unit) == ("zh-Hans", "char")
    measured = measure(generation([(100, "灯塔看守人"), (400, "，在日志里。")]), backend())
    assert number(reader_view.time_to_read_s(measured, chinese)) == pytest.approx(9 / 7)


def test_where_there_is_no_answer_there_is_nothing_to_read() -> None:
    measured = measure(generation([(100, "only thoughts", "r")], status=ev.Status.COMPLETE), backend())
    for figure in (
        reader_view.time_to_read_s,
        reader_view.human_done_s,
        reader_view.starved_s,
        reader_view.lead_s,
    ):
        assert isinstance(figure(measured, ENGLISH), Unavailable)
