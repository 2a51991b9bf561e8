"""Everything about one simulated reply before its first byte: its text, its chunks, when each is due."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from lib.simulator.answers import Answer, answer_to
from lib.simulator.profiles import Profile
from lib.simulator.reply import Chunk, Envelope, chunks_of
from lib.simulator.request import ChatRequest
from lib.simulator.schedule import Pace, deadlines_ns, end_ns
from lib.tokens import count

# OpenAI's cookbook, "How to count tokens": 3 per message and 1 for its role, 3 for the start of the reply.
_MESSAGE_TOKENS = 4
_REPLY_START_TOKENS = 3
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Plan:
    """One reply. Deadlines are made as they come, so that a long answer delays nobody's first byte."""

    envelope: Envelope
    answer: Answer
    chunks: tuple[Chunk, ...]
    pace: Pace
    prompt_tokens: int

    def due_ns(self) -> Iterator[int]:
        """When each chunk is due, in nanoseconds after the request."""
        return deadlines_ns([chunk.tokens for chunk in self.chunks], self.pace)

    def end_ns(self) -> int:
        """When the last chunk is due, in nanoseconds after the request."""
        return end_ns([chunk.tokens for chunk in self.chunks], self.pace)


def plan_reply(asked: ChatRequest, profile: Profile, *, number: int, created_s: int) -> Plan:
    """The reply of a profile to a request; the same seed gives the same plan. `number` makes its id."""
    wish = asked.wish
    answer = answer_to(
        asked.prompt,
        max_tokens=asked.max_tokens,
        stop=asked.stop,
        thinking_tokens=_first(wish.thinking_tokens, asked.thinking_tokens, profile.thinking_tokens),
        exactly_tokens=wish.tokens or (asked.max_tokens if asked.ignore_eos else None),
    )
    chunks = chunks_of(answer, _first(wish.tokens_per_chunk, profile.tokens_per_chunk))
    pace = Pace(
        ttft_ms=_first(wish.ttft_ms, profile.ttft_ms),
        tok_s=_first(wish.tok_s, profile.tok_s),
        jitter_cv=_first(wish.jitter_cv, profile.jitter_cv),
        seed=seed_of(asked),
    )
    envelope = Envelope(f"chatcmpl-sim{number:08d}", asked.model, created_s, asked.include_usage)
    return Plan(envelope, answer, chunks, pace, prompt_tokens(asked.messages))


@lru_cache(maxsize=16)  # lanes of one race ask the same
def prompt_tokens(messages: tuple[tuple[str, str], ...]) -> int:
    """Tokens of the messages and of OpenAI's frame around them (o200k_base)."""
    return sum(count(text) + _MESSAGE_TOKENS for _, text in messages) + _REPLY_START_TOKENS


def seed_of(asked: ChatRequest) -> int:
    """The request's own seed, or one given by the messages; mixed with the model, so that lanes differ."""
    what = repr((asked.base_model, asked.messages if asked.seed is None else asked.seed))
    return int.from_bytes(hashlib.blake2b(what.encode(), digest_size=8).digest(), "big")


def _first(*values: T | None) -> T:
    return next(value for value in values if value is not None)
