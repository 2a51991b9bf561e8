"""Cells as spreadsheets and pandas read them back."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lib.export.tables import Cell, defused, restored, table

VALID = st.text(st.characters(exclude_categories=["Cs"]))
FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "\n=1", "\N{NO-BREAK SPACE}=1", "'=1", "＝1",
            '=HYPERLINK("http://127.0.0.1/x","open")']  # fmt: skip
STARTS = ("=", "+", "-", "@", "\t", "\r")


def read(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


@given(st.lists(VALID, min_size=1, max_size=4))
@example(["\r\n", "\x00", '"', ",", "", "'", "''=", "\u2028", "NaN", "null"])
@example(FORMULAS)
def test_every_text_comes_back_but_for_the_apostrophe(texts: list[str]) -> None:
    head, cells = read(table([str(number) for number in range(len(texts))], [texts]))
    assert len(head) == len(texts)
    assert cells == [defused(text) for text in texts]
    assert [restored(cell) for cell in cells] == texts


@given(VALID)
def test_an_apostrophe_is_the_only_change_and_stands_in_front(text: str) -> None:
    assert defused(text) in (text, f"'{text}")
    assert not defused(text).lstrip(" ").startswith(STARTS)


@pytest.mark.parametrize("text", FORMULAS)
def test_a_text_that_begins_like_a_formula_is_defused(text: str) -> None:
    assert defused(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a=1", "1-1", "'quoted'", "no @ here", "0"])
def test_any_other_text_is_left_alone(text: str) -> None:
    assert defused(text) == text


def test_numbers_are_untouched_and_absence_is_empty() -> None:
    row: list[Cell] = [-1, -0.5, Decimal("-0.0000042"), 0, None]
    assert read(table(list("abcde"), [row]))[1] == ["-1", "-0.5", "-0.0000042", "0", ""]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), Decimal("NaN"), True])
def test_what_is_no_finite_number_is_refused(value: Cell) -> None:
    with pytest.raises(ValueError, match="not a number"):
        table(["a"], [[value]])


def test_it_is_utf_8_with_the_mark_that_spreadsheets_look_for() -> None:
    assert table(["a"], [["灯塔"]]).startswith(b"\xef\xbb\xbf")


def test_pandas_reads_the_same_texts() -> None:
    texts = ["two\nlines", 'a "quoted", text', "灯塔 👩‍👩‍👧", "=1", "NA", "a\r\nb", "<script>", ""]
    frame = pd.read_csv(io.BytesIO(table(["text"], [[t, ] for t in [*texts, "end"]])), dtype=str, keep_default_na=False,
                        skip_blank_lines=False)  # fmt: skip
    assert [restored(cell) for cell in frame["text"]] == [*texts, "end"]
