"""The loop perceive, think, act, observe as a run: a thread per backend, all on one clock, through one collector.

What is done so far can be read at any time. Stop keeps what is there. A step that fails is tried again where that
can help, every try is kept, and its time stays in the task. Nothing is drawn here.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from decimal import Decimal
from time import perf_counter_ns
from typing import Protocol

from lib import tokens
from lib.agents.asking import Asked, LoopAsker, shifted
from lib.agents.conversation import Conversation
from lib.agents.phases import Kind, Piece, StepRecord, status_of
from lib.agents.trace import Step, Trace
from lib.domain import events as ev
from lib.domain.failures import FAILURES
from lib.domain.run import Backend, Limits, Origin, Params, Prompt
from lib.metrics.cost import as_decimal, cost
from lib.metrics.measurement import Measurement, measure
from lib.metrics.quantity import Quantity
from lib.metrics.timeline import NS_PER_S

MOST_TRIES = 2
_log = logging.getLogger(__name__)


class Asker(Protocol):
    """Who makes the requests."""

    clock_health_ms: float | None

    @property
    def versions(self) -> Mapping[str, str]: ...

    def ask(self, lane: int, asked: Asked) -> ev.Generation: ...

    def so_far(self, lane: int) -> ev.Generation | None: ...

    def stop(self) -> None: ...


@dataclass(frozen=True, slots=True)
class LoopPlan:
    """One trace for several backends; `pauses` makes a person's look a real pause, ended by `approve`."""

    id: str
    trace: Trace
    backends: tuple[Backend, ...]
    params: Params = field(default_factory=Params)
    pauses: bool = False
    started_at: str = ""  # wall clock, ISO 8601 UTC; for display only


@dataclass(frozen=True, slots=True)
class Access:
    """Keys and limits by place in the plan; `cap` is the most that may be spent."""

    keys: Sequence[str] = field(repr=False)
    limits: Sequence[Limits]
    cap: Decimal | None = None


@dataclass(frozen=True, slots=True)
class LaneState:
    """One backend's task so far. `ended`: complete, failed, stopped, cap, fault; empty while it runs."""

    steps: tuple[StepRecord, ...] = ()
    ended: str = ""
    waits_for_person: bool = False


class LoopRun:
    """One plan being carried out: `start`, read `lanes`, `approve` where a person is asked, `stop`."""

    def __init__(
        self,
        plan: LoopPlan,
        access: Access,
        asker: Callable[[], AbstractContextManager[Asker]] = LoopAsker,
        clock_ns: Callable[[], int] = perf_counter_ns,
        wait: Callable[[threading.Event, float | None], bool] = threading.Event.wait,
        on_end: Callable[[LoopRun], None] = lambda run: None,
    ) -> None:
        self.plan = plan
        self.clock_health_ms: float | None = None
        self.versions: Mapping[str, str] = {}
        self._access, self._make_asker, self._clock_ns, self._wait = access, asker, clock_ns, wait
        self._on_end = on_end
        self._lanes = [LaneState() for _ in plan.backends]
        self._live: dict[int, tuple[StepRecord, Kind | None, int]] = {}
        self._approved = [threading.Event() for _ in plan.backends]
        self._stopped, self._ended = threading.Event(), threading.Event()
        self._why, self._spent = "", Decimal(0)
        self._asker: Asker | None = None
        self._lock = threading.Lock()
        self._origin_ns = clock_ns()

    @property
    def is_running(self) -> bool:
        """Whether any lane still works."""
        return not self._ended.is_set()

    @property
    def now_ns(self) -> int:
        """The task's clock."""
        return max(0, self._clock_ns() - self._origin_ns)

    @property
    def lanes(self) -> tuple[LaneState, ...]:
        """Every lane with what it has done, the step under way included."""
        with self._lock:
            lanes, live = list(self._lanes), dict(self._live)
        return tuple(self._with_live(place, lane, live.get(place)) for place, lane in enumerate(lanes))

    def start(self) -> None:
        """Carry the plan out in threads, in the language of the caller; returns at once."""
        told = copy_context()
        threading.Thread(target=told.run, args=(self.carry_out,), name="loop", daemon=True).start()

    def stop(self) -> None:
        """End the running requests, tools and pauses; returns at once."""
        self._end_early("stopped")

    def approve(self, lane: int) -> None:
        """A person has looked at this lane's step: it goes on."""
        self._approved[lane].set()

    def wait(self, timeout_s: float) -> bool:
        """Wait until it has ended; whether it has."""
        return self._ended.wait(timeout_s)

    def carry_out(self) -> None:
        """All lanes from their first step to their last, in threads of this one."""
        try:
            with self._make_asker() as asker:
                self._asker = asker
                tokens.warm()
                self._origin_ns = self._clock_ns()  # collector and tokenizer are warm: the task begins now
                threads = [threading.Thread(target=copy_context().run, args=(self._lane, place, asker), daemon=True)
                           for place in range(len(self._lanes))]  # fmt: skip
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                self.clock_health_ms, self.versions = asker.clock_health_ms, dict(asker.versions)
        except Exception:
            _log.exception("loop %s", self.plan.id)
            self._lanes = [replace(lane, ended=lane.ended or "fault") for lane in self._lanes]
        finally:
            try:
                self._on_end(self)
            except Exception:
                _log.exception("keeping loop %s", self.plan.id)
            self._ended.set()

    def _lane(self, place: int, asker: Asker) -> None:
        try:
            how = self._steps(place, asker)
        except Exception:
            _log.exception("loop %s, lane %d", self.plan.id, place)
            how = "fault"
        with self._lock:
            live = self._live.pop(place, None)
            kept = self._lanes[place].steps + ((live[0],) if live and live[0].tries else ())
            self._lanes[place] = LaneState(kept, how)

    def _steps(self, place: int, asker: Asker) -> str:
        talk = Conversation(self.plan.trace)
        for number, step in enumerate(self.plan.trace.steps):
            if self._stopped.is_set():
                return self._why
            record = self._ask(place, number, step, talk, asker)
            answered = record.answered
            if answered is None:
                self._put(place, record)
                return self._why if self._stopped.is_set() else "failed"
            measured = measure(answered, self.plan.backends[place])
            self._mind_the_cap(measured)
            talk = talk.after(number, measured.answer)
            self._put(place, self._act(place, record, step, answered.events[-1].at_ns))
        return self._why if self._stopped.is_set() else "complete"

    def _ask(self, place: int, number: int, step: Step, talk: Conversation, asker: Asker) -> StepRecord:
        """The step's call, made again while that can help."""
        record = StepRecord(number, step.tool)
        for _try in range(MOST_TRIES):
            self._show(place, record, None)
            generation = shifted(asker.ask(place, self._asked(place, step, talk.prompt(number))), -self._origin_ns)
            record = replace(record, tries=(*record.tries, generation))
            if not _helps_again(generation) or self._stopped.is_set():
                break
        return record

    def _act(self, place: int, record: StepRecord, step: Step, answered_ns: int) -> StepRecord:
        """The tool of the step, from the answer's end, and the person's look at it, each as long as it takes."""
        if step.tool != "none" and not self._stopped.is_set():
            piece = self._pause(place, record, Kind.TOOL, self._stopped, step.tool_s, answered_ns)
            record = replace(record, tool_piece=piece)
        self._approved[place].clear()  # before Stop is looked at, which sets it
        if step.review_s > 0 and not self._stopped.is_set():
            asks = self.plan.pauses
            event, seconds = (self._approved[place], None) if asks else (self._stopped, step.review_s)
            record = replace(record, human_piece=self._pause(place, record, Kind.HUMAN, event, seconds))
        return record

    def _pause(
        self, place: int, record: StepRecord, kind: Kind, until: threading.Event, seconds: float | None,
        start_ns: int | None = None,
    ) -> Piece:  # fmt: skip
        """Wait so many seconds from `start_ns` (else from now), or for ever; what it took is the piece."""
        start_ns = self.now_ns if start_ns is None else start_ns
        self._show(place, record, kind, start_ns)
        left_s = None if seconds is None else max(0.0, seconds - (self.now_ns - start_ns) / NS_PER_S)
        self._wait(until, left_s)
        return Piece(kind, start_ns, self.now_ns)

    def _asked(self, place: int, step: Step, prompt: Prompt) -> Asked:
        backend = self.plan.backends[place]
        extra = dict(self.plan.params.extra_body)
        if backend.origin is Origin.SIMULATED:  # a simulator can be asked for exactly as many tokens
            extra["simulator"] = {**dict(backend.extra_body.get("simulator", {})), "tokens": step.output_tokens}
        params = replace(self.plan.params, max_tokens=step.output_tokens, extra_body=extra)
        return Asked(backend, prompt, params, self._access.limits[place], self._access.keys[place])

    def _with_live(
        self, place: int, lane: LaneState, live: tuple[StepRecord, Kind | None, int] | None
    ) -> LaneState:
        if live is None or lane.ended:
            return lane
        record, kind, since_ns = live
        if kind is not None:
            piece = Piece(kind, since_ns, max(since_ns, self.now_ns))
            is_tool = kind is Kind.TOOL
            record = replace(record, tool_piece=piece) if is_tool else replace(record, human_piece=piece)
        else:
            asked = self._asker.so_far(place) if self._asker is not None else None
            if asked is not None and asked.events:
                record = replace(record, tries=(*record.tries, shifted(asked, -self._origin_ns)))
        return LaneState((*lane.steps, record), "", kind is Kind.HUMAN and self.plan.pauses)

    def _show(self, place: int, record: StepRecord, kind: Kind | None, since_ns: int = 0) -> None:
        with self._lock:
            self._live[place] = (record, kind, since_ns)

    def _put(self, place: int, record: StepRecord) -> None:
        with self._lock:
            self._live.pop(place, None)
            self._lanes[place] = replace(self._lanes[place], steps=(*self._lanes[place].steps, record))

    def _mind_the_cap(self, measured: Measurement) -> None:
        found = cost(measured)
        if self._access.cap is None or not isinstance(found, Quantity):
            return
        with self._lock:
            self._spent += as_decimal(found)
        if self._spent >= self._access.cap:
            self._end_early("cap")

    def _end_early(self, why: str) -> None:
        if self._ended.is_set() or self._stopped.is_set():
            return
        self._why = why
        self._stopped.set()
        for event in self._approved:
            event.set()
        if self._asker is not None:
            self._asker.stop()


def _helps_again(generation: ev.Generation) -> bool:
    """Whether the same request can succeed when it is made once more."""
    status, failed = status_of(generation), generation.last(ev.Failed)
    if status in (ev.Status.INCOMPLETE, ev.Status.INTERRUPTED):
        return True
    known = FAILURES.get(failed.kind) if failed else None
    return status is ev.Status.ERROR and (known is None or known.retry_helps)
