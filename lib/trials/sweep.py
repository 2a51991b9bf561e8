"""A concurrency sweep: the same backend asked by 1, 2, 4, ... users at once, a level after the other, in a thread.

What is measured is the client's view; the knee is found by the rule of `lib.limits.knee`. Nothing waits for a page.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from statistics import median
from typing import Protocol

from lib.domain.events import Generation, Status
from lib.domain.run import Backend, Limits, Params, Prompt
from lib.i18n import context_of_caller
from lib.limits.knee import knee
from lib.metrics.catalogue import ttft_ms
from lib.metrics.measurement import Measurement, measure
from lib.metrics.quantity import number
from lib.metrics.rates import decode_rate
from lib.trials.crowd import CrowdMeasurer

LEVELS = (1, 2, 4, 8, 16, 32, 64)
MOST_RUNNING = 1  # a sweep loads the machine: two would measure each other
_log = logging.getLogger(__name__)


class TooManySweeps(RuntimeError):
    """A sweep runs already, and two at once would measure each other."""


class Crowd(Protocol):
    """Who makes the requests."""

    def crowd(
        self, backend: Backend, key: str, prompt: Prompt, params: Params, limits: Limits, users: int
    ) -> tuple[Generation, ...]: ...

    def stop(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Level:
    """What so many users at once got; None where no request gave the figure.

    `total_tps` is the tokens of all completed requests over the time from the first text of any to the last.
    """

    users: int
    completed: int
    ttft_ms: float | None
    per_user_tps: float | None
    total_tps: float | None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of whom; `backends` has one for each level, `expected_tps` what a model foretold (or nothing)."""

    id: str
    name: str
    levels: Sequence[int]
    backends: Sequence[Backend]
    prompt: Prompt
    params: Params
    limits: Limits
    key: str = field(default="", repr=False)
    expected_tps: Sequence[float] = ()  # per user


class Sweep:
    """One sweep being carried out: `start` it, read `results`, `stop` it."""

    def __init__(
        self, question: Question, crowd: Callable[[], AbstractContextManager[Crowd]] = CrowdMeasurer
    ) -> None:
        self.question = question
        self._crowd = crowd
        self._lock = threading.Lock()
        self._results: list[Level] = []
        self._stopped, self._ended = threading.Event(), threading.Event()
        self._current: Crowd | None = None
        self.is_faulty = False

    @property
    def results(self) -> tuple[Level, ...]:
        """Every level that has ended."""
        with self._lock:
            return tuple(self._results)

    @property
    def is_running(self) -> bool:
        """Whether levels are still to come."""
        return not self._ended.is_set()

    @property
    def was_stopped(self) -> bool:
        """Whether somebody ended it."""
        return self._stopped.is_set()

    def start(self) -> None:
        """Carry it out in a thread, in the language of the caller; returns at once."""
        threading.Thread(target=context_of_caller().run, args=(self.carry_out,), name="sweep", daemon=True).start()

    def stop(self) -> None:
        """End the running requests and begin no other level; returns at once."""
        self._stopped.set()
        if self._current is not None:
            self._current.stop()

    def wait(self, timeout_s: float) -> bool:
        """Wait until it has ended; whether it has."""
        return self._ended.wait(timeout_s)

    def carry_out(self) -> None:
        """Every level in order, in this thread; a level that was stopped is not kept."""
        asked = self.question
        try:
            with self._crowd() as crowd:
                self._current = crowd
                for users, backend in zip(asked.levels, asked.backends, strict=True):
                    if self._stopped.is_set():
                        break
                    found = crowd.crowd(backend, asked.key, asked.prompt, asked.params, asked.limits, users)
                    if not self._stopped.is_set():
                        self._keep(level_of(users, backend, found))
        except Exception:
            _log.exception("sweep %s", asked.id)
            self.is_faulty = True
        finally:
            self._ended.set()

    def _keep(self, level: Level) -> None:
        with self._lock:
            self._results.append(level)


def level_of(users: int, backend: Backend, generations: Sequence[Generation]) -> Level:
    """The figures of one level, from the generations of its users (only completed ones count)."""
    measured = [measure(generation, backend) for generation in generations]
    whole = [one for one in measured if one.time.status is Status.COMPLETE and one.arrivals]
    waits = [value for one in whole if (value := number(ttft_ms(one))) is not None]
    rates = [value for one in whole if (value := number(decode_rate(one))) is not None]
    return Level(
        users, len(whole), median(waits) if waits else None, median(rates) if rates else None, _total(whole)
    )


def knee_of(levels: Sequence[Level]) -> int | None:
    """The knee among measured levels (`lib.limits.knee.knee`)."""
    return knee([
        (level.users, level.total_tps, level.per_user_tps) for level in levels
        if level.total_tps is not None and level.per_user_tps is not None
    ])  # fmt: skip


def _total(whole: Sequence[Measurement]) -> float | None:
    """Tokens/s of all: every token of every user, over first to last arrival of any."""
    if not whole:
        return None
    begin_ns = min(one.arrivals[0].at_ns for one in whole)
    end_ns = max(one.arrivals[-1].at_ns for one in whole)
    tokens = sum(one.output_tokens or 0 for one in whole)
    return tokens / ((end_ns - begin_ns) / 1e9) if end_ns > begin_ns else None


class SweepDesk:
    """The sweeps of this server by their id; one at a time."""

    def __init__(self) -> None:
        self._sweeps: dict[str, Sweep] = {}
        self._lock = threading.Lock()

    def start(self, sweep: Sweep) -> None:
        """Begin it, and forget all but the last few that ended. Raises TooManySweeps."""
        with self._lock:
            if sum(one.is_running for one in self._sweeps.values()) >= MOST_RUNNING:
                raise TooManySweeps
            self._sweeps = dict([*self._sweeps.items()][-15:])
            self._sweeps[sweep.question.id] = sweep
        sweep.start()

    def get(self, id_: str | None) -> Sweep | None:
        """The sweep with this id, if this server still holds it."""
        return self._sweeps.get(id_ or "")
