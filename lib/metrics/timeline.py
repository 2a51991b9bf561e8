"""When things happened in one generation: t0, th, tr, ta, tn, te, and the distinct arrivals of visible text.

Only events of the attempt that answered (the last one) count; waits before it are kept apart. Times stay
nanoseconds of the run's clock. Nothing is counted in tokens here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Any

from lib.domain import events as ev

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000
_TEXTS = (ev.Delta, ev.ToolCall)
_BEFORE_END_OF_BODY = ("timeout_first_token", "timeout_stall", "timeout_total", "too_large", "interrupted")


@dataclass(frozen=True, slots=True)
class Arrival:
    """Everything one network read brought."""

    at_ns: int
    read: int
    deltas: tuple[ev.Delta, ...]

    @property
    def text(self) -> str:
        """The text of all its deltas, joined."""
        return "".join(delta.text for delta in self.deltas)


@dataclass(frozen=True, slots=True)
class Timeline:
    """One generation in time. `chunks` and `tool_chunks` are of choice 0; None means it did not happen."""

    attempts: int
    waited_ms: float
    setup_ms: float | None
    sent_ns: int | None  # t0
    headers_ns: int | None  # th
    end_ns: int | None  # te: [DONE], the end of the body, or what cut it
    ended_ns: int | None
    status: ev.Status
    failed: ev.Failed | None
    chunks: tuple[ev.Delta, ...]  # answer and thinking
    answer_chunks: tuple[ev.Delta, ...]
    thinking_chunks: tuple[ev.Delta, ...]
    tool_chunks: tuple[ev.Delta, ...]  # names and arguments
    other_choices: tuple[ev.Delta, ...]
    events: tuple[ev.Event, ...]  # of the attempt that answered

    @property
    def choices(self) -> int:
        """How many choices came back (at least one)."""
        return 1 + max((delta.choice for delta in self.other_choices), default=0)

    @property
    def first_thinking_ns(self) -> int | None:
        """tr: first visible thinking."""
        return _first_ns(self.thinking_chunks)

    @property
    def first_answer_ns(self) -> int | None:
        """First answer text."""
        return _first_ns(self.answer_chunks)

    @property
    def first_tool_ns(self) -> int | None:
        """First piece of a tool call."""
        return _first_ns(self.tool_chunks)

    @property
    def answer_begins_ns(self) -> int | None:
        """ta: first answer text, or the first tool-call piece when there is no answer text."""
        return self.first_tool_ns if self.first_answer_ns is None else self.first_answer_ns

    @property
    def first_ns(self) -> int | None:
        """First generated token of any channel."""
        known = [at for at in (self.first_thinking_ns, self.answer_begins_ns) if at is not None]
        return min(known, default=None)

    @property
    def last_ns(self) -> int | None:
        """tn: last delta with visible text; the last tool-call piece when there is none."""
        return (self.chunks or self.tool_chunks)[-1].at_ns if self.chunks or self.tool_chunks else None

    def since_sent_ms(self, at_ns: int | None) -> float | None:
        """Milliseconds from t0 to this moment; None when either is missing."""
        if at_ns is None or self.sent_ns is None:
            return None
        return max(0, at_ns - self.sent_ns) / NS_PER_MS


def timeline(generation: ev.Generation) -> Timeline:
    """Order one generation in time."""
    answering = _answering_attempt(generation.events)
    deltas = [_text_of(event) for event in answering if type(event) in _TEXTS]
    of_first_choice = tuple([delta for delta in deltas if delta.choice == 0])
    answer, thinking, tool = (_of_channel(of_first_choice, channel) for channel in ev.Channel)
    attempts = generation.of(ev.Attempt)
    connected = _last(answering, ev.Connected)
    ended = generation.last(ev.Ended)
    sent, headers = _first(answering, ev.Sent), _first(answering, ev.Headers)
    return Timeline(
        attempts=max((attempt.number for attempt in attempts), default=0),
        waited_ms=sum(waiting.wait_ms for waiting in generation.of(ev.Waiting)),
        setup_ms=connected.setup_ms if connected else None,
        sent_ns=sent.at_ns if sent else None,
        headers_ns=headers.at_ns if headers else None,
        end_ns=_end_ns(answering),
        ended_ns=ended.at_ns if ended else None,
        status=ended.status if ended else ev.Status.INTERRUPTED,
        failed=_last(answering, ev.Failed),
        chunks=tuple([delta for delta in of_first_choice if delta.channel is not ev.Channel.TOOL]),
        answer_chunks=answer,
        thinking_chunks=thinking,
        tool_chunks=tool,
        other_choices=tuple([delta for delta in deltas if delta.choice != 0]),
        events=answering,
    )


def arrivals(deltas: Iterable[ev.Delta]) -> tuple[Arrival, ...]:
    """The deltas grouped by the network read that brought them."""
    known = list(deltas)
    if len({delta.read for delta in known}) == len(known):  # usual, and twice as fast
        return tuple([Arrival(delta.at_ns, delta.read, (delta,)) for delta in known])
    found = [(read, tuple(group)) for read, group in groupby(known, attrgetter("read"))]
    return tuple([Arrival(group[0].at_ns, read, group) for read, group in found])


def gaps_ms(groups: Iterable[Arrival]) -> list[float]:
    """Milliseconds between one arrival and the next (gaps between chunks, not between tokens)."""
    times = [group.at_ns for group in groups]
    return [(later - earlier) / NS_PER_MS for earlier, later in pairwise(times)]


def _text_of(event: Any) -> ev.Delta:
    """The event as text that was generated: a delta, or the name of a tool call."""
    if type(event) is ev.Delta:
        return event
    return ev.Delta(event.at_ns, ev.Channel.TOOL, event.name, event.read, event.choice)


def _of_channel(deltas: tuple[ev.Delta, ...], channel: ev.Channel) -> tuple[ev.Delta, ...]:
    return tuple([delta for delta in deltas if delta.channel is channel])


def _answering_attempt(events: tuple[ev.Event, ...]) -> tuple[ev.Event, ...]:
    starts = [index for index, event in enumerate(events) if type(event) is ev.Attempt]
    return events[starts[-1] :] if starts else events


def _end_ns(events: tuple[ev.Event, ...]) -> int | None:
    """[DONE] or the end of the body; the cut when the connection was lost.

    None when we hung up first, and for a gateway's own error page: then the API never replied.
    """
    headers, failed = _last(events, ev.Headers), _last(events, ev.Failed)
    if failed and failed.kind == "server_error" and headers and "html" in headers.content_type:
        return None
    over = _first(events, ev.Done) or _first(events, ev.BodyEnd)
    if over:
        return over.at_ns
    return failed.at_ns if failed and failed.kind not in _BEFORE_END_OF_BODY else None


def _first(events: Iterable[ev.Event], kind: type[ev.T]) -> ev.T | None:
    return next((event for event in events if type(event) is kind), None)


def _last(events: tuple[ev.Event, ...], kind: type[ev.T]) -> ev.T | None:
    return next((event for event in reversed(events) if type(event) is kind), None)


def _first_ns(deltas: tuple[ev.Delta, ...]) -> int | None:
    return deltas[0].at_ns if deltas else None
