"""Rules of thumb: each beside what is measured, and judged by it."""

from __future__ import annotations

import pytest

from lib.meaning.rules import Range, Rule, Verdict, measured, of_text, rules
from lib.metrics.quantity import Unavailable

BY_ID = {rule.id: rule for rule in rules()}


def value(rule: str, encoding: str = "o200k_base") -> Range:
    found = measured(BY_ID[rule], encoding)
    assert isinstance(found, Range)
    return found


def test_plain_english_has_more_words_per_token_than_the_rule_says() -> None:
    found = value("words-per-token")
    assert (round(found.lo, 2), round(found.value, 2), round(found.hi, 2)) == (0.83, 0.86, 0.89)
    assert BY_ID["words-per-token"].verdict(found.value) is Verdict.ABOVE
    assert BY_ID["words-per-token"].verdict(0.746) is Verdict.HOLDS


@pytest.mark.parametrize(
    ("encoding", "verdict"),
    [("o200k_base", Verdict.BELOW), ("cl100k_base", Verdict.HOLDS), ("p50k_base", Verdict.ABOVE)],
)
def test_one_to_two_tokens_per_chinese_character_was_true_of_one_tokenizer(encoding: str, verdict: Verdict) -> None:
    assert BY_ID["tokens-per-han"].verdict(value("tokens-per-han", encoding).value) is verdict


def test_five_to_seven_tokens_a_second_is_more_than_a_person_reads() -> None:
    found = value("reading")
    assert round(found.value, 1) == 4.6
    assert (round(found.lo, 1), round(found.hi, 1)) == (3.4, 5.8)
    assert BY_ID["reading"].verdict(found.value) is Verdict.BELOW


def test_a_rule_holds_within_its_range_and_a_twentieth_beyond() -> None:
    rule = Rule("any", "any", 10, 20, "tok/s", "en")
    told = [rule.verdict(at) for at in (9.4, 9.6, 15, 20.9, 21.1)]
    assert told == [Verdict.BELOW, Verdict.HOLDS, Verdict.HOLDS, Verdict.HOLDS, Verdict.ABOVE]


def test_the_text_at_hand_is_judged_in_its_own_language() -> None:
    assert of_text(BY_ID["words-per-token"], "en", 75, 100) == 0.75
    assert of_text(BY_ID["tokens-per-han"], "zh-Hans", 50, 60) == 1.2
    assert of_text(BY_ID["reading"], "en", 100, 120) == pytest.approx(238 / 60 * 1.2)
    assert of_text(BY_ID["reading"], "zh-Hans", 100, 83) == pytest.approx(420 / 60 * 0.83)
    assert isinstance(of_text(BY_ID["tokens-per-han"], "en", 75, 100), Unavailable)
    assert isinstance(of_text(BY_ID["words-per-token"], "en", 0, 0), Unavailable)
