"""One speed in every unit, of the text that is given."""

from __future__ import annotations

import pytest

from lib.meaning import conversions
from lib.meaning.conversions import TextSpeed, text_speed
from lib.meaning.human import Pace, Way, pace
from lib.meaning.sample_texts import sample_text
from lib.meaning.text_facts import code_in, facts_of, token_counts
from lib.metrics.quantity import Quantity, Unavailable, number

ENGLISH = "The ferry leaves at nine. Bring bread, two lamps and a long rope for the island."
CHINESE = "渡船九点开。请带上面包、两盏灯和一条长绳。"


def speed_of(text: str, tps: float, encoding: str = "o200k_base") -> TextSpeed:
    found = text_speed(tps, encoding, token_counts(text), facts_of(text))
    assert isinstance(found, TextSpeed)
    return found


def known(lang: str, way: Way) -> Pace:
    found = pace(lang, way)
    assert isinstance(found, Pace)
    return found


@pytest.mark.parametrize(("text", "tps"), [(ENGLISH, 40.0), (ENGLISH * 9, 753.5), (CHINESE, 12.0)])
def test_units_per_second_times_the_seconds_of_the_text_are_the_units_of_the_text(text: str, tps: float) -> None:
    speed = speed_of(text, tps)
    assert speed.units_per_s * speed.whole_s == pytest.approx(speed.facts.units)
    assert speed.whole_s == pytest.approx(speed.tokens / tps)
    characters = speed.facts.units if text == CHINESE else len(text)
    assert float(conversions.characters_per_s(speed).value) * speed.whole_s == pytest.approx(characters)


def test_chinese_has_characters_and_no_words() -> None:
    speed = speed_of(CHINESE, 100)
    assert isinstance(conversions.words_per_s(speed), Unavailable)
    assert conversions.characters_per_s(speed).unit == "characters/s"
    assert number(conversions.words_per_s(speed_of(ENGLISH, 100))) == pytest.approx(
        100 * len(ENGLISH.split()) / token_counts(ENGLISH)["o200k_base"]
    )


def test_a_page_is_250_words_or_400_characters() -> None:
    english, chinese = speed_of(ENGLISH, 300), speed_of(CHINESE, 300)
    assert float(conversions.pages_per_min(english).value) == pytest.approx(english.units_per_s * 60 / 250)
    assert float(conversions.pages_per_min(chinese).value) == pytest.approx(chinese.units_per_s * 60 / 400)


def test_the_same_text_is_more_tokens_a_second_in_an_older_tokenizer() -> None:
    speed, counts = speed_of(CHINESE, 750), token_counts(CHINESE)
    old = counts["r50k_base"]
    assert isinstance(old, int)
    assert conversions.in_other_tokens(speed, old) == pytest.approx(750 * old / speed.tokens)
    assert conversions.in_other_tokens(speed, old) > 1.5 * 750
    assert conversions.in_other_tokens(speed, speed.tokens) == pytest.approx(750)


def test_lines_of_code_are_those_of_the_text_where_it_has_some() -> None:
    code = sample_text("code")
    assert code is not None
    own = speed_of(code.text, 200)
    lines = sum(bool(line.strip()) for line in code.text.splitlines())
    assert conversions.has_own_code(own.facts)
    assert number(conversions.code_lines_per_s(own)) == pytest.approx(200 * lines / own.tokens, rel=0.02)


def test_lines_of_code_of_prose_are_those_of_python_as_measured() -> None:
    speed = speed_of(ENGLISH, 750)
    assert not conversions.has_own_code(speed.facts)
    found = conversions.code_lines_per_s(speed)
    assert isinstance(found, Quantity)
    assert round(float(found.value)) == 91


def test_a_fence_is_code_and_a_sentence_is_none() -> None:
    assert code_in("Look:\n```js\nlet a = 1;\n```\nThat is all.") == "let a = 1;\n"
    assert code_in("A line.\nAnother line of prose that goes on.\nA third.") == ""


@pytest.mark.parametrize(("lang", "text", "per_min"), [("en", ENGLISH, 238), ("zh-Hans", CHINESE, 420)])
def test_times_a_person_is_the_ratio_of_the_text_per_second(lang: str, text: str, per_min: float) -> None:
    speed = speed_of(text, 480)
    times = number(conversions.times_person(speed, pace(lang, Way.SILENT)))
    assert times == pytest.approx(speed.units_per_s / (per_min / 60))
    assert times is not None
    assert number(conversions.person_tps(speed, pace(lang, Way.SILENT))) == pytest.approx(480 / times)


@pytest.mark.parametrize("text", ["hello 你好 world 世界", "渡船 ferry 九点 nine o'clock sharp", ENGLISH, CHINESE])
def test_a_text_in_two_scripts_has_a_reader_in_the_unit_it_is_counted_in(text: str) -> None:
    facts = facts_of(text)
    assert known(facts.language, Way.SILENT).unit == facts.unit
    assert number(conversions.times_person(speed_of(text, 90), known(facts.language, Way.SILENT)))


def test_skimming_is_faster_and_listening_slower_than_reading_silently() -> None:
    for lang in ("en", "de", "zh-Hans"):
        paces = {way: known(lang, way) for way in Way}
        assert paces[Way.LISTEN].per_min < paces[Way.SILENT].per_min < paces[Way.SKIM].per_min
        assert paces[Way.ALOUD].per_min < paces[Way.SILENT].per_min
        assert paces[Way.SKIM].is_estimate is (lang != "en")


def test_what_no_study_gives_is_said() -> None:
    assert isinstance(pace("ko", Way.ALOUD), Unavailable)
    assert known("ja", Way.SILENT).is_estimate


@pytest.mark.parametrize("text", ["", "   \n\t"])
def test_a_text_without_words_has_a_reason_and_no_speed(text: str) -> None:
    assert isinstance(text_speed(750, "o200k_base", token_counts(text), facts_of(text)), Unavailable)


def test_a_reader_of_words_is_not_set_against_characters() -> None:
    assert isinstance(conversions.times_person(speed_of(CHINESE, 10), pace("en", Way.SILENT)), Unavailable)
