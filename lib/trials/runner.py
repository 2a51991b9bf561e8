"""Runs a plan of trials in threads of its own; what is done so far can be read at any time, by anybody.

A round begins when the one before has ended, so that a round is a pair also where hosts run in parallel.
Nothing is drawn here and nothing waits for a page; Stop keeps what is there.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from contextvars import copy_context
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Protocol

from lib.collector.single import Hear
from lib.domain.events import Generation
from lib.domain.run import Backend, Limits, Params, Prompt
from lib.grace import Grace, stop_unwatched
from lib.i18n import context_of_caller
from lib.metrics.cost import as_decimal
from lib.metrics.quantity import Quantity
from lib.reading import ReadingSpeed
from lib.trials.asking import StoppableMeasurer
from lib.trials.keeping import Keeping
from lib.trials.plan import Plan, Turn
from lib.trials.progress import Progress
from lib.trials.trial import Trial, trial_of

MOST_RUNNING = 4
KEPT = 32
_log = logging.getLogger(__name__)


class TooManyTrials(RuntimeError):
    """So many series of trials run already that another would disturb them."""


class Asker(Protocol):
    """Who makes the requests."""

    clock_health_ms: float | None

    @property
    def versions(self) -> Mapping[str, str]: ...

    def generation(
        self,
        backend: Backend,
        key: str,
        prompt: Prompt,
        params: Params,
        limits: Limits,
        hear: Hear | None = None,
    ) -> Generation: ...

    def stop(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Access:
    """What the requests need beside the plan, by place in it; `cap` is the most that may be spent."""

    keys: Sequence[str] = field(repr=False)
    limits: Sequence[Limits]
    speed: ReadingSpeed | None = None
    cap: Decimal | None = None


class Series:
    """One plan being carried out: `start` it, read `trials` and `progress`, `stop` it."""

    def __init__(
        self,
        plan: Plan,
        access: Access,
        asker: Callable[[], AbstractContextManager[Asker]] = StoppableMeasurer,
        clock_s: Callable[[], float] = time.monotonic,
        keeping: Keeping | None = None,
        grace: Grace | None = None,
    ) -> None:
        self.plan = plan
        self.grace = grace or Grace(None)
        self._keeping = keeping
        self.clock_health_ms: float | None = None
        self.versions: Mapping[str, str] = {}
        self._access, self._asker, self._clock_s = access, asker, clock_s
        self._lock = threading.Lock()
        self._trials: list[Trial] = []
        self._asking: list[int] = []
        self._round_times_s: list[float] = []
        self._round, self._round_began_s = 0, 0.0
        self._stopped, self._ended = threading.Event(), threading.Event()
        self._why = ""
        self._current: Asker | None = None

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial that has ended, warm-ups included."""
        with self._lock:
            return tuple(self._trials)

    @property
    def progress(self) -> Progress:
        """How far it is right now."""
        with self._lock:
            return Progress(
                len(self._trials), self.plan.requests, self._round, self.plan.rounds, tuple(self._asking),
                self._left_s(), not self._ended.is_set(), self._why,
            )  # fmt: skip

    def start(self) -> None:
        """Carry the plan out in a thread, in the language of the caller; returns at once."""
        told = context_of_caller()
        stop_unwatched(self.grace, partial(self._end_early, "unwatched"), self._ended)
        threading.Thread(target=told.run, args=(self.carry_out,), name="trials", daemon=True).start()

    def stop(self) -> None:
        """End the running requests and begin no other; returns at once."""
        self._end_early("stopped")

    def wait(self, timeout_s: float) -> bool:
        """Wait until it has ended; whether it has."""
        return self._ended.wait(timeout_s)

    def carry_out(self) -> None:
        """Every round in order, in this thread."""
        try:
            with self._asker() as asker:
                self._current = asker
                if self._keeping is not None:
                    self._keeping.begin(asker.versions)
                for turns in self.plan.turns:
                    if self._stopped.is_set():
                        break
                    self._run_round(turns, asker)
                self.clock_health_ms, self.versions = asker.clock_health_ms, dict(asker.versions)
        except Exception:
            _log.exception("trials %s", self.plan.id)
            self._why = self._why or "fault"
        finally:
            if self._keeping is not None:
                self._keeping.end(self._why, self.clock_health_ms)
            self._ended.set()

    def _run_round(self, turns: Sequence[Turn], asker: Asker) -> None:
        with self._lock:
            self._round, self._round_began_s = turns[0].round, self._clock_s()
        queues = self.plan.queues(turns)
        with ThreadPoolExecutor(len(queues), thread_name_prefix="trial") as threads:
            begun = [threads.submit(copy_context().run, self._run_queue, queue, asker) for queue in queues]
            for done in begun:
                done.result()
        if self._keeping is not None:
            self._keeping.end_round(turns[0].round, asker.clock_health_ms)
        if turns[0].round:  # a warm-up is shorter than a round
            self._round_times_s.append(self._clock_s() - self._round_began_s)

    def _run_queue(self, turns: Sequence[Turn], asker: Asker) -> None:
        for turn in turns:
            if self._stopped.is_set():
                return
            with self._lock:
                self._asking.append(turn.place)
            generation = self._ask(turn, asker)
            trial = trial_of(
                turn, self.plan.condition, generation, self.plan.backends[turn.place], self._access.speed
            )
            with self._lock:
                self._asking.remove(turn.place)
                self._trials.append(trial)
            self._mind_the_cap()

    def _ask(self, turn: Turn, asker: Asker) -> Generation:
        place, plan = turn.place, self.plan
        prompt = plan.prompt_with(secrets.token_hex(8))
        key, limits = self._access.keys[place], self._access.limits[place]
        hear = None if self._keeping is None else self._keeping.ask(turn)
        return asker.generation(plan.backends[place], key, prompt, plan.params_of(turn), limits, hear)

    def _mind_the_cap(self) -> None:
        if self._access.cap is None:
            return
        costs = [trial.figures["cost"] for trial in self.trials]
        spent = sum((as_decimal(cost) for cost in costs if isinstance(cost, Quantity)), Decimal(0))
        if spent >= self._access.cap:
            self._end_early("cap")

    def _end_early(self, why: str) -> None:
        if self._ended.is_set() or self._stopped.is_set():
            return
        self._why = why
        self._stopped.set()
        if self._current is not None:
            self._current.stop()

    def _left_s(self) -> float | None:
        """Mean time of the rounds so far, for those to come and what is left of this one."""
        if not self._round_times_s or self._ended.is_set():
            return None
        mean_s = sum(self._round_times_s) / len(self._round_times_s)
        rest_s = max(0.0, mean_s - (self._clock_s() - self._round_began_s))
        return mean_s * (self.plan.rounds - self._round) + rest_s


class Desk:
    """The series of this server by their id: any page, tab or visitor with the id finds them."""

    def __init__(self) -> None:
        self._series: dict[str, Series] = {}
        self._lock = threading.Lock()

    def start(self, series: Series) -> None:
        """Begin it. Raises TooManyTrials."""
        with self._lock:
            running = [one for one in self._series.values() if one.progress.is_running]
            if len(running) >= MOST_RUNNING:
                raise TooManyTrials
            ended = [id_ for id_, one in self._series.items() if not one.progress.is_running]
            for id_ in ended[: max(0, len(ended) - KEPT + 1)]:
                del self._series[id_]
            self._series[series.plan.id] = series
        series.start()

    def get(self, id_: str | None) -> Series | None:
        """The series with this id, if this server still holds it."""
        return self._series.get(id_ or "")

    def close(self) -> None:
        """Stop whatever runs."""
        for series in tuple(self._series.values()):
            series.stop()
