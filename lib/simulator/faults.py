"""Faults on demand, and the other wishes of the body's extra key `simulator`.

    rate_limit       429 with Retry-After (whole seconds, rounded up) and retry-after-ms (exact)
    server_error     500 in OpenAI's shape
    cut              the connection is closed in mid-answer, without the end of the body
    reset            the same with a TCP reset
    stall            silence in mid-answer for stall_s; the rest comes that much later
    slow_headers     not a byte, headers neither, for headers_ms; the stream comes that much later
    malformed_frame  one chunk's JSON is broken off; its text is lost, the stream goes on

Numbers and their defaults: `after_tokens` 40, `retry_after_s` 2, `stall_s` 3600, `headers_ms` 3000.
With `times` k the first k attempts fail and the next one answers, then it starts over; attempts count for one
`key`, or without one for the same model, messages and seed. A fault can also be a suffix of the model:
`gpt4-tier-cloud+cut`. A recording can be refused (rate_limit, server_error), but not broken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from lib.simulator.errors import ApiError, bad_parameter


class Fault(StrEnum):
    """What goes wrong; the value is its name in a request."""

    RATE_LIMIT = "rate_limit"
    SERVER_ERROR = "server_error"
    CUT = "cut"
    RESET = "reset"
    STALL = "stall"
    SLOW_HEADERS = "slow_headers"
    MALFORMED_FRAME = "malformed_frame"


@dataclass(frozen=True, slots=True)
class Wish:
    """The `simulator` object of a request; None means as the profile says."""

    fault: Fault | None = None
    after_tokens: int = 40
    retry_after_s: float = 2.0
    stall_s: float = 3600.0
    headers_ms: float = 3000.0
    times: int | None = None  # None: always
    key: str = ""
    ttft_ms: float | None = None
    tok_s: float | None = None
    tokens_per_chunk: int | None = None
    jitter_cv: float | None = None
    thinking_tokens: int | None = None
    tokens: int | None = None  # exactly this many answer tokens


_LIMITS: dict[str, tuple[type, float, float]] = {
    "after_tokens": (int, 0, 1_000_000),
    "retry_after_s": (float, 0, 86_400),
    "stall_s": (float, 0, 86_400),
    "headers_ms": (float, 0, 3_600_000),
    "times": (int, 0, 1_000_000),
    "ttft_ms": (float, 0, 3_600_000),
    "tok_s": (float, 0.01, 100_000),
    "tokens_per_chunk": (int, 1, 10_000),
    "jitter_cv": (float, 0, 2),
    "thinking_tokens": (int, 0, 100_000),
    "tokens": (int, 1, 200_000),
}


def parse_wish(model: str, value: Any) -> tuple[str, Wish]:
    """The model without its fault suffix, and what the request wishes. Raises ApiError 400."""
    base_model, plus, suffix = model.partition("+")
    if value is not None and not isinstance(value, dict):
        raise bad_parameter("simulator", "expected an object")
    wishes = {**({"fault": suffix} if plus else {}), **(value or {})}
    known = {field.name for field in fields(Wish)}
    if unknown := sorted(set(wishes) - known):
        raise bad_parameter(f"simulator.{unknown[0]}", f"expected one of {', '.join(sorted(known))}")
    given = {name: wish for name, wish in wishes.items() if wish is not None}
    return base_model, Wish(**{name: _checked(name, wish) for name, wish in given.items()})


def _checked(name: str, value: Any) -> Any:
    if name == "fault":
        if value not in list(Fault):
            raise bad_parameter("simulator.fault", f"expected one of {', '.join(Fault)}")
        return Fault(value)
    if name == "key":
        return str(value)
    kind, lowest, highest = _LIMITS[name]
    number = isinstance(value, int if kind is int else int | float) and not isinstance(value, bool)
    if not number or not lowest <= value <= highest:
        what = "an integer" if kind is int else "a number"
        raise bad_parameter(f"simulator.{name}", f"expected {what} from {lowest:g} to {highest:g}")
    return value


class Attempts:
    """Counts attempts per key, so that a fault can hit the first k of them only."""

    _MOST_KEYS = 10_000

    def __init__(self) -> None:
        self._failed: dict[str, int] = {}

    def fault_of(self, wish: Wish, key: str) -> Fault | None:
        """The fault this attempt meets, or None."""
        if wish.fault is None or wish.times is None:
            return wish.fault
        failed = self._failed.pop(key, 0)
        if failed >= wish.times:
            return None
        self._failed[key] = failed + 1
        if len(self._failed) > self._MOST_KEYS:
            del self._failed[next(iter(self._failed))]
        return wish.fault


def refusal(fault: Fault | None, wish: Wish, model: str) -> ApiError | None:
    """The error status of a fault that refuses the request, None for every other."""
    if fault is Fault.RATE_LIMIT:
        return _rate_limit(wish.retry_after_s, model)
    if fault is Fault.SERVER_ERROR:
        words = "The server had an error while processing your request. Sorry about that! (simulated)"
        return ApiError(500, words, kind="server_error", code="server_error")
    return None


def _rate_limit(retry_after_s: float, model: str) -> ApiError:
    headers: Mapping[str, str] = {
        "Retry-After": str(-int(-retry_after_s // 1)),
        "retry-after-ms": str(round(retry_after_s * 1000)),
    }
    words = f"Rate limit reached for {model} (simulated). Please try again in {retry_after_s:g}s."
    return ApiError(429, words, kind="requests", code="rate_limit_exceeded", headers=headers)
