"""Titles of charts in lines that a phone is wide enough for."""

from __future__ import annotations

import textwrap

import pytest

from lib.charts.lines import lines

CHINESE = "能容纳它的最少芯片数；你的选择用第一种颜色；浅色：部分数据凭记忆，其余有出处"


@pytest.mark.parametrize("columns", [20, 31, 54])
def test_chinese_is_broken_between_its_signs_and_never_before_punctuation(columns: int) -> None:
    found = lines(CHINESE, columns)
    assert "".join(found) == CHINESE
    assert len(found) > 1
    for line in found:
        assert 2.3 * len(line.rstrip("；：，")) <= columns
        assert line[0] not in "；：，"


def test_latin_words_among_chinese_stay_whole() -> None:
    found = lines("每个服务器同时只有一个请求 · token：服务器的 usage 与 SmolLM2 135M", 24)
    assert any("SmolLM2" in line for line in found)
    assert sum("usage" in line for line in found) == 1


def test_words_are_wrapped_as_ever() -> None:
    text = "one request at a time per server · tokens: usage of the servers, each line is one arrival"
    assert lines(text, 54) == textwrap.wrap(text, 54)
    assert lines("", 54) == []
