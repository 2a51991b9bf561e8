"""A loop into the history as it comes: a witness that hands on what a keeper of runs takes.

Every request becomes a lane of the recording when it begins; what a stop or a crash leaves is what had come, of a pause
as far as it was told, once in `LOOK_S`. Nothing is written here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import orjson

from lib.agents.loop import LoopRun
from lib.agents.phases import Kind
from lib.agents.record import TAG, run_of
from lib.domain.codec import Row
from lib.domain.run import Run

LOOK_S = 1.0  # so much of a pause can be lost by a crash


class Keeper(Protocol):
    """Who keeps runs (`lib.store.keeper`); must only put things aside and return."""

    def on_begin(self, run: Run, tags: Sequence[str]) -> None: ...

    def on_lanes(self, run: Run) -> None: ...

    def on_rows(self, run_id: str, rows: bytes) -> None: ...

    def on_end(self, run_id: str, health: Mapping[str, Any]) -> None: ...


class Keeping:
    """A `Witness` of one loop."""

    def __init__(
        self, keeper: Keeper, wait: Callable[[threading.Event, float], bool] = threading.Event.wait
    ) -> None:
        self._keeper, self._wait = keeper, wait
        self._loop: LoopRun | None = None
        self._has_begun = False
        self._lane_of: dict[int, int] = {}  # by place: the recording's lane of the request that runs
        self._pausing: set[int] = set()  # places that wait for a tool or a person
        self._over = threading.Event()
        self._lock = threading.Lock()  # a later telling never says less than an earlier one

    def on_begin(self, loop: LoopRun) -> None:
        """There is nothing to keep before the first request; pauses are looked at from here on."""
        self._loop = loop
        threading.Thread(target=self._follow_pauses, name=f"pauses of {loop.plan.id}", daemon=True).start()

    def on_request(self, place: int, step: int, number: int) -> None:
        """One lane more."""
        if self._loop is not None:
            self._lane_of[place] = self._loop.asked.index((place, step, number))
            self._tell_lanes()

    def on_rows(self, place: int, rows: list[Row]) -> None:
        """Rows of the lane's request."""
        if self._loop is not None and rows:
            self._keeper.on_rows(self._loop.plan.id, orjson.dumps([[self._lane_of[place], rows]]))

    def on_pause(self, place: int, kind: Kind, start_ns: int, seconds: float | None) -> None:
        """It is told as far as it has come until it is over."""
        self._pausing.add(place)

    def on_step(self, place: int) -> None:
        """Tool and person of the step stand in the lane's note."""
        self._pausing.discard(place)
        self._tell_lanes()

    def on_lane_end(self, place: int) -> None:
        """A pause that was cut is in the note as well."""
        self._pausing.discard(place)
        self._tell_lanes()

    def on_end(self) -> None:
        """The loop is over."""
        with self._lock:
            self._over.set()
        if self._loop is not None and self._has_begun:
            self._keeper.on_end(self._loop.plan.id, {"clock_health_ms": self._loop.clock_health_ms})

    def _follow_pauses(self) -> None:
        while not self._wait(self._over, LOOK_S):
            if self._pausing:
                self._tell_lanes()

    def _tell_lanes(self) -> None:
        with self._lock:
            run = run_of(self._loop) if self._loop is not None and not self._over.is_set() else None
            if run is None:
                return
            if self._has_begun:
                self._keeper.on_lanes(run)
            else:
                self._keeper.on_begin(run, [TAG])
            self._has_begun = True
