"""Chunks: every token counted, no character split, and bytes in OpenAI's shape."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from lib.simulator.answers import Answer
from lib.simulator.reply import Chunk, Envelope, chunks_of, stream_frames, usage_of, whole_body
from lib.tokens import pieces

ENVELOPE = Envelope("chatcmpl-1", "some-model", 1_700_000_000, include_usage=True)


@given(st.text(max_size=60), st.integers(1, 9))
def test_chunks_joined_are_the_text_and_hold_every_token(text: str, tokens_per_chunk: int) -> None:
    tokens = tuple(pieces(text))
    chunks = chunks_of(Answer((), tokens, "stop"), tokens_per_chunk)
    assert "".join(chunk.text for chunk in chunks).encode() == b"".join(tokens)
    assert sum(chunk.tokens for chunk in chunks) == len(tokens)
    assert all(chunk.tokens >= tokens_per_chunk for chunk in chunks[:-1])


def test_a_character_of_several_tokens_comes_in_one_chunk() -> None:
    tokens = (b"a", b"\xf0\x9f", b"\xa6\xad", b"b")
    assert chunks_of(Answer((), tokens, "stop"), 1) == (
        Chunk("content", "a", 1), Chunk("content", "\U0001f9ad", 2), Chunk("content", "b", 1),
    )  # fmt: skip


def test_a_character_cut_by_the_limit_is_left_out() -> None:
    assert chunks_of(Answer((), (b"a", b"\xf0\x9f"), "length"), 1) == (Chunk("content", "a", 1),)


def test_thinking_and_answer_never_share_a_chunk() -> None:
    chunks = chunks_of(Answer((b"t1", b"t2", b"t3"), (b"a1",), "stop"), 2)
    assert [(chunk.channel, chunk.text) for chunk in chunks] == [
        ("reasoning_content", "t1t2"), ("reasoning_content", "t3"), ("content", "a1"),
    ]  # fmt: skip


@given(st.text(min_size=1, max_size=20))
def test_each_event_is_one_json_object_whatever_the_text(text: str) -> None:
    frames = list(stream_frames(ENVELOPE, [Chunk("content", text, 1)], [5], "stop", {}))
    assert all(frame.data.startswith(b"data: ") and frame.data.endswith(b"\n\n") for frame in frames)
    assert all(frame.data.count(b"\n") == 2 for frame in frames)
    assert json.loads(frames[1].data[6:])["choices"][0]["delta"] == {"content": text}


def test_an_empty_answer_still_has_its_role_its_reason_and_its_end() -> None:
    frames = [
        frame.data[6:].strip() for frame in stream_frames(ENVELOPE, [], [], "length", {"total_tokens": 1})
    ]
    assert json.loads(frames[0])["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert json.loads(frames[1])["choices"][0]["finish_reason"] == "length"
    assert json.loads(frames[2])["choices"] == []
    assert frames[3:] == [b"[DONE]"]


def test_usage_counts_thinking_as_completion_tokens() -> None:
    assert usage_of(10, Answer((b"t",), (b"a", b"b"), "stop")) == {
        "prompt_tokens": 10,
        "completion_tokens": 3,
        "total_tokens": 13,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 1},
    }


def test_a_reply_in_one_piece_has_a_message() -> None:
    body = json.loads(whole_body(ENVELOPE, Answer((b"t",), (b"a", b"b"), "stop"), {"total_tokens": 3}))
    assert body["object"] == "chat.completion"
    assert body["choices"][0]["message"] == {
        "role": "assistant", "content": "ab", "refusal": None, "reasoning_content": "t",
    }  # fmt: skip
