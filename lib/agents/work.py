"""What a loop and a prompt set have in common: work in a thread of its own, ended by Stop, a cap or an empty room.

Nothing is asked and nothing is kept here.
"""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import copy_context
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Protocol

from lib.agents.asking import Asked, LoopAsker
from lib.domain import events as ev
from lib.domain.run import Backend, Limits, Mode
from lib.grace import Grace, stop_unwatched
from lib.i18n import context_of_caller
from lib.metrics.cost import runs_here

_log = logging.getLogger(__name__)


class Asker(Protocol):
    """Who makes the requests."""

    clock_health_ms: float | None

    @property
    def versions(self) -> Mapping[str, str]: ...

    def ask(self, lane: int, asked: Asked) -> ev.Generation: ...

    def so_far(self, lane: int) -> ev.Generation | None: ...

    def stop(self, lane: int | None = None) -> None: ...


MakeAsker = Callable[[], AbstractContextManager[Asker]]


@dataclass(frozen=True, slots=True)
class Access:
    """Keys and limits by place in the plan; `cap` is the most that may be spent."""

    keys: Sequence[str] = field(repr=False)
    limits: Sequence[Limits]
    cap: Decimal | None = None


class Work(ABC):
    """`start` it, `stop` it, `wait` for it. `_work` is what is done; a `grace` that is over stops it too."""

    def __init__(self, name: str, make_asker: MakeAsker = LoopAsker, grace: Grace | None = None) -> None:
        self.clock_health_ms: float | None = None
        self.versions: Mapping[str, str] = {}
        self.ended_early = ""  # "stopped", "cap", "unwatched" or "fault"
        self.grace = grace
        self._name, self._make_asker = name, make_asker
        self._asker: Asker | None = None
        self._stopped, self._ended = threading.Event(), threading.Event()

    @property
    def is_running(self) -> bool:
        """Whether anything may still be asked."""
        return not self._ended.is_set()

    def start(self) -> None:
        """Carry it out in threads, in the language of the caller; returns at once."""
        told = context_of_caller()
        threading.Thread(target=told.run, args=(self.carry_out,), name=self._name, daemon=True).start()
        if self.grace is not None:
            stop_unwatched(self.grace, partial(self._end_early, "unwatched"), self._ended)

    def stop(self) -> None:
        """End what runs and begin nothing else; what is there stays. Returns at once."""
        self._end_early("stopped")

    def wait(self, timeout_s: float) -> bool:
        """Wait until it has ended; whether it has."""
        return self._ended.wait(timeout_s)

    def carry_out(self) -> None:
        """All of it, in this thread."""
        try:
            with self._make_asker() as asker:
                self._asker, self.versions = asker, dict(asker.versions)
                self._work(asker)
                self.clock_health_ms = asker.clock_health_ms
        except Exception:
            _log.exception("%s", self._name)
            self.ended_early = self.ended_early or "fault"
        finally:
            try:
                self._leave()
            except Exception:
                _log.exception("%s, at its end", self._name)
            self._ended.set()

    @abstractmethod
    def _work(self, asker: Asker) -> None:
        """What is done between the asker's coming and going."""

    def _leave(self) -> None:  # noqa: B027 - most work has nothing to tidy up
        """The last thing that is done, whatever happened."""

    def _end_early(self, why: str) -> None:
        if self._ended.is_set() or self._stopped.is_set():
            return
        self.ended_early = why
        self._stopped.set()
        if self._asker is not None:
            self._asker.stop()


def in_threads(work: Sequence[Callable[[], None]], on_fault: Callable[[], None] = lambda: None) -> None:
    """Each in a thread of its own, until all have ended; the first fault is raised here, `on_fault` told at once."""
    faults: list[Exception] = []

    def guarded(one: Callable[[], None]) -> None:
        try:
            one()
        except Exception as error:  # told by the thread that waits for it
            faults.append(error)
            on_fault()

    threads = [threading.Thread(target=copy_context().run, args=(guarded, one), daemon=True) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]


def mode_of(backends: Sequence[Backend]) -> Mode:
    """All at once, unless two would take this machine's time from each other: then one after another by host."""
    return Mode.BY_BACKEND if sum(map(runs_here, backends)) > 1 else Mode.ALL_AT_ONCE


def queues_of(backends: Sequence[Backend], mode: Mode) -> list[list[int]]:
    """Places that wait for each other, in order; the lists run beside each other."""
    queues: dict[str, list[int]] = {}
    for place, backend in enumerate(backends):
        queues.setdefault(mode.queue(place, backend), []).append(place)
    return list(queues.values())
