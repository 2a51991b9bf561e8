"""One run as the app process holds it: the messages for viewers, the rows for everything else."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson

from lib.domain.codec import Row, decode_rows
from lib.domain.events import Generation
from lib.domain.run import Run
from lib.grace import Grace, grace_s
from lib.i18n import current_language
from lib.live.spending import Spending
from lib.reading import ReadingSpeed
from lib.view_stream import announcement


class LiveRun:
    """Append-only lists; a viewer is an index into `messages`, so nothing is lost or doubled."""

    def __init__(self, run: Run, speed: ReadingSpeed | None = None, grace: Grace | None = None) -> None:
        self.run = run
        self.grace = grace or Grace(grace_s())
        self.speed = speed  # the reader of the person who started it; None: by the answer's language
        self.language = current_language()  # that of the person who started it; figures and verdict are said in it
        self.messages: list[str] = []
        self.origin_ns = time.perf_counter_ns()
        self.ended = False
        self.spending: Spending | None = None  # with a cap: what the race has cost so far
        self.health: dict[str, Any] = {}
        self.created_s = time.monotonic()
        self._rows: list[bytes] = []
        self._viewers: set[Callable[[], None]] = set()
        self._lock = threading.Lock()

    def begin(self, origin_ns: int) -> None:
        """The collector has taken the run; its clock is the same monotonic clock as ours."""
        self.origin_ns = origin_ns
        self.add({"run": announcement(self.run)})

    def add(self, content: dict[str, Any]) -> None:
        """Append a message of our own, stamped with the run's clock."""
        now_ms = self.now_ns() // 1_000_000
        self.say(orjson.dumps({"now": now_ms, **content}, default=str).decode())

    def now_ns(self) -> int:
        """The run's clock."""
        return max(0, time.perf_counter_ns() - self.origin_ns)

    def say(self, message: str) -> None:
        """Append a message and wake every viewer."""
        with self._lock:
            self.messages.append(message)
            viewers = tuple(self._viewers)
        for wake in viewers:
            wake()

    def keep(self, rows: bytes) -> None:
        """Append rows as the collector shipped them, unread."""
        self._rows.append(rows)

    def watch(self, wake: Callable[[], None]) -> None:
        """A viewer came; `wake` is called after every new message, from any thread."""
        with self._lock:
            self._viewers.add(wake)
        self.grace.come(wake)

    def unwatch(self, wake: Callable[[], None]) -> None:
        """A viewer left."""
        with self._lock:
            self._viewers.discard(wake)
        self.grace.leave(wake)

    def lane_rows(self) -> list[list[Row]]:
        """All rows so far, by lane."""
        lanes: list[list[Row]] = [[] for _ in self.run.backends]
        for payload in tuple(self._rows):
            for lane, rows in orjson.loads(payload):
                lanes[lane].extend(rows)
        return lanes

    def recorded(self) -> Run:
        """The run with everything recorded so far; of a lane that was retried, the last try."""
        generations = tuple(
            decode_rows(lane, rows)[-1] if rows else Generation(lane)
            for lane, rows in enumerate(self.lane_rows())
        )
        return replace(self.run, generations=generations, clock_health_ms=self.health.get("clock_health_ms"))
