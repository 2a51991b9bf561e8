"""One backend's task in a loop: asks step after step, repeats what failed, waits for tools and for a person.

Its state can be read at any time from any thread. Which lanes there are, and their clock, is `lib.agents.loop`'s.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from lib.agents.asking import Asked, shifted
from lib.agents.conversation import Conversation
from lib.agents.phases import Kind, Piece, StepRecord, status_of
from lib.agents.trace import Step, Trace
from lib.agents.work import Asker
from lib.domain import events as ev
from lib.domain.codec import Row
from lib.domain.failures import FAILURES
from lib.domain.run import Backend, Limits, Mode, Origin, Params, Prompt
from lib.metrics.measurement import Measurement, measure
from lib.metrics.timeline import NS_PER_S

MOST_TRIES = 2
Wait = Callable[[threading.Event, float | None], bool]
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LoopPlan:
    """One trace for several backends; `pauses` makes a person's look a real pause, ended by `approve`."""

    id: str
    trace: Trace
    backends: tuple[Backend, ...]
    params: Params = field(default_factory=Params)
    pauses: bool = False
    started_at: str = ""  # wall clock, ISO 8601 UTC; for display only
    mode: Mode = Mode.ALL_AT_ONCE  # lanes of one queue carry their tasks out one after another


@dataclass(frozen=True, slots=True)
class LaneState:
    """One backend's task so far. `ended`: complete, failed, stopped, cap, unwatched, fault; empty while it runs."""

    steps: tuple[StepRecord, ...] = ()
    ended: str = ""
    waits_for_person: bool = False


class Whole(Protocol):
    """What a lane needs of the loop it is part of; the `on_` methods are told from the lane's thread."""

    @property
    def plan(self) -> LoopPlan: ...

    @property
    def asker(self) -> Asker | None: ...

    @property
    def now_ns(self) -> int: ...

    @property
    def origin_ns(self) -> int: ...

    def access(self, place: int) -> tuple[str, Limits]: ...

    def on_request(self, place: int, step: int, number: int) -> None: ...

    def on_rows(self, place: int, rows: list[Row]) -> None: ...

    def on_pause(self, place: int, kind: Kind, start_ns: int, seconds: float | None) -> None: ...

    def on_step(self, place: int, measured: Measurement | None) -> None: ...

    def on_lane_end(self, place: int) -> None: ...


class TaskLane:
    """`run` it in a thread; `stop` and `approve` from any other."""

    def __init__(self, place: int, whole: Whole, wait: Wait) -> None:
        self._place, self._whole, self._wait = place, whole, wait
        self._backend, self._trace = whole.plan.backends[place], whole.plan.trace
        self._steps: tuple[StepRecord, ...] = ()
        self._ended, self._why = "", ""
        self._live: tuple[StepRecord, Kind | None, int] | None = None  # the step, and since when it waits for what
        self._approved, self._stopped = threading.Event(), threading.Event()
        self._lock = threading.Lock()

    @property
    def state(self) -> LaneState:
        """What it has done, the step under way included."""
        with self._lock:
            steps, ended, live = self._steps, self._ended, self._live
        if live is None:
            return LaneState(steps, ended)
        record, kind, since_ns = live
        if kind is not None:
            record = _with_piece(record, Piece(kind, since_ns, max(since_ns, self._whole.now_ns)))
        else:
            asked = self._whole.asker.so_far(self._place) if self._whole.asker is not None else None
            if asked is not None and asked.events:
                record = replace(record, tries=(*record.tries, shifted(asked, -self._whole.origin_ns)))
        return LaneState((*steps, record), "", kind is Kind.HUMAN and self._whole.plan.pauses)

    def stop(self, why: str = "stopped") -> None:
        """End its tool or pause and begin nothing else; its request is ended by the asker."""
        if self._ended or self._stopped.is_set():
            return
        self._why = why
        self._stopped.set()
        self._approved.set()

    def approve(self) -> None:
        """A person has looked at its step: it goes on."""
        self._approved.set()

    def run(self, asker: Asker) -> None:
        """From the first step to the last; a fault of ours ends it with what is there."""
        try:
            how = self._carry_out(asker)
        except Exception:
            _log.exception("loop %s, lane %d", self._whole.plan.id, self._place)
            how = "fault"
        with self._lock:
            if self._live is not None and self._live[0].tries:
                self._steps = (*self._steps, self._live[0])
            self._live, self._ended = None, how
        self._whole.on_lane_end(self._place)

    def _carry_out(self, asker: Asker) -> str:
        talk = Conversation(self._trace)
        for number, step in enumerate(self._trace.steps):
            if self._stopped.is_set():
                return self._why
            record = self._ask(number, step, talk, asker)
            answered = record.answered
            if answered is None:
                self._put(record, None)
                return self._why if self._stopped.is_set() else "failed"
            measured = measure(answered, self._backend)
            talk = talk.after(number, measured.answer)
            self._put(self._act(record, step, answered.events[-1].at_ns), measured)
        return self._why if self._stopped.is_set() else "complete"

    def _ask(self, number: int, step: Step, talk: Conversation, asker: Asker) -> StepRecord:
        """The step's call, made again while that can help."""
        record = StepRecord(number, step.tool)
        for tried in range(1, MOST_TRIES + 1):
            self._show(record, None)
            self._whole.on_request(self._place, number, tried)
            generation = asker.ask(self._place, self._asked(step, talk.prompt(number)))
            record = replace(record, tries=(*record.tries, shifted(generation, -self._whole.origin_ns)))
            if not _helps_again(generation) or self._stopped.is_set():
                break
        return record

    def _act(self, record: StepRecord, step: Step, answered_ns: int) -> StepRecord:
        """The tool of the step, from the answer's end, and the person's look at it, each as long as it takes."""
        if step.tool != "none" and not self._stopped.is_set():
            record = self._pause(record, Kind.TOOL, self._stopped, step.tool_s, answered_ns)
        self._approved.clear()  # before Stop is looked at, which sets it
        if step.review_s > 0 and not self._stopped.is_set():
            asks = self._whole.plan.pauses
            event, seconds = (self._approved, None) if asks else (self._stopped, step.review_s)
            record = self._pause(record, Kind.HUMAN, event, seconds, self._whole.now_ns)
        return record

    def _pause(
        self, record: StepRecord, kind: Kind, until: threading.Event, seconds: float | None, start_ns: int
    ) -> StepRecord:
        """Wait so many seconds from `start_ns`, or for ever; what it took is the step's piece."""
        self._show(record, kind, start_ns)
        self._whole.on_pause(self._place, kind, start_ns, seconds)
        left_s = None if seconds is None else max(0.0, seconds - (self._whole.now_ns - start_ns) / NS_PER_S)
        self._wait(until, left_s)
        return _with_piece(record, Piece(kind, start_ns, max(start_ns, self._whole.now_ns)))

    def _asked(self, step: Step, prompt: Prompt) -> Asked:
        plan = self._whole.plan
        extra = dict(plan.params.extra_body)
        if self._backend.origin is Origin.SIMULATED:  # a simulator can be asked for exactly as many tokens
            extra["simulator"] = {**dict(self._backend.extra_body.get("simulator", {})), "tokens": step.output_tokens}
        params = replace(plan.params, max_tokens=step.output_tokens, extra_body=extra)
        key, limits = self._whole.access(self._place)
        return Asked(self._backend, prompt, params, limits, key, partial(self._whole.on_rows, self._place))

    def _show(self, record: StepRecord, kind: Kind | None, since_ns: int = 0) -> None:
        with self._lock:
            self._live = (record, kind, since_ns)

    def _put(self, record: StepRecord, measured: Measurement | None) -> None:
        with self._lock:
            self._live, self._steps = None, (*self._steps, record)
        self._whole.on_step(self._place, measured)


def _with_piece(record: StepRecord, piece: Piece) -> StepRecord:
    return replace(record, tool_piece=piece) if piece.kind is Kind.TOOL else replace(record, human_piece=piece)


def _helps_again(generation: ev.Generation) -> bool:
    """Whether the same request can succeed when it is made once more."""
    status, failed = status_of(generation), generation.last(ev.Failed)
    if status in (ev.Status.INCOMPLETE, ev.Status.INTERRUPTED):
        return True
    known = FAILURES.get(failed.kind) if failed else None
    return status is ev.Status.ERROR and (known is None or known.retry_helps)
