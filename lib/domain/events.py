"""What can happen in one lane, as small frozen values in the order it happened.

Every event carries `at_ns`: monotonic nanoseconds since the origin of its run (the moment the
collector took the order to start). Deltas are stamped when the network read that completed them
returned, before decoding. Nothing here is derived: metrics are computed from these values only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

T = TypeVar("T")


class Channel(StrEnum):
    """Where a delta's text belongs; the value is the event's name in a recording."""

    ANSWER = "a"
    THINKING = "r"
    TOOL = "t"


class Status(StrEnum):
    """How a generation ended. Only `COMPLETE` counts as a finished answer."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"  # the body ended without finish reason, [DONE] or usage
    ERROR = "error"
    STOPPED = "stopped"  # by the user, or because nobody was watching
    INTERRUPTED = "interrupted"  # the collector process died


@dataclass(frozen=True, slots=True)
class Delta:
    """What one chunk added to one choice: never empty, always valid Unicode."""

    at_ns: int
    channel: Channel
    text: str
    read: int  # number of the network read that completed it; equal numbers arrived together
    choice: int = 0
    tokens: int | None = None  # when the server itself says how many (logprobs entries)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Tool deltas of this choice belong to call `index` from here on; `name` is empty when known already."""

    at_ns: int
    index: int
    name: str
    read: int
    choice: int = 0


@dataclass(frozen=True, slots=True)
class Attempt:
    """An HTTP request is being made; the first is number 1."""

    at_ns: int
    number: int


@dataclass(frozen=True, slots=True)
class Connected:
    """The connection is there. `setup_ms` is None when an open one was reused."""

    at_ns: int
    setup_ms: float | None
    dns_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """The request body has been written: t0 of the attempt, and of TTFT."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Headers:
    """The response headers arrived."""

    at_ns: int
    status: int
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """A usage object as the server sent it, in the read it came with."""

    at_ns: int
    values: Mapping[str, Any]
    read: int


@dataclass(frozen=True, slots=True)
class Finish:
    """A finish reason of one choice; the last one counts."""

    at_ns: int
    reason: str
    choice: int = 0


@dataclass(frozen=True, slots=True)
class Served:
    """The model name the server says it answered with."""

    at_ns: int
    model: str


@dataclass(frozen=True, slots=True)
class ServerReport:
    """The server's own timing object (llama.cpp `timings`, Groq `x_groq`), as sent."""

    at_ns: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """`[DONE]` arrived."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class BodyEnd:
    """The body ended without a preceding `[DONE]`."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Warned:
    """Something a person must be told; `code` is a key of `lib.domain.warning_codes.WARNINGS`."""

    at_ns: int
    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The attempt failed and the next one begins after `wait_ms`."""

    at_ns: int
    wait_ms: float
    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The generation failed. `kind` is a key of `lib.domain.failures.FAILURES`; `message` is redacted."""

    at_ns: int
    kind: str
    message: str = ""
    http_status: int | None = None
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing follows."""

    at_ns: int
    status: Status


Event = (
    Delta | ToolCall | Attempt | Connected | Sent | Headers | Usage | Finish | Served | ServerReport
    | Done | BodyEnd | Warned | Waiting | Failed | Ended
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Generation:
    """One lane's result: which backend (`lane` is its place in `Run.backends`) and all its events."""

    lane: int
    events: tuple[Event, ...] = field(default=())

    def of(self, kind: type[T]) -> tuple[T, ...]:
        """All events of one kind, in order."""
        return tuple(event for event in self.events if type(event) is kind)

    def last(self, kind: type[T]) -> T | None:
        """The last event of one kind, or None."""
        return next((event for event in reversed(self.events) if type(event) is kind), None)
