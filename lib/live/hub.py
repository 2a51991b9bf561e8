"""All live runs of this server: starts and stops them, takes what the collector ships, adds the figures.

It is the collector client's sink. Nothing here parses a token while a race runs: figures are computed
by one worker thread when a lane has ended.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any, Protocol

import orjson

from lib.collector.client import CollectorClient
from lib.domain.failures import FAILURES
from lib.domain.run import Limits, Run
from lib.grace import Grace, grace_s
from lib.i18n import use_language
from lib.live.live_run import LiveRun
from lib.live.spending import Spending
from lib.reading import ReadingSpeed

GUARD_S = 0.2  # how often spending and viewers are looked at
KEPT_RUNS = 50
_NO_RESULT = {"verdict": [["The figures of this race could not be computed; the server's log says why.", ""]]}
_log = logging.getLogger(__name__)
KEPT_S = 6 * 3600.0


class Listener(Protocol):
    """Who keeps runs as they come (`lib.store.keeper`); must only put things aside and return."""

    def on_begin(self, run: Run) -> None: ...

    def on_rows(self, run_id: str, rows: bytes) -> None: ...

    def on_end(self, run_id: str, health: Mapping[str, Any]) -> None: ...


Figures = Callable[[Run, int, ReadingSpeed | None], dict[str, Any]]
Result = Callable[[Run, ReadingSpeed | None], dict[str, Any]]


class TooManyRuns(RuntimeError):
    """The server already runs as many races as its operator allows."""


class Hub:
    """`figures(run, lane, speed)` and `result(run, speed)` give the JSON values added to the view stream."""

    def __init__(
        self,
        figures: Figures,
        result: Result,
        grace_s: float | None = grace_s(),
        most: int = 8,
        keeper: Listener | None = None,
    ) -> None:
        self._keeper = keeper
        self.collector = CollectorClient(self)
        self._figures, self._result = figures, result
        self._grace_s, self._most = grace_s, most
        self._runs: dict[str, LiveRun] = {}
        self._lock = threading.Lock()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="figures")
        self._closed = threading.Event()
        threading.Thread(target=self._guard, daemon=True, name="grace").start()

    def start(
        self,
        run: Run,
        keys: Mapping[int, str],
        limits: Mapping[int, Limits],
        speed: ReadingSpeed | None = None,
        cap: Decimal | None = None,
    ) -> LiveRun:
        """Start a run; at a cost of `cap` its paid lanes are stopped. Raises TooManyRuns when the server is full."""
        self._expire()
        with self._lock:
            if sum(not live.ended for live in self._runs.values()) >= self._most:
                raise TooManyRuns(f"this server runs {self._most} races already")
            live = self._runs[run.id] = LiveRun(run, speed, Grace(self._grace_s))
            live.spending = None if cap is None else Spending(run, cap)
        if self._keeper is not None:
            self._keeper.on_begin(run)
        self.collector.start_run(run, keys, limits)
        return live

    def adopt(self, live: LiveRun) -> None:
        """Let viewers follow a run that somebody else measures and ends; it is stopped by who runs it."""
        self._expire()
        with self._lock:
            self._runs[live.run.id] = live

    def retry(self, run_id: str, lane: int, key: str, limits: Limits) -> None:
        """Begin one lane anew."""
        live = self._runs[run_id]
        live.ended = False
        self.collector.retry(live.run, lane, key, limits, live.origin_ns)

    def stop(self, run_id: str, lane: int | None = None) -> None:
        """Stop one lane or all; the connections are closed at once."""
        self.collector.stop(run_id, lane)

    def get(self, run_id: str | None) -> LiveRun | None:
        """The run of that id, if this server still holds it."""
        return self._runs.get(run_id) if run_id else None

    def close(self) -> None:
        """End the collector and the worker."""
        self._closed.set()
        self.collector.close()
        self._worker.shutdown(wait=False, cancel_futures=True)

    def on_begun(self, run_id: str, origin_ns: int) -> None:
        """The collector has taken a run."""
        live = self._runs.get(run_id)
        if live is not None:
            live.begin(origin_ns)

    def on_view(self, run_id: str, message: bytes) -> None:
        """A message for viewers, passed on unread."""
        live = self._runs.get(run_id)
        if live is not None:
            live.say(message.decode())

    def on_rows(self, run_id: str, rows: bytes) -> None:
        """Rows for the record."""
        live = self._runs.get(run_id)
        if live is not None:
            self._keep(live, rows)

    def on_lane_end(self, run_id: str, lane: int) -> None:
        """A lane has ended: its exact figures follow in the view stream."""
        live = self._runs.get(run_id)
        if live is not None:
            self._work(self._add_figures, live, lane)

    def on_end(self, run_id: str, health: dict[str, Any]) -> None:
        """Every lane has ended: the result follows in the view stream."""
        live = self._runs.get(run_id)
        if live is not None:
            live.health = health
            if self._keeper is not None:
                self._keeper.on_end(run_id, health)
            live.ended = True
            self._work(self._add_result, live)

    def on_died(self, run_ids: list[str]) -> None:
        """The collector died: lanes that had not ended are interrupted, with what they had."""
        for run_id in run_ids:
            live = self._runs.get(run_id)
            if live is not None:
                self._interrupt(live)
                self.on_end(run_id, live.health)
        if not self._closed.is_set():
            self.collector.start()

    def _interrupt(self, live: LiveRun) -> None:
        failure = FAILURES["interrupted"]
        told = {name: getattr(failure, name) for name in failure.__slots__} | {
            "message": "",
            "http_status": None,
        }
        if not live.messages:
            live.begin(live.origin_ns)
        for lane, rows in enumerate(live.lane_rows()):
            if rows and rows[-1][1] == "end":
                continue
            at_ns = rows[-1][0] if rows else 0
            ending = [[at_ns, "error", "interrupted", "", None, None], [at_ns, "end", "interrupted"]]
            self._keep(live, orjson.dumps([[lane, ending]]))
            at_ms = at_ns // 1_000_000
            events = [[lane, at_ms, "error", told], [lane, at_ms, "end", "interrupted"]]
            live.add({"e": events})
            self.on_lane_end(live.run.id, lane)

    def _keep(self, live: LiveRun, rows: bytes) -> None:
        live.keep(rows)
        if self._keeper is not None:
            self._keeper.on_rows(live.run.id, rows)

    def _work(self, task: Callable[..., None], live: LiveRun, *arguments: int) -> None:
        def run() -> None:
            use_language(live.language)
            try:
                task(live, *arguments)
            except Exception:
                # A fault in a figure must not leave viewers waiting for a result.
                _log.exception("figures of run %s", live.run.id)
                if task == self._add_result:
                    live.add({"result": _NO_RESULT | {"places": [None] * len(live.run.backends)}})

        self._worker.submit(run)

    def _add_figures(self, live: LiveRun, lane: int) -> None:
        run = live.recorded()
        live.add({"f": [[lane, self._figures(run, lane, live.speed)]]})

    def _add_result(self, live: LiveRun) -> None:
        live.add({"result": self._result(live.recorded(), live.speed)})

    def _guard(self) -> None:
        while not self._closed.wait(GUARD_S):
            for run_id, live in tuple(self._runs.items()):
                if not live.ended:
                    self._guard_spending(live)
                    if live.grace.is_over:
                        self.stop(run_id)

    def _guard_spending(self, live: LiveRun) -> None:
        spending = live.spending
        if spending is None:
            return
        spending.feed(live.messages)
        if spending.reached:
            live.spending = None
            for lane in spending.running:
                now_ns, *told = [live.now_ns(), "warning", "spend_cap", f"{spending.cap}"]
                self._keep(live, orjson.dumps([[lane, [[now_ns, *told]]]]))
                live.add({"e": [[lane, now_ns // 1_000_000, *told]]})
                self.stop(live.run.id, lane)

    def _expire(self) -> None:
        """Forget the oldest finished runs; the page then says that the run is gone."""
        now_s = time.monotonic()
        with self._lock:
            done = [(live.created_s, run_id) for run_id, live in self._runs.items() if live.ended]
            surplus = max(0, len(done) - KEPT_RUNS)
            old = [run_id for place, (created_s, run_id) in enumerate(sorted(done))
                   if place < surplus or now_s - created_s > KEPT_S]  # fmt: skip
            for run_id in old:
                del self._runs[run_id]
        for run_id in old:
            self.collector.forget(run_id)
