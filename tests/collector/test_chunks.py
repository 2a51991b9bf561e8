"""What a chunk becomes: the rows of each shape servers are known to send."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.collector.chunks import StreamError, Translator, whole_document
from lib.domain.codec import decode_row


def rows(*chunks: dict[str, Any]) -> list[Any]:
    translator = Translator()
    found = [row for at, chunk in enumerate(chunks, 1) for row in translator.translate(chunk, at, at)]
    return found + translator.flush(99)


def said(delta: Any, **more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, **more}]}


def texts(*deltas: Any) -> list[tuple[str, str]]:
    return [(row[1], row[2]) for row in rows(*map(said, deltas)) if row[1] in "art"]


def test_role_only_empty_and_choiceless_chunks_give_nothing() -> None:
    empty = [{"choices": []}, {"choices": None}, {}, said(None), said({}), said({"role": "assistant", "content": ""}),
             {"choices": [None]}, {"choices": [{"delta": {"content": None}}]}]  # fmt: skip
    assert rows(*empty) == []


def test_both_names_of_thinking_are_read_and_a_mirror_is_counted_once() -> None:
    assert texts({"reasoning": "a"}, {"reasoning_content": "b"}, {"reasoning": "c", "reasoning_content": "c"}) == [
        ("r", "a"), ("r", "b"), ("r", "c"),
    ]  # fmt: skip


def test_typed_parts_go_to_their_channels() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "so"},
    ]
    assert texts({"content": parts}) == [("r", "hm"), ("a", "so")]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_a_think_block_that_opens_the_answer_is_split_off_however_it_is_cut(size: int) -> None:
    text = "\n<think>\nAdd them < up.</thin</think>\n\nNine <think> apples</think>."
    pieces = [{"content": text[i : i + size]} for i in range(0, len(text), size)]
    found = texts(*pieces)
    assert "".join(t for c, t in found if c == "r").strip() == "Add them < up.</thin"
    assert "".join(t for c, t in found if c == "a") == "Nine <think> apples</think>."


def test_text_held_back_as_a_possible_tag_keeps_its_own_stamp() -> None:
    assert [row[:3] for row in rows(said({"content": "<th"}), said({"content": "e end"}))] == [
        [1, "a", "<th"], [2, "a", "e end"],
    ]  # fmt: skip


def test_an_answer_that_ends_in_a_possible_tag_loses_nothing() -> None:
    assert texts({"content": "<thi"}) == [("a", "<thi")]


def test_halves_of_a_character_are_joined_and_a_lone_half_is_replaced() -> None:
    assert texts({"content": "Go \ud83d"}, {"content": "\udeb2 now"}) == [
        ("a", "Go "),
        ("a", "\U0001f6b2 now"),
    ]
    assert texts({"content": "x\udeb2y"}) == [("a", "x\ufffdy")]


def test_a_last_frame_that_repeats_everything_is_told_and_not_counted() -> None:
    found = rows(said({"content": "Small gears turn "}), said({"content": "the wheel."}),
                 said({"content": "Small gears turn the wheel."}))  # fmt: skip
    assert [row[2] for row in found if row[1] == "a"] == ["Small gears turn ", "the wheel."]
    assert [row[2] for row in found if row[1] == "warning"] == ["duplicate_final_text"]


def test_an_honest_repetition_in_the_middle_is_kept_with_its_stamp() -> None:
    long = "all work and no play makes dull "
    found = rows(said({"content": long}), said({"content": long}), said({"content": "boys"}))
    assert [row[:3] for row in found] == [[1, "a", long], [2, "a", long], [3, "a", "boys"]]


def test_short_repeats_are_never_dropped() -> None:
    assert [t for _, t in texts({"content": "3"}, {"content": "3"})] == ["3", "3"]


def test_cumulative_deltas_are_told() -> None:
    growing = ["Coal", "Coal trains", "Coal trains run", "Coal trains run late."]
    found = rows(*(said({"content": text}) for text in growing))
    assert [row[2] for row in found if row[1] == "warning"] == ["cumulative_deltas"]


def test_usage_and_choices_of_one_chunk_are_both_read() -> None:
    chunk = {**said({"content": "x"}, finish_reason="stop"), "usage": {"completion_tokens": 1}}
    assert [row[1] for row in rows(chunk)] == ["a", "finish", "usage"]
    assert [row[1] for row in rows({"x_groq": {"usage": {"completion_tokens": 1}}})] == ["usage"]


@pytest.mark.parametrize("reason", [None, "", "null"])
def test_a_finish_reason_that_is_none_is_none(reason: str | None) -> None:
    translator = Translator()
    assert translator.translate(said({}, finish_reason=reason), 1, 1) == []
    assert not translator.closed


def test_tool_calls_name_their_call_and_text_beside_them_is_not_lost() -> None:
    call = {"index": 0, "function": {"name": "get_time", "arguments": ""}}
    more = {"index": 0, "function": {"arguments": '{"a":1}'}}
    found = rows(
        said({"tool_calls": [call]}), said({"tool_calls": [more]}), said({"content": "x", "tool_calls": []})
    )
    assert [row[1:4] for row in found] == [["tool", 0, "get_time"], ["t", '{"a":1}', 2], ["a", "x", 3]]


def test_choices_are_kept_apart() -> None:
    two = {"choices": [{"index": 0, "delta": {"content": "L"}}, {"index": 1, "delta": {"content": "R"}}]}
    assert rows(two) == [[1, "a", "L", 1], [1, "a", "R", 1, 1]]


@pytest.mark.parametrize("error", ["text", {"message": "m"}])
def test_an_error_in_a_chunk_is_raised(error: object) -> None:
    with pytest.raises(StreamError):
        rows({"error": error, "choices": []})


def test_an_answer_in_one_document_is_read() -> None:
    found = whole_document(
        {"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}], "usage": {"a": 1}}, 5, 2
    )
    assert found == [[5, "a", "Hi", 2], [5, "finish", "stop", 0], [5, "usage", {"a": 1}, 2]]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["<think>", "</think>", "\ud83d"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["choices", "delta", "content", "reasoning", "tool_calls", "function", "name", "arguments",
                         "index", "finish_reason", "usage", "text", "type", "thinking", "logprobs", "model"]),
        inner, max_size=5),
    max_leaves=20,
)  # fmt: skip


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["choices", "usage", "model", "x_groq", "timings"]), JSON), max_size=5
    )
)
def test_no_chunk_of_any_shape_breaks_the_translation(chunks: list[dict[str, Any]]) -> None:
    for row in rows(*chunks):
        decode_row(row)
        json.dumps(row)
        if row[1] in ("a", "r", "t"):
            row[2].encode()
