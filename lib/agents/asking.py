"""A collector of the loops' own: many requests at once, each readable while it runs, all ended by one Stop.

Every generation comes back on the absolute monotonic clock of this machine, so that requests of one task share
one clock. Nothing waits for a page.
"""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass, field, replace
from time import perf_counter_ns
from typing import Any, Self

from lib.collector.single import Measurer
from lib.domain.codec import decode_rows
from lib.domain.events import Ended, Generation, Status
from lib.domain.run import Backend, Limits, Mode, Params, Prompt, Run


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: whom, what, within which limits."""

    backend: Backend
    prompt: Prompt
    params: Params
    limits: Limits
    key: str = field(default="", repr=False)


class LoopAsker(Measurer):
    """Use as a context manager; `ask` from as many threads as there are lanes."""

    def __init__(self) -> None:
        super().__init__()
        self.clock_health_ms: float | None = None  # the worst of all requests so far
        self._origins: dict[str, int] = {}
        self._asking: dict[int, str] = {}  # lane -> the run that is its request now
        self._stopping = False

    def __enter__(self) -> Self:
        super().__enter__()
        return self

    @property
    def versions(self) -> dict[str, str]:
        """Versions behind the measurement."""
        return self._client.versions

    def ask(self, lane: int, asked: Asked) -> Generation:
        """One request from start to end; blocks. Times are absolute nanoseconds of the monotonic clock."""
        run = Run(secrets.token_urlsafe(12), asked.prompt, asked.params, Mode.ALL_AT_ONCE, (asked.backend,))
        self._origins[run.id], self._rows[run.id] = perf_counter_ns(), []
        ended = self._ended[run.id] = threading.Event()
        self._asking[lane] = run.id
        self._client.start_run(run, {0: asked.key}, asked.limits)
        ended.wait()
        generation = self._read(run.id, lane)
        del self._asking[lane], self._ended[run.id], self._rows[run.id], self._origins[run.id]
        if run.id not in self._died:
            self._client.forget(run.id)
            return generation
        at_ns = generation.events[-1].at_ns if generation.events else perf_counter_ns()
        return Generation(lane, (*generation.events, Ended(at_ns, Status.INTERRUPTED)))

    def so_far(self, lane: int) -> Generation | None:
        """What has come of the request that this lane waits for; None when it waits for none."""
        run_id = self._asking.get(lane)
        try:
            return None if run_id is None else self._read(run_id, lane)
        except KeyError:
            return None  # it ended in this moment

    def stop(self) -> None:
        """End every request that runs, and each that should still begin."""
        self._stopping = True
        for run_id in tuple(self._ended):
            self._client.stop(run_id)

    def on_begun(self, run_id: str, origin_ns: int) -> None:
        """Its times count from here; a request begun while Stop was pressed ends at once."""
        if run_id in self._origins:
            self._origins[run_id] = origin_ns
        if self._stopping:
            self._client.stop(run_id)

    def on_end(self, run_id: str, health: dict[str, Any]) -> None:
        """Keep the worst clock, then let the request end."""
        late_ms = health.get("clock_health_ms")
        if late_ms is not None:
            self.clock_health_ms = max(self.clock_health_ms or 0.0, late_ms)
        super().on_end(run_id, health)

    def _read(self, run_id: str, lane: int) -> Generation:
        origin_ns = self._origins[run_id]
        return shifted(decode_rows(lane, list(self._rows[run_id]))[-1], origin_ns)


def shifted(generation: Generation, by_ns: int) -> Generation:
    """The generation on another clock: every time moved by so many nanoseconds."""
    events = tuple(replace(event, at_ns=event.at_ns + by_ns) for event in generation.events)
    return Generation(generation.lane, events)
