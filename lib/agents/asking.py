"""A collector of the loops' own: many requests at once, each readable while it runs, all ended by one Stop.

Requests that run at the same time are lanes of one run, so that a hundred of them are shipped as one; every time is
absolute on the monotonic clock of this machine. Nothing waits for a page.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter_ns
from typing import Any, Self

import orjson

from lib.collector.client import CollectorClient
from lib.domain.codec import Row, decode_rows
from lib.domain.events import Ended, Generation, Status
from lib.domain.run import Backend, Limits, Mode, Params, Prompt, Run, new_id

READY_S = 30.0


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: whom, what, within which limits."""

    backend: Backend
    prompt: Prompt
    params: Params
    limits: Limits
    key: str = field(default="", repr=False)
    hear: Callable[[list[Row]], None] | None = None  # told every row as it comes, times as in the generation


@dataclass(slots=True)
class _Request:
    run_id: str
    hear: Callable[[list[Row]], None] | None = None
    rows: list[Row] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)
    has_died: bool = False


class LoopAsker:
    """Use as a context manager; `ask` from as many threads as there are lanes, each with a number of its own."""

    def __init__(self) -> None:
        self.clock_health_ms: float | None = None  # the worst of all requests so far
        self._client = CollectorClient(self)
        self._requests: dict[int, _Request] = {}
        self._run_id = ""
        self._lock = threading.Lock()
        self._stopping = False
        self._stopped: set[int] = set()  # lanes that are asked nothing more

    def __enter__(self) -> Self:
        self._client.start()
        self._client.ready.wait(READY_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @property
    def pid(self) -> int | None:
        """Process id of the collector."""
        return self._client.pid

    @property
    def versions(self) -> dict[str, str]:
        """Versions behind the measurement."""
        return self._client.versions

    def ask(self, lane: int, asked: Asked) -> Generation:
        """One request from start to end; blocks. Times are absolute nanoseconds of the monotonic clock."""
        with self._lock:
            left = "" if self._requests else self._run_id
            if not self._requests:  # a run that has ended is never begun anew
                self._run_id = new_id(12)
            request = self._requests[lane] = _Request(self._run_id, asked.hear)
        if left:
            self._client.forget(left)
        backends = (asked.backend,) * (lane + 1)  # an order goes by its place
        run = Run(request.run_id, asked.prompt, asked.params, Mode.ALL_AT_ONCE, backends)
        self._client.retry(run, lane, asked.key, asked.limits, origin_ns=0)
        if self._stopping or lane in self._stopped:
            self._client.stop(request.run_id, lane)
        request.ended.wait()
        with self._lock:
            del self._requests[lane]
        generation = _read(lane, request)
        if not request.has_died:
            return generation
        at_ns = generation.events[-1].at_ns if generation.events else perf_counter_ns()
        return Generation(lane, (*generation.events, Ended(at_ns, Status.INTERRUPTED)))

    def so_far(self, lane: int) -> Generation | None:
        """What has come of the request that this lane waits for; None when it waits for none."""
        request = self._requests.get(lane)
        return None if request is None else _read(lane, request)

    def stop(self, lane: int | None = None) -> None:
        """End every request that runs, and each that should still begin; of one lane or of all."""
        self._stopping = self._stopping or lane is None
        if lane is not None:
            self._stopped.add(lane)
        for number, request in tuple(self._requests.items()):
            if lane in (None, number):
                self._client.stop(request.run_id, number)

    def on_begun(self, run_id: str, origin_ns: int) -> None:
        """Times here begin at the clock's own origin."""

    def on_view(self, run_id: str, message: bytes) -> None:
        """What is shown is made of the rows."""

    def on_rows(self, run_id: str, rows: bytes) -> None:
        """Keep the rows of each request."""
        for lane, its in orjson.loads(rows):
            request = self._requests.get(lane)
            if request is None or request.run_id != run_id:
                continue
            request.rows.extend(its)
            if request.hear is not None:
                request.hear([row for row in its if row[1] != "restart"])

    def on_lane_end(self, run_id: str, lane: int) -> None:
        """Its last rows came before this."""
        request = self._requests.get(lane)
        if request is not None and request.run_id == run_id:
            request.ended.set()

    def on_end(self, run_id: str, health: dict[str, Any]) -> None:
        """Keep the worst clock."""
        late_ms = health.get("clock_health_ms")
        if late_ms is not None:
            self.clock_health_ms = max(self.clock_health_ms or 0.0, late_ms)

    def on_died(self, run_ids: list[str]) -> None:
        """The collector died: what it was asked is interrupted, with what had come."""
        for request in tuple(self._requests.values()):
            if request.run_id in run_ids:
                request.has_died = True
                request.ended.set()


def shifted(generation: Generation, by_ns: int) -> Generation:
    """The generation on another clock: every time moved by so many nanoseconds."""
    events = tuple(replace(event, at_ns=event.at_ns + by_ns) for event in generation.events)
    return Generation(generation.lane, events)


def _read(lane: int, request: _Request) -> Generation:
    """The events so far; a lane begun in a run that is under way opens with a `restart` row."""
    return decode_rows(lane, tuple(request.rows))[-1]
