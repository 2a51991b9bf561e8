"""Where the time of a task goes: pieces of kinds, on the task's own clock, step by step.

Computed from the recorded events of each request and the times around tools and people; a piece is never made
shorter because something went wrong in it. Nothing is counted in tokens here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from lib.agents.remembered import Remembered
from lib.domain import events as ev
from lib.metrics.timeline import NS_PER_S, Timeline, timeline

MOST_REMEMBERED = 600  # answers: those of eight backends over 75 steps


class Kind(StrEnum):
    """What the time was spent on."""

    CONNECTION = "connection"  # from the attempt to the request written
    WAIT = "wait"  # to the first token
    THINKING = "thinking"
    ANSWER = "answer"
    TOOL = "tool"
    RETRY = "retry"  # everything up to the attempt that answered
    HUMAN = "human"


@dataclass(frozen=True, slots=True)
class Piece:
    """One stretch of time, in nanoseconds since the task began."""

    kind: Kind
    start_ns: int
    end_ns: int

    @property
    def seconds(self) -> float:
        """Its length."""
        return (self.end_ns - self.start_ns) / NS_PER_S


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step as it happened: every try of its call, then its tool, then a person."""

    step: int  # from 0
    tool: str
    tries: tuple[ev.Generation, ...] = ()
    tool_piece: Piece | None = None
    human_piece: Piece | None = None

    @property
    def answered(self) -> ev.Generation | None:
        """The try that gave the whole answer."""
        last = self.tries[-1] if self.tries else None
        return last if last is not None and status_of(last) is ev.Status.COMPLETE else None

    @property
    def retries(self) -> int:
        """Attempts beyond the first, those within a try and whole tries."""
        return max(0, sum(max(1, time_of(one).attempts) for one in self.tries) - 1)


@dataclass(frozen=True, slots=True)
class StepTimes:
    """The pieces of one step, in order."""

    step: int
    tool: str
    pieces: tuple[Piece, ...]
    has_failed: bool = False


def status_of(generation: ev.Generation) -> ev.Status | None:
    """How it ended, or None while it runs."""
    ended = generation.last(ev.Ended)
    return ended.status if ended else None


def time_of(generation: ev.Generation) -> Timeline:
    """The moments of a request, of one that is over from before."""
    return timeline(generation) if status_of(generation) is None else _OVER.of(generation)


_OVER: Remembered[ev.Generation, Timeline] = Remembered(timeline, MOST_REMEMBERED)


def times_of(record: StepRecord, now_ns: int) -> StepTimes:
    """The step's pieces; what still runs reaches to `now_ns`."""
    around = (record.tool_piece, record.human_piece)
    last = len(record.tries) - 1
    pieces = [piece for place, one in enumerate(record.tries)
              for piece in request_pieces(one, now_ns, was_repeated=place < last)]  # fmt: skip
    failed = bool(record.tries) and status_of(record.tries[-1]) in _FAILED
    return StepTimes(
        record.step, record.tool, (*pieces, *(one for one in around if one is not None)), failed
    )


_FAILED = (ev.Status.ERROR, ev.Status.INCOMPLETE, ev.Status.INTERRUPTED)


def request_pieces(generation: ev.Generation, now_ns: int, *, was_repeated: bool = False) -> list[Piece]:
    """One request's pieces; one that was made again is a retry from beginning to end."""
    attempts = generation.of(ev.Attempt)
    if not attempts:
        return []
    first_ns, last_ns = attempts[0].at_ns, attempts[-1].at_ns
    time = time_of(generation)
    end_ns = now_ns if time.ended_ns is None else time.ended_ns
    waits = generation.of(ev.Waiting)
    if was_repeated or (waits and waits[-1].at_ns >= last_ns):
        return [Piece(Kind.RETRY, first_ns, end_ns)]
    marks = [
        (Kind.RETRY, first_ns), (Kind.CONNECTION, last_ns), (Kind.WAIT, time.sent_ns),
        (Kind.THINKING, time.first_thinking_ns), (Kind.ANSWER, time.answer_begins_ns),
    ]  # fmt: skip
    return list(_between([(kind, at_ns) for kind, at_ns in marks if at_ns is not None], end_ns))


def _between(marks: Sequence[tuple[Kind, int]], end_ns: int) -> Iterator[Piece]:
    """Pieces from each mark to the next; a mark out of order (thinking after the answer began) has no length."""
    at_ns = marks[0][1]
    for (kind, _start), following in zip(marks, [*(mark[1] for mark in marks[1:]), end_ns], strict=True):
        until_ns = max(at_ns, following)
        if until_ns > at_ns:
            yield Piece(kind, at_ns, until_ns)
        at_ns = until_ns


def sums_s(steps: Iterable[StepTimes]) -> dict[Kind, float]:
    """Seconds by kind over all steps; every kind is there."""
    found = dict.fromkeys(Kind, 0.0)
    for step in steps:
        for piece in step.pieces:
            found[piece.kind] += piece.seconds
    return found


def end_ns(steps: Sequence[StepTimes]) -> int:
    """When the last piece ended; 0 before the first."""
    return max((piece.end_ns for step in steps for piece in step.pieces), default=0)
