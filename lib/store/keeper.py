"""The history's ear at the hub: runs are kept as they come, by one thread, never on the path of a stamp.

The hub calls `on_begin`, `on_rows`, `on_end`; each only puts into a queue. The thread writes all that has come
since its last write in one transaction per run. A write that fails is told (`trouble`) and tried again: the run
on screen does not depend on it.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy.exc import InterfaceError, OperationalError

from lib.domain.run import Run
from lib.domain.series import RoundPlace, SeriesPlan
from lib.store.rows import NoSuchRunError
from lib.store.trouble import Trouble, trouble_of

RETRY_S = (0.2, 1.0, 5.0)  # then every 5 s
MOST_WAITING_BYTES = 256 * 2**20
QUIET_S = 60.0
CLOSE_S = 10.0
PASSING = (OperationalError, InterfaceError, OSError)  # a full disk, a lock, a server that is away
_log = logging.getLogger(__name__)


class Kept(Protocol):
    """What the keeper needs of a store."""

    def begin(self, run: Run, place: RoundPlace | None = None) -> None: ...

    def begin_series(self, run: Run, plan: SeriesPlan) -> None: ...

    def end_series(self, run_id: str, ended: str) -> None: ...

    def tag(self, run_id: str, tags: Sequence[str]) -> None: ...

    def extend(self, run: Run) -> None: ...

    def seen(self, run_id: str, display_lag_ms: float) -> None: ...

    def append(self, run_id: str, payload: bytes) -> None: ...

    def end(self, run_id: str, clock_health_ms: float | None) -> None: ...

    def tidy(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Begin:
    run: Run
    tags: tuple[str, ...] = ()
    place: RoundPlace | None = None

    @property
    def run_id(self) -> str:
        return self.run.id


@dataclass(frozen=True, slots=True)
class _BeginSeries:
    run: Run
    plan: SeriesPlan
    tags: tuple[str, ...] = ()

    @property
    def run_id(self) -> str:
        return self.run.id


@dataclass(frozen=True, slots=True)
class _EndSeries:
    run_id: str
    ended: str


@dataclass(frozen=True, slots=True)
class _Extend:
    run: Run

    @property
    def run_id(self) -> str:
        return self.run.id


@dataclass(frozen=True, slots=True)
class _Seen:
    run_id: str
    display_lag_ms: float


@dataclass(frozen=True, slots=True)
class _Rows:
    run_id: str
    payloads: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class _End:
    run_id: str
    clock_health_ms: float | None


_Job = _Begin | _BeginSeries | _Extend | _Seen | _Rows | _End | _EndSeries


class Keeper:
    """One writer thread for one store."""

    def __init__(self, store: Kept, wait: Callable[[threading.Event, float], object] | None = None) -> None:
        self._store = store
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._waiting_bytes = 0
        self._counting = threading.Lock()
        self._lost: set[str] = set()
        self._trouble: Trouble | None = None
        self._closing = threading.Event()
        self._wait = wait or threading.Event.wait
        self._thread = threading.Thread(target=self._work, name="history", daemon=True)
        self._thread.start()

    @property
    def trouble(self) -> Trouble | None:
        """Why the history is not being written at the moment; None when all is well."""
        return self._trouble

    def is_lost(self, run_id: str) -> bool:
        """Whether this run could not be kept (whole); it must be exported to be kept."""
        return run_id in self._lost

    def on_begin(self, run: Run, tags: Sequence[str] = (), place: RoundPlace | None = None) -> None:
        """A run was started; `place`: as a round of a series."""
        self._jobs.put(_Begin(run, tuple(tags), place))

    def on_series(self, run: Run, plan: SeriesPlan, tags: Sequence[str] = ()) -> None:
        """A series of trials was started; told before its rounds."""
        self._jobs.put(_BeginSeries(run, plan, tuple(tags)))

    def on_series_end(self, run_id: str, ended: str) -> None:
        """A series is over; told after its rounds."""
        self._jobs.put(_EndSeries(run_id, ended))

    def on_lanes(self, run: Run) -> None:
        """A run has more lanes than it began with; told before their rows come."""
        self._jobs.put(_Extend(run))

    def on_seen(self, run_id: str, display_lag_ms: float) -> None:
        """A screen that followed the run to its end has told how late it was."""
        self._jobs.put(_Seen(run_id, display_lag_ms))

    def on_rows(self, run_id: str, rows: bytes) -> None:
        """Rows came, as the collector shipped them."""
        if self._waiting_bytes > MOST_WAITING_BYTES:
            self._lost.add(run_id)
            return
        with self._counting:
            self._waiting_bytes += len(rows)
        self._jobs.put(_Rows(run_id, (rows,)))

    def on_end(self, run_id: str, health: Mapping[str, Any]) -> None:
        """Every lane has ended."""
        self._jobs.put(_End(run_id, health.get("clock_health_ms")))

    def close(self) -> None:
        """Write what has come, then end; a write that keeps failing is given up."""
        self._closing.set()
        self._jobs.put(None)
        self._thread.join(CLOSE_S)

    def _work(self) -> None:
        while True:
            jobs = self._next()
            for job in _joined(jobs):
                self._do(job)
            if None in jobs:
                return

    def _next(self) -> list[_Job | None]:
        """All that waits, at least one; nothing in a quiet minute."""
        try:
            jobs = [self._jobs.get(timeout=QUIET_S)]
        except queue.Empty:
            self._tidy()
            return []
        while jobs[-1] is not None:
            try:
                jobs.append(self._jobs.get_nowait())
            except queue.Empty:
                break
        return jobs

    def _do(self, job: _Job) -> None:
        tries = 0
        while not self._done(job):
            if self._closing.is_set():
                self._lose(job)
                return
            self._wait(self._closing, RETRY_S[min(tries, len(RETRY_S) - 1)])
            tries += 1
        if isinstance(job, _Rows):
            with self._counting:
                self._waiting_bytes -= sum(map(len, job.payloads))

    def _done(self, job: _Job) -> bool:
        """Try once; False when it is worth trying again."""
        try:
            self._write(job)
            self._trouble = None
        except PASSING as error:
            if self._trouble is None:
                _log.warning("the history cannot be written", exc_info=error)
            self._trouble = trouble_of(error)
            return False
        except NoSuchRunError:
            self._lose(job)  # it could not be begun, or was removed meanwhile
        except Exception:  # this run cannot be kept; the next ones can
            _log.exception("a run could not be kept")
            self._lose(job)
        return True

    def _write(self, job: _Job) -> None:
        if isinstance(job, _Begin):
            self._store.begin(job.run, job.place)
        elif isinstance(job, _BeginSeries):
            self._store.begin_series(job.run, job.plan)
        elif isinstance(job, _Extend):
            self._store.extend(job.run)
        elif isinstance(job, _Seen):
            self._store.seen(job.run_id, job.display_lag_ms)
        elif isinstance(job, _Rows):
            self._store.append(job.run_id, b"\n".join(job.payloads))
        elif isinstance(job, _End):
            self._store.end(job.run_id, job.clock_health_ms)
        else:
            self._store.end_series(job.run_id, job.ended)
        if isinstance(job, _Begin | _BeginSeries) and job.tags:
            self._store.tag(job.run_id, job.tags)

    def _tidy(self) -> None:
        """Close the runs of processes that died since the start; remove what was deleted long ago."""
        try:
            self._store.tidy()
        except PASSING as error:
            _log.warning("the history cannot be read", exc_info=error)

    def _lose(self, job: _Job) -> None:
        self._lost.add(job.run_id)


def _joined(jobs: Sequence[_Job | None]) -> list[_Job]:
    """The same jobs, rows of one run that follow each other as one batch; order within a run is kept."""
    found: list[_Job] = []
    places: dict[str, int] = {}
    parts: dict[int, list[bytes]] = {}
    for job in jobs:
        if isinstance(job, _Rows):
            if job.run_id not in places:
                places[job.run_id] = len(found)
                found.append(job)
            parts.setdefault(places[job.run_id], []).extend(job.payloads)
        elif job is not None:
            places.pop(job.run_id, None)
            found.append(job)
    return [
        _Rows(job.run_id, tuple(parts[place])) if isinstance(job, _Rows) else job
        for place, job in enumerate(found)
    ]
