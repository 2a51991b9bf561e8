"""One app server process of the bench's own: started on a free port, asked for rows, ended by its own id."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.bench.accuracy import Pair, match
from tests.bench.machine import children, cpu_s, tree
from tests.bench.product import stamped
from tests.bench.truth import ROOT, Truth
from tests.bench.truth_content import Spec, parse_spec

READY_S = 60.0


def free_port() -> int:
    """A loopback port nobody listens on just now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


class AppProcess:
    """`streamlit run <script>` (or another command) as a context manager; its output goes to `log`."""

    def __init__(
        self,
        script: str,
        log: Path,
        environment: dict[str, str] | None = None,
        command: list[str] | None = None,
    ) -> None:
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._log_path = log
        self._log = log.open("wb")
        run = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(self.port)]
        self.started_s = time.monotonic()
        self._process = subprocess.Popen(
            [*command, f"PORT={self.port}"] if command else [*run, "--server.headless", "true"],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.pid = self._process.pid

    def __enter__(self) -> AppProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.killpg(self.pid, signal.SIGTERM)
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
        self._log.close()

    def wait_until_up(self) -> None:
        """Until the server answers. Raises TimeoutError with the end of its output."""
        while time.monotonic() - self.started_s < READY_S and self._process.poll() is None:
            try:
                self.get("/_stcore/health")
                return
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.05)
        raise TimeoutError(self._log_path.read_text(errors="replace")[-2000:])

    def wait_until_quiet(self, most_s: float = 20.0) -> None:
        """Until start-up work (local model, token tables) is over: under 3 % of a core for a second."""
        deadline_s = time.monotonic() + most_s
        used_s = self._tree_s()
        while time.monotonic() < deadline_s:
            time.sleep(1)
            used_s, before_s = self._tree_s(), used_s
            if used_s - before_s < 0.03:
                return

    def _tree_s(self) -> float:
        return sum(cpu_s(pid) for pid in tree(self.pid))

    def get(self, path: str, body: Any = None) -> bytes:
        """GET, or POST of a JSON body."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as reply:
            return bytes(reply.read())

    def collector_pid(self) -> int:
        """The app's collector process. Raises LookupError when there is none."""
        for pid, command in children(self.pid).items():
            if "lib.collector" in command:
                return pid
        raise LookupError("the app has no collector process")

    def pairs(self, run_id: str, truth: Truth) -> list[Pair]:
        """A finished run of the app held against the truth. Raises TimeoutError when it does not end."""
        deadline_s = time.monotonic() + 30
        while not (recorded := json.loads(self.get(f"/bench/rows/{run_id}")))["ended"]:
            if time.monotonic() > deadline_s:
                raise TimeoutError("the run did not end")
            time.sleep(0.1)
        origin_ns, lanes = recorded["health"]["origin_ns"], recorded["lanes"]
        specs: list[Spec] = [parse_spec(model) for model in recorded["models"]]
        seen = [stamped(spec, rows, origin_ns) for spec, rows in zip(specs, lanes, strict=True)]
        return match(seen, truth.wait_for(len(seen)))
