"""The bench's hold on one truth server process: start it, ask it what it sent, end it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Sent:
    """What the server did for one request; absolute ns of the machine's monotonic clock."""

    model: str
    read_ns: int
    sends_ns: tuple[int, ...]  # one per chunk that carried text
    close_seen_ns: int | None  # when it saw that the client had closed before the end
    blocked: int

    @property
    def ttft_ms(self) -> float:
        """First text handed to the kernel minus request read, ms."""
        return (self.sends_ns[0] - self.read_ns) / 1e6


class Truth:
    """A truth server of one's own, as a context manager."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.bench.truth_server", "--until-stdin-closes"]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        where = json.loads(self._process.stdout.readline())
        self.base_url: str = where["base_url"]
        self.port: int = where["port"]
        self.pid = self._process.pid

    def __enter__(self) -> Truth:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._process.stdout.close()

    def drain(self) -> list[Sent]:
        """Every request finished since the last call, oldest first; not to be called while measuring."""
        address = f"http://127.0.0.1:{self.port}/drain"
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address, timeout=30) as reply:
            lines = reply.read().splitlines()
        records = [json.loads(line) for line in lines]
        return [
            Sent(r["model"], r["t_request_read_ns"], tuple(r["sends_ns"]), r["t_close_seen_ns"], r["blocked"])
            for r in records
        ]

    def wait_for(self, requests: int, timeout_s: float = 30.0) -> list[Sent]:
        """Drain until so many requests have finished. Raises TimeoutError when they do not."""
        found: list[Sent] = []
        deadline = time.monotonic() + timeout_s
        while len(found) < requests:
            found += self.drain()
            if time.monotonic() > deadline:
                raise TimeoutError(f"{len(found)} of {requests} requests finished in {timeout_s:g} s")
            time.sleep(0.02)
        return found
