"""A series into the history as it comes: every round is a run whose lanes are the backends, on the round's own clock.

A lane that was not asked, because the series ended before, has no attempt in it. Reading back: `lib/trials/kept.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import perf_counter_ns
from typing import Any, Protocol

import orjson

from lib.domain.codec import Row
from lib.domain.events import Status
from lib.domain.run import Run
from lib.domain.series import RoundPlace, SeriesPlan
from lib.trials.plan import Plan, Turn


class Keeper(Protocol):
    """Who keeps runs (`lib.store.keeper`); must only put things aside and return."""

    def on_series(self, run: Run, plan: SeriesPlan, tags: Sequence[str] = ()) -> None: ...

    def on_begin(self, run: Run, tags: Sequence[str] = (), place: RoundPlace | None = None) -> None: ...

    def on_rows(self, run_id: str, rows: bytes) -> None: ...

    def on_end(self, run_id: str, health: Mapping[str, Any]) -> None: ...

    def on_series_end(self, run_id: str, ended: str) -> None: ...


@dataclass(slots=True)
class _Round:
    origin_ns: int
    unasked: set[int]


class Keeping:
    """Safe to use from the threads of a series."""

    def __init__(
        self,
        plan: Plan,
        keeper: Keeper,
        tags: Sequence[str] = (),
        clock_ns: Callable[[], int] = perf_counter_ns,
    ) -> None:
        self._plan, self._keeper, self._tags, self._clock_ns = plan, keeper, tags, clock_ns
        self._rounds: dict[int, _Round] = {}
        self._versions: Mapping[str, str] = {}
        self._lock = threading.Lock()

    def begin(self, versions: Mapping[str, str]) -> None:
        """The series begins; `versions` are those of who measures."""
        self._versions = dict(versions)
        plan = self._plan
        kept = SeriesPlan(plan.rounds, plan.condition.value, plan.has_warm_up, plan.seed)
        self._keeper.on_series(self._run(plan.id, plan.started_at), kept, self._tags)

    def ask(self, turn: Turn) -> Callable[[int, list[Row]], None]:
        """A turn is asked now; returns who is told its rows as they come, with the origin of their clock (ns)."""
        run_id, its = self._run_id(turn.round), self._begun(turn.round)
        with self._lock:
            its.unasked.discard(turn.place)

        def hear(origin_ns: int, rows: list[Row]) -> None:
            by_ns = origin_ns - its.origin_ns
            moved = [[max(0, at_ns + by_ns), *rest] for at_ns, *rest in rows]
            self._keeper.on_rows(run_id, orjson.dumps([[turn.place, moved]]))

        return hear

    def end_round(self, number: int, clock_health_ms: float | None) -> None:
        """A round has ended; who was not asked in it never will be."""
        its = self._rounds.pop(number, None)
        if its is None:
            return
        run_id = self._run_id(number)
        if its.unasked:
            never: list[Row] = [[0, "end", Status.STOPPED.value]]
            self._keeper.on_rows(run_id, orjson.dumps([[place, never] for place in sorted(its.unasked)]))
        self._keeper.on_end(run_id, {"clock_health_ms": clock_health_ms})

    def end(self, why: str, clock_health_ms: float | None) -> None:
        """The series has ended; `why`, when that is before its end."""
        for number in tuple(self._rounds):
            self.end_round(number, clock_health_ms)
        self._keeper.on_series_end(self._plan.id, why)

    def _begun(self, number: int) -> _Round:
        with self._lock:
            known = self._rounds.get(number)
            if known is not None:
                return known
            its = self._rounds[number] = _Round(self._clock_ns(), set(range(len(self._plan.backends))))
            now = datetime.now(UTC).isoformat(timespec="seconds")
            run = self._run(self._run_id(number), now)
            if number == 0:
                places = range(len(self._plan.backends))
                run = replace(run, own_params={n: self._plan.params_of(Turn(0, n)) for n in places})
            self._tell_begin(run, number)
            return its

    def _tell_begin(self, run: Run, number: int) -> None:
        self._keeper.on_begin(run, place=RoundPlace(self._plan.id, number))

    def _run_id(self, number: int) -> str:
        return f"{self._plan.id}-{number}"

    def _run(self, run_id: str, started_at: str) -> Run:
        return replace(self._plan.as_run(), id=run_id, started_at=started_at, versions=self._versions)


class SingleRound(Keeping):
    """One round that is no series: a run like any other."""

    def begin(self, versions: Mapping[str, str]) -> None:
        """Nothing stands for the round; it stands for itself."""
        self._versions = dict(versions)

    def end(self, why: str, clock_health_ms: float | None) -> None:
        """The round has ended, if it had not."""
        for number in tuple(self._rounds):
            self.end_round(number, clock_health_ms)

    def _tell_begin(self, run: Run, number: int) -> None:
        self._keeper.on_begin(run, self._tags)

    def _run_id(self, number: int) -> str:
        return self._plan.id
