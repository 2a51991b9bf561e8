"""Everything about one simulated reply before its first byte: its text, its chunks, when each is due."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TypeVar

from lib.simulator.answers import Answer, answer_to
from lib.simulator.profiles import Profile
from lib.simulator.reply import Chunk, Envelope, chunks_of
from lib.simulator.request import ChatRequest
from lib.simulator.schedule import deadlines_ns
from lib.tokens import count

# OpenAI's cookbook, "How to count tokens": 3 per message and 1 for its role, 3 for the start of the reply.
_MESSAGE_TOKENS = 4
_REPLY_START_TOKENS = 3
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Plan:
    """One reply; `due_ns[k]` is when `chunks[k]` is due after the request."""

    envelope: Envelope
    answer: Answer
    chunks: list[Chunk]
    due_ns: list[int]
    prompt_tokens: int


def plan_reply(asked: ChatRequest, profile: Profile, *, number: int, created_s: int) -> Plan:
    """The reply of a profile to a request: same seed, same plan. `number` makes its id; `created_s` is Unix time."""
    wish = asked.wish
    answer = answer_to(
        asked.prompt,
        max_tokens=asked.max_tokens,
        stop=asked.stop,
        thinking_tokens=_first(wish.thinking_tokens, asked.thinking_tokens, profile.thinking_tokens),
        exactly_tokens=wish.tokens or (asked.max_tokens if asked.ignore_eos else None),
    )
    chunks = chunks_of(answer, _first(wish.tokens_per_chunk, profile.tokens_per_chunk))
    due_ns = deadlines_ns(
        [chunk.tokens for chunk in chunks],
        ttft_ms=_first(wish.ttft_ms, profile.ttft_ms),
        tok_s=_first(wish.tok_s, profile.tok_s),
        jitter_cv=_first(wish.jitter_cv, profile.jitter_cv),
        seed=seed_of(asked),
    )
    envelope = Envelope(f"chatcmpl-sim{number:08d}", asked.model, created_s, asked.include_usage)
    return Plan(envelope, answer, chunks, due_ns, prompt_tokens_of(asked))


def prompt_tokens_of(asked: ChatRequest) -> int:
    """Tokens of the messages and of OpenAI's frame around them (o200k_base)."""
    return sum(count(text) + _MESSAGE_TOKENS for _, text in asked.messages) + _REPLY_START_TOKENS


def seed_of(asked: ChatRequest) -> int:
    """The request's own seed, or one given by the messages; mixed with the model, so that lanes differ."""
    what = repr((asked.base_model, asked.messages if asked.seed is None else asked.seed))
    return int.from_bytes(hashlib.blake2b(what.encode(), digest_size=8).digest(), "big")


def _first(*values: T | None) -> T:
    return next(value for value in values if value is not None)
