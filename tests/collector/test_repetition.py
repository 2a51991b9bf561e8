"""Answers that repeat themselves: mended where it is certain, untouched where it is not, never silently."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.collector.repetition import Repetition

WORDS = ["Coal", " trains", " run", " late", " in", " fog."]


def given_rows(pieces: list[str]) -> list[list[Any]]:
    repetition = Repetition()
    rows = [row for at, piece in enumerate(pieces, 1) for row in repetition.feed([at, "a", piece, at])]
    return rows + repetition.flush(99)


def texts(rows: list[list[Any]]) -> list[str]:
    return [row[2] for row in rows if row[1] == "a"]


def told(rows: list[list[Any]]) -> list[str]:
    return [row[2] for row in rows if row[1] == "warning"]


def test_frames_that_each_hold_all_text_so_far_become_what_each_added_with_its_own_stamp() -> None:
    rows = given_rows(list(accumulate(WORDS)))
    assert texts(rows) == WORDS
    assert [row[0] for row in rows if row[1] == "a"] == [1, 2, 3, 4, 5, 6]
    assert told(rows) == ["cumulative_deltas"]


def test_a_frame_that_adds_nothing_to_all_text_so_far_is_no_text() -> None:
    assert texts(given_rows([*accumulate(WORDS), "".join(WORDS)])) == WORDS


def test_an_answer_that_stops_repeating_goes_on_as_it_comes() -> None:
    assert texts(given_rows([*accumulate(WORDS[:5]), " fog."])) == WORDS


@pytest.mark.parametrize(
    "pieces",
    [
        ["ha", "haha", "hahaha", " no"],  # three in a row are no proof
        ["Coal", "Coal trains", "Coal trains run"],
        ["-", "--", "---", "----", "-----"],
        ["Sea", "Sea", "Sea", "Sea"],
        ["1", "10", "100", " done"],
    ],
)
def test_growth_that_proves_nothing_changes_nothing(pieces: list[str]) -> None:
    rows = given_rows(pieces)
    assert texts(rows) == pieces
    assert [row[0] for row in rows] == list(range(1, len(pieces) + 1))
    assert told(rows) == []


def test_a_last_frame_with_the_whole_answer_is_told_and_not_counted() -> None:
    rows = given_rows(["The sea is ", "wide and blue.", "The sea is wide and blue."])
    assert texts(rows) == ["The sea is ", "wide and blue."]
    assert told(rows) == ["duplicate_final_text"]


def test_a_repetition_in_the_middle_is_an_honest_one() -> None:
    line = "| --- | --- | --- | --- |\n"
    rows = given_rows([line, line, line, "end"])
    assert texts(rows) == [line, line, line, "end"]
    assert told(rows) == []


def test_a_line_said_three_times_stays_three_lines() -> None:
    line = "| --- | --- | --- | --- |\n"
    assert texts(given_rows([line, line, line])) == [line, line, line]


@given(st.lists(st.text("ab \n", min_size=1, max_size=4), max_size=12))
def test_text_is_only_ever_left_out_with_a_warning_and_stamps_never_go_back(pieces: list[str]) -> None:
    rows = given_rows(pieces)
    stamps = [row[0] for row in rows if row[1] == "a"]
    assert stamps == sorted(stamps)
    assert texts(rows) == pieces or told(rows)
