"""Densities: the mean of measured texts, the same as what the text at hand gives when it is one of them."""

from __future__ import annotations

import csv

import pytest

from lib import reading, tokens
from lib.meaning.densities import CODE, STORY, Density, density, sample
from lib.meaning.sample_texts import story
from lib.metrics.quantity import Unavailable

LANGUAGES = [speed.id for speed in reading.speeds() if speed.id == speed.language]
WITH_STORY = [lang for lang in LANGUAGES if lang != "th"]


def known(lang: str, encoding: str = tokens.DEFAULT_ENCODING) -> Density:
    found = density(lang, encoding)
    assert isinstance(found, Density)
    return found


def test_750_tokens_a_second_are_642_english_words_903_chinese_characters_and_91_lines_of_python() -> None:
    assert round(known("en").units_per_s(750)) == 642
    assert round(known("zh-Hans").units_per_s(750)) == 903
    assert round(known(CODE).units_per_s(750)) == 91
    assert known(CODE).tokens_per_unit == pytest.approx(8.28, abs=0.005)
    assert known(CODE).units_per_s(54) == pytest.approx(6.5, abs=0.05)


def test_an_english_reader_takes_in_4_6_tokens_a_second_and_most_adults_3_4_to_5_8() -> None:
    assert [round(known("en").tps_of(per_min), 1) for per_min in (238, 175, 300)] == [4.6, 3.4, 5.8]
    assert round(known("zh-Hans").tps_of(420), 1) == 5.8


def test_the_means_are_those_of_the_table_of_reading_speeds() -> None:
    with (reading.DATA_FOLDER / "reading_speed.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["tok_per_unit_o200k"]]
    assert len(rows) == 18
    for row in rows:
        assert known(row["lang"]).tokens_per_unit == pytest.approx(float(row["tok_per_unit_o200k"]), rel=0.002)


@pytest.mark.parametrize("encoding", tokens.ENCODINGS)
def test_the_counts_of_the_story_are_those_of_the_story_that_is_here(encoding: str) -> None:
    for lang in WITH_STORY:
        kept = sample(lang, STORY, encoding)
        assert kept is not None
        text = story(lang)
        assert (kept.tokens, kept.characters) == (tokens.count(text, encoding), len(text))
        assert kept.units == reading.count_units(text, "char" if kept.unit == "char" else "word")


def test_an_encoding_that_counted_one_text_only_is_marked_as_an_estimate() -> None:
    old, new = known("ru", "r50k_base"), known("ru")
    assert (old.is_estimate, new.is_estimate) == (True, False)
    told, usual = sample("ru", STORY, "r50k_base"), sample("ru", STORY)
    assert told is not None
    assert usual is not None
    assert old.tokens_per_unit / new.tokens_per_unit == pytest.approx(told.tokens / usual.tokens)


def test_a_language_without_a_counted_text_has_a_reason() -> None:
    assert isinstance(density("th", "p50k_base"), Unavailable)
    assert isinstance(density("nowhere"), Unavailable)
