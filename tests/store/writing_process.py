"""A process that keeps runs, for tests that kill it or run several: `python -m tests.store.writing_process`.

`endless URL`: hands one batch every 20 ms to a keeper, and says what it does: `run ID`, `handed N`, `written N`.
`runs URL NAME COUNT`: keeps so many whole runs as they come, then ends.
"""

from __future__ import annotations

import sys
import threading
from itertools import count

import orjson

from lib.domain.run import Run
from lib.domain.series import RoundPlace
from lib.store.keeper import Keeper
from lib.store.store import Store
from tests.store.runs import race, shipped

EVERY_S = 0.02
PER_BATCH = 30


class Telling:
    """A store that says when a batch is written."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._written = 0

    def begin(self, run: Run, place: RoundPlace | None = None) -> None:
        self._store.begin(run)
        say(f"run {run.id}")

    def append(self, run_id: str, payload: bytes) -> None:
        self._store.append(run_id, payload)
        self._written += payload.count(b"\n") + 1
        say(f"written {self._written}")

    def end(self, run_id: str, clock_health_ms: float | None) -> None:
        self._store.end(run_id, clock_health_ms)

    def tidy(self) -> None:
        self._store.tidy()


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def batch(number: int) -> bytes:
    """The rows of both lanes in one batch; each says which batch it is of."""
    lanes = [
        [[number * 1_000_000 + place, "a", f"{number}.{place} ", number] for place in range(PER_BATCH)]
        for _ in range(2)
    ]
    return orjson.dumps([[lane, rows] for lane, rows in enumerate(lanes)])


def endless(url: str) -> None:
    pace = threading.Event()
    store = Store(url)
    keeper = Keeper(Telling(store))
    run_id = f"killed-{store._presence.writer}"
    keeper.on_begin(race(run_id))
    for number in count(1):
        keeper.on_rows(run_id, batch(number))
        say(f"handed {number}")
        pace.wait(EVERY_S)


def runs(url: str, name: str, number: int) -> None:
    store = Store(url)
    keeper = Keeper(store)
    for place in range(number):
        run = race(f"{name}-{place}")
        keeper.on_begin(run)
        for part in shipped(run, 5):
            keeper.on_rows(run.id, part)
        keeper.on_end(run.id, {"clock_health_ms": 0.25})
    keeper.close()
    store.close()


if __name__ == "__main__":
    if sys.argv[1] == "endless":
        endless(sys.argv[2])
    else:
        runs(sys.argv[2], sys.argv[3], int(sys.argv[4]))
