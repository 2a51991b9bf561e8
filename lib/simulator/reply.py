"""The bytes of a reply in OpenAI's shapes, all made before the first is due.

Knows chunks and usage objects; knows nothing of sockets, clocks or faults.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from lib.simulator.answers import Answer

DONE = b"data: [DONE]\n\n"


class Frame(NamedTuple):
    """One server-sent event and when it is due after the request."""

    due_ns: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Chunk:
    """Text of one chunk on one channel (`content` or `reasoning_content`)."""

    channel: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Envelope:
    """What every chunk of one reply repeats."""

    id: str
    model: str
    created: int
    include_usage: bool

    def head(self, kind: str) -> dict[str, Any]:
        """The fields around the choices."""
        return {
            "id": self.id,
            "object": kind,
            "created": self.created,
            "model": self.model,
            "system_fingerprint": "simulated",
        }


@lru_cache(maxsize=16)
def chunks_of(answer: Answer, tokens_per_chunk: int) -> tuple[Chunk, ...]:
    """The answer in chunks of that many tokens (more where a character would be split)."""
    thinking = _grouped(answer.thinking, tokens_per_chunk)
    text = _grouped(answer.text, tokens_per_chunk)
    return (
        *(Chunk("reasoning_content", words, count) for words, count in thinking),
        *(Chunk("content", words, count) for words, count in text),
    )


def usage_of(prompt_tokens: int, answer: Answer) -> dict[str, Any]:
    """OpenAI's usage object; completion tokens include the thinking."""
    thinking, text = len(answer.thinking), len(answer.text)
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": thinking + text,
        "total_tokens": prompt_tokens + thinking + text,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": thinking},
    }


def stream_frames(
    envelope: Envelope,
    chunks: Iterable[Chunk],
    due_ns: Iterable[int],
    finish_reason: str,
    usage: dict[str, Any],
) -> Iterator[Frame]:
    """Every event of a streamed reply: role, one per chunk, finish, usage if asked for, `[DONE]`."""
    before, after = _around_text(envelope)
    last_ns = None
    for chunk, due in zip(chunks, due_ns, strict=True):
        if last_ns is None:
            yield Frame(due, _role(envelope))
        yield Frame(due, before[chunk.channel] + orjson.dumps(chunk.text) + after)
        last_ns = due
    if last_ns is None:
        last_ns = 0
        yield Frame(last_ns, _role(envelope))
    yield Frame(last_ns, _event(envelope, {}, finish_reason))
    if envelope.include_usage:
        last = {**envelope.head("chat.completion.chunk"), "choices": [], "usage": usage}
        yield Frame(last_ns, b"data: " + orjson.dumps(last) + b"\n\n")
    yield Frame(last_ns, DONE)


def whole_body(envelope: Envelope, answer: Answer, usage: dict[str, Any]) -> bytes:
    """The body of a reply that is not streamed."""
    message: dict[str, Any] = {"role": "assistant", "content": _text(answer.text), "refusal": None}
    if answer.thinking:
        message["reasoning_content"] = _text(answer.thinking)
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": answer.finish_reason}
    return orjson.dumps({**envelope.head("chat.completion"), "choices": [choice], "usage": usage})


def broken(frame: Frame) -> Frame:
    """The same event with its JSON broken off in the middle."""
    return Frame(frame.due_ns, frame.data[: len(frame.data) // 2].rstrip() + b"\n\n")


def _grouped(tokens: Sequence[bytes], per_chunk: int) -> Iterator[tuple[str, int]]:
    """Text and token count of each chunk; a chunk never ends inside a character.

    When the last token leaves a character unfinished, its bytes are dropped and its count stays.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    text, count = "", 0
    for token in tokens:
        text += decoder.decode(token)
        count += 1
        if count >= per_chunk and text and not decoder.getstate()[0]:
            yield text, count
            text, count = "", 0
    if text:
        yield text, count


def _text(tokens: Sequence[bytes]) -> str:
    return b"".join(tokens).decode("utf-8", errors="ignore")


def _role(envelope: Envelope) -> bytes:
    return _event(envelope, {"role": "assistant", "content": ""})


def _event(envelope: Envelope, delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    usage = {"usage": None} if envelope.include_usage else {}
    body = {**envelope.head("chat.completion.chunk"), "choices": [choice], **usage}
    return b"data: " + orjson.dumps(body) + b"\n\n"


def _around_text(envelope: Envelope) -> tuple[dict[str, bytes], bytes]:
    """The bytes before the text, per channel, and after it: one chunk's JSON cut at a marker."""
    marker = "\u0001text\u0001"
    cut = orjson.dumps(marker)
    channels = ("content", "reasoning_content")
    split = {channel: _event(envelope, {channel: marker}).split(cut) for channel in channels}
    return {channel: parts[0] for channel, parts in split.items()}, split["content"][1]
