"""A whole prompt set through each backend with a chosen concurrency, by the collector process, resumable.

Backends are asked one after another or all at once (`at_once`); every answer is an outcome in the state file. What has
an outcome that is not a stop is not asked again. Nothing is drawn here.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from time import perf_counter_ns

from lib.agents.asking import Asked, LoopAsker
from lib.agents.loop import Access, Asker
from lib.agents.phases import status_of
from lib.agents.prompt_set import PromptSet, Question
from lib.agents.set_state import Outcome, Session, StateFile
from lib.domain import events as ev
from lib.domain.run import Backend, Params
from lib.metrics.cost import as_decimal, cost
from lib.metrics.measurement import measure
from lib.metrics.quantity import Quantity
from lib.metrics.timeline import NS_PER_S

MOST_CONCURRENCY = 128
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SetPlan:
    """Which questions go to whom; `concurrency` is for each backend."""

    id: str
    questions: PromptSet
    backends: tuple[Backend, ...]
    params: Params = field(default_factory=Params)
    concurrency: int = 4
    at_once: bool = False  # backends beside each other instead of one after another


class SetRun:
    """One plan being carried out: `start`, read `outcomes`, `stop`; begun anew it goes on where it was."""

    def __init__(
        self,
        plan: SetPlan,
        access: Access,
        state: StateFile,
        asker: Callable[[], AbstractContextManager[Asker]] = LoopAsker,
        clock_ns: Callable[[], int] = perf_counter_ns,
    ) -> None:
        self.plan = plan
        self.clock_health_ms: float | None = None
        self.ended_early = ""  # "stopped", "cap" or "fault"
        self._access, self._state, self._make_asker, self._clock_ns = access, state, asker, clock_ns
        kept, self._sessions = state.read()
        self._outcomes = {(one.backend, one.question): one for one in kept if one.status in _FINAL}
        self.resumed = len(self._outcomes)
        self._began_ns: dict[int, int] = {}
        self._spent = Decimal(0)
        self._stopped, self._ended = threading.Event(), threading.Event()
        self._lock = threading.Lock()
        self._asker: Asker | None = None

    @property
    def is_running(self) -> bool:
        """Whether any question may still be asked."""
        return not self._ended.is_set()

    @property
    def total(self) -> int:
        """Questions times backends."""
        return len(self.plan.questions.questions) * len(self.plan.backends)

    def outcomes(self, backend: int) -> tuple[Outcome, ...]:
        """What one backend has answered so far, earlier sessions included."""
        with self._lock:
            return tuple(one for (place, _id), one in self._outcomes.items() if place == backend)

    def wall_s(self, backend: int) -> float:
        """Seconds in which this backend was being asked, over all sessions."""
        with self._lock:
            before_s = sum(one.seconds for one in self._sessions if one.backend == backend)
            began_ns = self._began_ns.get(backend)
        return before_s + (0.0 if began_ns is None else (self._clock_ns() - began_ns) / NS_PER_S)

    def start(self) -> None:
        """Carry the plan out in threads; returns at once."""
        threading.Thread(target=copy_context().run, args=(self.carry_out,), name="set", daemon=True).start()

    def stop(self) -> None:
        """End the running requests and ask no other; what was answered stays."""
        self._end_early("stopped")

    def wait(self, timeout_s: float) -> bool:
        """Wait until it has ended; whether it has."""
        return self._ended.wait(timeout_s)

    def carry_out(self) -> None:
        """Ask everything that has no outcome yet."""
        try:
            with self._make_asker() as asker:
                self._asker = asker
                places = range(len(self.plan.backends))
                if self.plan.at_once:
                    self._in_threads([partial(self._backend, place, asker) for place in places])
                else:
                    for place in places:
                        self._backend(place, asker)
                self.clock_health_ms = asker.clock_health_ms
        except Exception:
            _log.exception("prompt set %s", self.plan.id)
            self.ended_early = self.ended_early or "fault"
        finally:
            self._ended.set()

    def _backend(self, place: int, asker: Asker) -> None:
        left = [one for one in self.plan.questions.questions if (place, one.id) not in self._outcomes]
        if not left or self._stopped.is_set():
            return
        with self._lock:
            self._began_ns[place] = self._clock_ns()
        waiting = iter(left)
        lanes = range(min(self.plan.concurrency, len(left)))
        self._in_threads([partial(self._worker, place, lane, waiting, asker) for lane in lanes])
        with self._lock:
            session = Session(place, (self._clock_ns() - self._began_ns.pop(place)) / NS_PER_S)
            self._sessions.append(session)
        self._state.append(session)

    def _worker(self, place: int, lane: int, waiting: Iterator[Question], asker: Asker) -> None:
        while not self._stopped.is_set():
            with self._lock:
                question = next(waiting, None)
            if question is None:
                return
            params = self.plan.params
            if question.max_tokens is not None:
                params = replace(params, max_tokens=question.max_tokens)
            key, limits = self._access.keys[place], self._access.limits[place]
            began_ns = self._clock_ns()
            asked = Asked(self.plan.backends[place], question.prompt, params, limits, key)
            generation = asker.ask(place * MOST_CONCURRENCY + lane, asked)
            seconds = (self._clock_ns() - began_ns) / NS_PER_S
            self._keep(outcome_of(place, question.id, generation, self.plan.backends[place], seconds))

    def _keep(self, outcome: Outcome) -> None:
        if outcome.status not in _FINAL:
            return  # it was stopped: it is asked again next time
        self._state.append(outcome)
        with self._lock:
            self._outcomes[outcome.backend, outcome.question] = outcome
            self._spent += outcome.cost or 0
        if self._access.cap is not None and self._spent >= self._access.cap:
            self._end_early("cap")

    def _in_threads(self, work: list[Callable[[], None]]) -> None:
        faults: list[BaseException] = []

        def guarded(one: Callable[[], None]) -> None:
            try:
                one()
            except Exception as error:  # told by the thread that waits for it
                faults.append(error)
                self._stopped.set()

        threads = [threading.Thread(target=guarded, args=(one,), daemon=True) for one in work]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if faults:
            raise faults[0]

    def _end_early(self, why: str) -> None:
        if self._ended.is_set() or self._stopped.is_set():
            return
        self.ended_early = why
        self._stopped.set()
        if self._asker is not None:
            self._asker.stop()


_FINAL = tuple(s.value for s in (ev.Status.COMPLETE, ev.Status.INCOMPLETE, ev.Status.ERROR))


def outcome_of(place: int, question: str, generation: ev.Generation, backend: Backend, seconds: float) -> Outcome:
    """What is kept of one answer."""
    measured = measure(generation, backend)
    billed, failed, status = cost(measured), measured.time.failed, status_of(generation)
    return Outcome(
        place, question, (status or ev.Status.INTERRUPTED).value, seconds, max(1, measured.time.attempts),
        measured.output_tokens,
        as_decimal(billed) if isinstance(billed, Quantity) else None,
        billed.unit if isinstance(billed, Quantity) else "",
        measured.time.since_sent_ms(measured.time.first_ns),
        failed.kind if failed else "",
    )  # fmt: skip
