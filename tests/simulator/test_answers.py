"""What a simulated backend says: language, form and length, and that its texts are whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from lib.simulator.answers import FORMS, Text, answer_to, language_of, load_texts
from lib.tokens import count

LIGHTHOUSE = "Explain to a visitor how a lighthouse was kept before electricity. About 400 words."
NOTICES = {"en": "This is a simulated answer", "zh": "这是一段模拟的回答"}
LENGTH_OF_THE_PRODUCT = 512  # max_tokens of a first visit


def said(tokens: Sequence[bytes]) -> str:
    return b"".join(tokens).decode()


def text_to(prompt: str, max_tokens: int | None = LENGTH_OF_THE_PRODUCT) -> str:
    return said(answer_to(prompt, max_tokens=max_tokens).text)


def name_of(text: Text) -> str:
    return f"{text.language}-{text.form}-{text.blocks[0][:12]}"


def test_the_first_prompt_gets_about_400_words_and_ends_by_itself() -> None:
    answer = answer_to(LIGHTHOUSE, max_tokens=LENGTH_OF_THE_PRODUCT)
    assert answer.finish_reason == "stop"
    assert 380 <= len(said(answer.text).split()) <= 420


@pytest.mark.parametrize(
    ("prompt", "begin"),
    [
        ("How does a lighthouse work?", "Welcome."),
        ("Why are there two tides a day?", "Twice a day"),
        ("Write a Python function that merges two sorted lists.", "Two sorted lists"),
        ("What should I check before a long hike?", "Here is what to check"),
        ("电灯出现以前，灯塔是怎样看守的？", "欢迎各位"),
        ("潮汐是怎么形成的？", "每天两次"),
        ("用 Python 合并两个有序列表", "两个有序列表"),
        ("登山之前要检查什么？", "去山里走一整天"),
    ],
)
def test_a_prompt_with_a_text_of_its_own_gets_it_without_a_notice(prompt: str, begin: str) -> None:
    assert text_to(prompt).startswith(begin)


@pytest.mark.parametrize(
    "prompt", ["Who was the third king of Rome?", "罗马的第三位国王是谁？", "Qui était-ce ?", ""]
)
def test_every_other_prompt_is_told_first_that_the_answer_is_simulated(prompt: str) -> None:
    notice, reading = text_to(prompt).split("\n\n", 1)
    assert NOTICES[language_of(prompt)] in notice
    assert count(reading) > 300


@pytest.mark.parametrize(
    ("prompt", "mark"),
    [
        ("Write a Python function that reverses a string.", "```python"),
        ("写一个函数，把字符串倒过来", "```python"),
        ("List ten rules for meetings.", "\n1. "),
        ("列出十条开会的规则", "\n1. "),
    ],
)
def test_the_form_asked_for_is_the_form_that_comes(prompt: str, mark: str) -> None:
    assert mark in text_to(prompt)


def test_a_topic_does_not_turn_a_wish_for_code_into_prose() -> None:
    assert "```python" in text_to("Write a Python function that predicts the tide.")


@pytest.mark.parametrize(
    ("prompt", "language"),
    [
        ("灯塔", "zh"), ("lighthouse", "en"), ("The tide, in Chinese.", "zh"), ("用英文介绍灯塔", "en"),
        ("灯台はどのように", "en"),
        ("What does 灯 mean?", "en"),
        ("用 Python 写一个排序函数", "zh"),
    ],
)  # fmt: skip
def test_the_answer_comes_in_the_language_of_the_prompt_or_the_one_it_names(
    prompt: str, language: str
) -> None:
    assert language_of(prompt) == language
    chinese = len(re.findall(r"[\u4e00-\u9fff]", text_to(prompt)))
    assert (chinese > 100) == (language == "zh")


@pytest.mark.parametrize("text", [text for text in load_texts() if text.form in FORMS], ids=name_of)
def test_an_ordinary_answer_with_its_notice_fits_into_the_first_visits_limit(text: Text) -> None:
    notice = next(
        other for other in load_texts() if other.form == "notice" and other.language == text.language
    )
    last = text is [t for t in load_texts() if t.form == text.form and t.language == text.language][-1]
    blocks = (*(notice.blocks if last else ()), *text.blocks[: text.main])
    assert 300 < count("\n\n".join(blocks)) <= LENGTH_OF_THE_PRODUCT


@pytest.mark.parametrize("prompt", [LIGHTHOUSE, "Who was it?", "它是谁？"])
@pytest.mark.parametrize("max_tokens", [1, 7, 100])
def test_max_tokens_cuts_exactly_there(prompt: str, max_tokens: int) -> None:
    answer = answer_to(prompt, max_tokens=max_tokens)
    assert len(answer.text) == max_tokens
    assert answer.finish_reason == "length"


@pytest.mark.parametrize(
    "prompt", ["Tell me about lighthouses", "Tell me about Rome", "介绍灯塔", "介绍罗马"]
)
def test_2000_tokens_are_filled_with_whole_paragraphs_none_of_them_twice(prompt: str) -> None:
    answer = answer_to(prompt, max_tokens=2000)
    blocks = [block for block in said(answer.text).split("\n\n") if len(block) > 80]
    assert answer.finish_reason == "stop"
    assert 1700 <= len(answer.text) <= 2000
    assert len(blocks) == len(set(blocks))


@pytest.mark.parametrize("tokens", [1, 600, 16_000])
def test_an_exact_number_of_tokens_can_be_had_however_large(tokens: int) -> None:
    assert len(answer_to("lighthouse", exactly_tokens=tokens).text) == tokens


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [("About the tide, 150 words", 150), ("A 300-word text on lighthouses", 300), ("灯塔，约400字", 400)],
)
def test_the_length_named_in_the_prompt_is_kept_by_whole_paragraphs(prompt: str, wanted: int) -> None:
    text = text_to(prompt, None)
    size = len(re.findall(r"[\u4e00-\u9fff]", text)) or len(text.split())
    assert size == pytest.approx(wanted, rel=0.3)
    assert text[-1] in ".。"


def test_a_stop_word_ends_the_answer_before_it() -> None:
    whole, cut = answer_to("lighthouse"), answer_to("lighthouse", stop=("nowhere", "picture"))
    assert said(cut.text) == said(whole.text).split("picture")[0]
    assert cut.finish_reason == "stop"


def test_thinking_is_whole_sentences_and_counts_towards_max_tokens() -> None:
    answer = answer_to("lighthouse", thinking_tokens=80, max_tokens=200)
    assert 80 <= len(answer.thinking) <= 110
    assert said(answer.thinking).endswith(".\n")
    assert len(answer.thinking) + len(answer.text) == 200


def test_thinking_alone_can_use_up_max_tokens() -> None:
    answer = answer_to("lighthouse", thinking_tokens=80, max_tokens=20)
    assert (len(answer.thinking), answer.text, answer.finish_reason) == (20, (), "length")


@pytest.mark.parametrize("text", load_texts(), ids=name_of)
def test_no_block_is_torn_or_unfinished(text: Text) -> None:
    for block in text.blocks:
        assert block.count("```") % 2 == 0
        assert not block.endswith((":", "：", "%%"))
        assert block == block.strip()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_code_in_the_texts_runs_and_passes_its_own_tests(language: str) -> None:
    text = next(text for text in load_texts() if text.form == "code" and text.language == language)
    program: dict[str, object] = {}
    for source in re.findall(r"```python\n(.*?)```", "\n\n".join(text.blocks), re.S):
        exec(source, program)
    tests = [value for name, value in program.items() if name.startswith("test_")]
    assert len(tests) >= 2
    for test in tests:
        test()  # type: ignore[operator]
    assert program["merge_sort"]([3, 1, 2]) == [1, 2, 3]  # type: ignore[operator]
