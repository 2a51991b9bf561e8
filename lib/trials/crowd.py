"""Many requests to one backend at the same moment, on one clock; they can be stopped, and what came is kept."""

from __future__ import annotations

import threading

import orjson

from lib.domain.codec import Row, decode_rows
from lib.domain.events import Ended, Generation, Status
from lib.domain.run import Backend, Limits, Mode, Params, Prompt, Run, new_id
from lib.trials.asking import StoppableMeasurer


class CrowdMeasurer(StoppableMeasurer):
    """A measurer that asks the same backend several times at once; use as a context manager."""

    def __init__(self) -> None:
        super().__init__()
        self._lanes: dict[str, list[list[Row]]] = {}

    def crowd(
        self, backend: Backend, key: str, prompt: Prompt, params: Params, limits: Limits, users: int
    ) -> tuple[Generation, ...]:
        """So many requests from start to end, one generation each; blocks until all have ended in whatever way."""
        run = Run(new_id(12), prompt, params, Mode.ALL_AT_ONCE, (backend,) * users)
        lanes = self._lanes[run.id] = [[] for _lane in range(users)]
        ended = self._ended[run.id] = threading.Event()
        self._client.start_run(run, dict.fromkeys(range(users), key), limits)
        ended.wait()
        del self._ended[run.id], self._lanes[run.id]
        self._client.forget(run.id)
        return tuple(_generation(lane, rows) for lane, rows in enumerate(lanes))

    def on_rows(self, run_id: str, rows: bytes) -> None:
        """Keep the rows of every lane of a crowd."""
        lanes = self._lanes.get(run_id)
        if lanes is None:
            super().on_rows(run_id, rows)
            return
        for lane, more in orjson.loads(rows):
            lanes[lane].extend(more)


def _generation(lane: int, rows: list[Row]) -> Generation:
    """What came; a lane without an end was interrupted with its collector."""
    events = decode_rows(lane, rows)[-1].events if rows else ()
    if events and isinstance(events[-1], Ended):
        return Generation(lane, events)
    at_ns = events[-1].at_ns if events else 0
    return Generation(lane, (*events, Ended(at_ns, Status.INTERRUPTED)))
