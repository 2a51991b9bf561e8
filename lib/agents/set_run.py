"""A whole prompt set through each backend with a chosen concurrency, by the collector process, resumable.

Backends are asked one after another or all at once (`at_once`; those of this machine still wait for each other); every
answer is an outcome in the state file. What has an outcome is not asked again, unless it failed and that is wished.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from time import perf_counter_ns

from lib.agents.asking import Asked, LoopAsker
from lib.agents.phases import status_of
from lib.agents.prompt_set import PromptSet, Question
from lib.agents.set_state import Outcome, Session, StateFile
from lib.agents.work import Access, Asker, MakeAsker, Work, in_threads, mode_of, queues_of
from lib.domain import events as ev
from lib.domain.run import Backend, Mode, Params
from lib.grace import Grace
from lib.metrics.cost import as_decimal, cost
from lib.metrics.measurement import measure
from lib.metrics.quantity import Quantity
from lib.metrics.timeline import NS_PER_S

MOST_CONCURRENCY = 128


@dataclass(frozen=True, slots=True)
class SetPlan:
    """Which questions go to whom; `concurrency` is for each backend."""

    id: str
    questions: PromptSet
    backends: tuple[Backend, ...]
    params: Params = field(default_factory=Params)
    concurrency: int = 4
    at_once: bool = False  # backends beside each other instead of one after another


class SetRun(Work):
    """One plan being carried out: `start`, read `outcomes`, `stop`; begun anew it goes on where it was.

    `failed_again`: what an earlier session could not get answered is asked once more; its attempts are counted on.
    """

    def __init__(
        self,
        plan: SetPlan,
        access: Access,
        state: StateFile,
        asker: MakeAsker = LoopAsker,
        clock_ns: Callable[[], int] = perf_counter_ns,
        grace: Grace | None = None,
        *,
        failed_again: bool = False,
    ) -> None:
        super().__init__(f"prompt set {plan.id}", asker, grace)
        self.plan, self.state = plan, state
        self._access, self._clock_ns = access, clock_ns
        kept, self._sessions = state.read()
        self._outcomes = {(one.backend, one.question): one for one in kept if one.status in _FINAL}
        failed = {key for key, one in self._outcomes.items() if one.status != ev.Status.COMPLETE.value}
        self._again = failed if failed_again else set()
        self.resumed = len(self._outcomes) - len(self._again)
        self._began_ns: dict[int, int] = {}
        self._spent = Decimal(0)
        self._lock = threading.Lock()

    @property
    def total(self) -> int:
        """Questions times backends."""
        return len(self.plan.questions.questions) * len(self.plan.backends)

    @property
    def waits_in_turn(self) -> bool:
        """Whether backends that were to run beside each other wait for each other, as they share this machine."""
        return self.plan.at_once and mode_of(self.plan.backends) is Mode.BY_BACKEND

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

    def _work(self, asker: Asker) -> None:
        places = list(range(len(self.plan.backends)))
        queues = queues_of(self.plan.backends, mode_of(self.plan.backends)) if self.plan.at_once else [places]
        in_threads([partial(self._queue, queue, asker) for queue in queues], self._stopped.set)

    def _queue(self, places: Sequence[int], asker: Asker) -> None:
        for place in places:
            self._backend(place, asker)

    def _backend(self, place: int, asker: Asker) -> None:
        with self._lock:
            done = self._outcomes.keys() - self._again
        left = [one for one in self.plan.questions.questions if (place, one.id) not in done]
        if not left or self._stopped.is_set():
            return
        with self._lock:
            self._began_ns[place] = self._clock_ns()
        waiting = iter(left)
        lanes = range(min(self.plan.concurrency, len(left)))
        in_threads([partial(self._worker, place, lane, waiting, asker) for lane in lanes], self._stopped.set)
        with self._lock:
            session = Session(place, (self._clock_ns() - self._began_ns.pop(place)) / NS_PER_S)
            self._sessions.append(session)
        self.state.append(session)

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
        key = outcome.backend, outcome.question
        earlier = self._outcomes.get(key) if key in self._again else None
        if earlier is not None:
            outcome = replace(outcome, attempts=earlier.attempts + outcome.attempts)
        self.state.append(outcome)
        with self._lock:
            self._outcomes[key] = outcome
            self._again.discard(key)
            self._spent += outcome.cost or 0
        if self._access.cap is not None and self._spent >= self._access.cap:
            self._end_early("cap")


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
