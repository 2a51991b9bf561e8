"""One backend measured at a time (or several, from several threads) without a hub or a viewer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import orjson

from lib.collector.client import CollectorClient
from lib.domain.codec import Row, decode_rows
from lib.domain.events import Ended, Generation, Status
from lib.domain.run import Backend, Limits, Mode, Params, Prompt, Run, new_id

READY_S = 30.0
Hear = Callable[[int, list[Row]], None]  # is told the origin of a request's clock (ns) and its rows as they come


class Measurer:
    """A collector of its own; use as a context manager."""

    def __init__(self) -> None:
        self._client = CollectorClient(self)
        self._rows: dict[str, list[Row]] = {}
        self._ended: dict[str, threading.Event] = {}
        self._origins_ns: dict[str, int] = {}
        self._hearers: dict[str, Hear] = {}
        self._died: set[str] = set()

    def __enter__(self) -> Measurer:
        self._client.start()
        self._client.ready.wait(READY_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @property
    def pid(self) -> int | None:
        """Process id of the collector."""
        return self._client.pid

    def generation(
        self, backend: Backend, key: str, prompt: Prompt, params: Params, limits: Limits, hear: Hear | None = None
    ) -> Generation:
        """One request from start to end; blocks until it has ended in whatever way. `hear` gets its rows meanwhile."""
        run = Run(new_id(12), prompt, params, Mode.ONE_BY_ONE, (backend,))
        self._rows[run.id] = []
        if hear is not None:
            self._hearers[run.id] = hear
        ended = self._ended[run.id] = threading.Event()
        self._client.start_run(run, {0: key}, limits)
        ended.wait()
        del self._ended[run.id]
        for known in (self._origins_ns, self._hearers):
            known.pop(run.id, None)
        generation = decode_rows(0, self._rows.pop(run.id))[-1]
        if run.id not in self._died:
            return generation
        at_ns = generation.events[-1].at_ns if generation.events else 0
        return Generation(0, (*generation.events, Ended(at_ns, Status.INTERRUPTED)))

    def on_begun(self, run_id: str, origin_ns: int) -> None:
        """Its rows are told with the origin of their clock."""
        if run_id in self._hearers:
            self._origins_ns[run_id] = origin_ns

    def on_view(self, run_id: str, message: bytes) -> None:
        """Nobody watches."""

    def on_rows(self, run_id: str, rows: bytes) -> None:
        """Keep the rows of a run."""
        found: list[Row] = [row for _, lane in orjson.loads(rows) for row in lane]
        self._rows[run_id].extend(found)
        if run_id in self._hearers:
            self._hearers[run_id](self._origins_ns[run_id], found)

    def on_lane_end(self, run_id: str, lane: int) -> None:
        """A run here has one lane: `on_end` follows."""

    def on_end(self, run_id: str, health: dict[str, Any]) -> None:
        """The run is over."""
        self._ended[run_id].set()

    def on_died(self, run_ids: list[str]) -> None:
        """The collector died: the runs it had are interrupted, with what they had."""
        for run_id in run_ids:
            self._died.add(run_id)
            self._ended[run_id].set()
