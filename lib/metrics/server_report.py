"""The server's own timings beside ours: what llama.cpp sends as `timings` and Groq inside its usage.

They are the server's word, measured behind its door: no network, no queue in front of it. They are shown
beside the figures of this product and never mixed into them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lib.domain.events import Generation, ServerReport, Usage

LLAMA_CPP = "llama.cpp"
GROQ = "Groq"
_MS_PER_S = 1000


@dataclass(frozen=True, slots=True)
class ServerTimings:
    """What the server says; None where it does not say it.

    `prefill_tokens` are those it computed (cached ones are apart). `decode_tps` is its own rate: llama.cpp
    counts the tokens after the first over the time since the first, Groq all tokens over its decode time.
    """

    engine: str
    prefill_ms: float | None = None
    prefill_tokens: int | None = None
    cached_tokens: int | None = None
    decode_ms: float | None = None
    decode_tps: float | None = None
    predicted_n: int | None = None  # tokens it made
    draft_n: int | None = None  # tokens guessed ahead
    draft_n_accepted: int | None = None  # of these, tokens that were kept
    queue_ms: float | None = None

    @property
    def acceptance(self) -> float | None:
        """Share of the guessed tokens that were kept, 0 to 1; None when nothing was guessed."""
        if not self.draft_n or self.draft_n_accepted is None:
            return None
        return self.draft_n_accepted / self.draft_n

    @property
    def prefill_tps(self) -> float | None:
        """Prompt tokens per second of prefill."""
        if not self.prefill_ms or self.prefill_tokens is None:
            return None
        return self.prefill_tokens * _MS_PER_S / self.prefill_ms


def server_timings(generation: Generation) -> ServerTimings | None:
    """The last timings the server sent with this generation, or None when it sent none."""
    for report in reversed(generation.of(ServerReport)):
        if "predicted_ms" in report.values or "prompt_ms" in report.values:
            return _llama_cpp(report.values)
    for usage in reversed(generation.of(Usage)):
        if "completion_time" in usage.values or "prompt_time" in usage.values:
            return _groq(usage.values)
    return None


def _llama_cpp(values: Mapping[str, Any]) -> ServerTimings:
    return ServerTimings(
        LLAMA_CPP,
        prefill_ms=_number(values, "prompt_ms"),
        prefill_tokens=_count(values, "prompt_n"),
        cached_tokens=_count(values, "cache_n"),
        decode_ms=_number(values, "predicted_ms"),
        decode_tps=_positive(_number(values, "predicted_per_second")),
        predicted_n=_count(values, "predicted_n"),
        draft_n=_count(values, "draft_n"),
        draft_n_accepted=_count(values, "draft_n_accepted"),
    )


def _groq(values: Mapping[str, Any]) -> ServerTimings:
    """Groq's usage names seconds: console.groq.com/docs/api-reference, `prompt_time`, `completion_time`."""
    decode_ms, made = _seconds_ms(values, "completion_time"), _count(values, "completion_tokens")
    return ServerTimings(
        GROQ,
        prefill_ms=_seconds_ms(values, "prompt_time"),
        prefill_tokens=_count(values, "prompt_tokens"),
        decode_ms=decode_ms,
        decode_tps=_positive(made * _MS_PER_S / decode_ms) if made is not None and decode_ms else None,
        predicted_n=made,
        queue_ms=_seconds_ms(values, "queue_time"),
    )


def _number(values: Mapping[str, Any], name: str) -> float | None:
    found = values.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found) if 0 <= found < float("inf") else None


def _count(values: Mapping[str, Any], name: str) -> int | None:
    found = _number(values, name)
    return int(found) if found is not None and found == int(found) else None


def _seconds_ms(values: Mapping[str, Any], name: str) -> float | None:
    found = _number(values, name)
    return None if found is None else found * _MS_PER_S


def _positive(rate_tps: float | None) -> float | None:
    """A rate, unless it is 0: that is what servers send for an answer of one token."""
    return rate_tps or None
