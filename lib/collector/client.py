"""The app's half of the collector: starts the process, gives it orders, hands on what it ships.

Frames are read by a thread of its own and passed to a sink; no token is parsed here. When the process
dies the sink is told which runs were cut, and the next order starts a new process.
"""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Protocol

import orjson

from lib.collector.order import Order, Warmed, order_for
from lib.collector.wire import Kind, read_frame
from lib.domain.run import Limits, Run, WarmUp
from lib.server_process import environment

CLOSE_S = 3.0
WARM_S = 90.0  # longer than any one warm-up may take (`warm_up.MOST_S`)
ROOT = Path(__file__).resolve().parents[2]


class Sink(Protocol):
    """Who is told what the collector ships; called from the reader thread."""

    def on_begun(self, run_id: str, origin_ns: int) -> None: ...

    def on_view(self, run_id: str, message: bytes) -> None: ...

    def on_rows(self, run_id: str, rows: bytes) -> None: ...

    def on_lane_end(self, run_id: str, lane: int) -> None: ...

    def on_end(self, run_id: str, health: dict[str, Any]) -> None: ...

    def on_died(self, run_ids: list[str]) -> None: ...


class CollectorClient:
    """One long-lived collector process; safe to call from any thread."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None
        self._running: dict[str, subprocess.Popen[bytes] | None] = {}  # run -> the process that has it
        self._warming: dict[str, queue.SimpleQueue[list[Any]]] = {}
        self.ready = threading.Event()
        self.versions: dict[str, str] = {}

    @property
    def pid(self) -> int | None:
        """Process id of the collector, if there is one."""
        return self._process.pid if self._process is not None else None

    def start(self) -> None:
        """Start the process if there is none; returns at once, `ready` is set when it is warm."""
        with self._lock:
            self._ensure()

    def warm(
        self,
        run: Run,
        keys: Mapping[int, str],
        limits: Mapping[int, Limits] | Limits,
        kinds: Mapping[int, WarmUp],
    ) -> tuple[Warmed, ...]:
        """Warm the lanes in `kinds` before `start_run`; blocks until it is done, at most `WARM_S`.

        Lanes that are not warmed (WarmUp.NONE), or not in time, are not in the answer.
        """
        lanes = [
            (kind.value, self._order(run, lane, keys.get(lane, ""), limits).encode())
            for lane, kind in kinds.items() if kind is not WarmUp.NONE
        ]  # fmt: skip
        if not lanes:
            return ()
        answer = self._warming[run.id] = queue.SimpleQueue()
        try:
            self._send({"do": "warm", "run": run.id, "lanes": lanes})
            return tuple(Warmed(*each) for each in answer.get(timeout=WARM_S))
        except queue.Empty:
            return ()
        finally:
            del self._warming[run.id]

    def start_run(self, run: Run, keys: Mapping[int, str], limits: Mapping[int, Limits] | Limits) -> None:
        """Race every backend of `run`; `keys` and `limits` go by lane number."""
        self._send({"do": "start", "run": run.id, "lanes": [
            self._order(run, lane, keys.get(lane, ""), limits).encode() for lane in range(len(run.backends))
        ]})  # fmt: skip

    def retry(
        self, run: Run, lane: int, key: str, limits: Mapping[int, Limits] | Limits, origin_ns: int
    ) -> None:
        """Begin one lane of a run anew, on the run's own clock, also when the process is another one by now."""
        lanes = [self._order(run, lane, key, limits).encode()]
        self._send({"do": "start", "run": run.id, "lanes": lanes, "origin_ns": origin_ns})

    def stop(self, run_id: str, lane: int | None = None) -> None:
        """Stop one lane, or the whole run."""
        self._send({"do": "stop", "run": run_id, "lane": lane})

    def forget(self, run_id: str) -> None:
        """Let go of a run that has ended; no lane of it can be begun anew."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                return  # a new process knows nothing of it
        self._send({"do": "forget", "run": run_id})

    def close(self) -> None:
        """End the process; it stops reading and exits when its input closes."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            process.stdin.close()
            try:
                process.wait(CLOSE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.join(CLOSE_S)

    @staticmethod
    def _order(run: Run, lane: int, key: str, limits: Mapping[int, Limits] | Limits) -> Order:
        backend = run.backends[lane]
        turn = run.mode.queue(lane, backend)
        limit = limits if isinstance(limits, Limits) else limits[lane]
        return order_for(lane, backend, run.prompt, run.params_of(lane), limit, turn, key)

    def _send(self, order: dict[str, Any]) -> None:
        line = orjson.dumps(order) + b"\n"
        with self._lock:
            pipe = self._ensure()
            if order["do"] == "start":
                self._running[order["run"]] = self._process
            with contextlib.suppress(BrokenPipeError, ValueError):  # it is dying: the reader tells the sink
                pipe.write(line)
                pipe.flush()

    def _ensure(self) -> IO[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.ready.clear()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "lib.collector"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=environment(),
            )  # fmt: skip
            self._reader = threading.Thread(
                target=self._read, args=(self._process,), daemon=True, name="collector"
            )
            self._reader.start()
        assert self._process.stdin is not None
        return self._process.stdin

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout as pipe:
            while (frame := read_frame(pipe)) is not None:  # type: ignore[arg-type]
                self._pass_on(*frame)
        process.wait()
        if process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        with self._lock:
            cut = sorted(run_id for run_id, its in self._running.items() if its is process)
            for run_id in cut:
                del self._running[run_id]
        for answer in list(self._warming.values()):
            answer.put([])
        if cut:
            self._sink.on_died(cut)

    def _pass_on(self, kind: Kind, run_id: str, payload: bytes) -> None:
        if kind is Kind.ACK:
            self._sink.on_begun(run_id, orjson.loads(payload)["origin_ns"])
        elif kind is Kind.VIEW:
            self._sink.on_view(run_id, payload)
        elif kind is Kind.ROWS:
            self._sink.on_rows(run_id, payload)
        elif kind is Kind.LANE:
            self._sink.on_lane_end(run_id, orjson.loads(payload))
        elif kind is Kind.END:
            self._running.pop(run_id, None)
            self._sink.on_end(run_id, orjson.loads(payload))
        elif kind is Kind.WARM and run_id in self._warming:
            self._warming[run_id].put(orjson.loads(payload))
        elif kind is Kind.READY:
            self.versions = orjson.loads(payload)["versions"]
            self.ready.set()
