"""Headless Chromium on one page: its clock against ours, frames, and what a lane shows after each paint.

The sampler reads one lane per frame (the letters of its text, white space left out), which costs the page a
little and is therefore counted against it.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Playwright, WebSocket

from tests.bench.machine import tree

CHROMIUM = "/usr/bin/chromium"
CHROMIUM_NAME = b"chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
SAMPLER = """
(lanes) => {
  const find = new Function("return " + lanes);
  const bench = (window.__bench = { frames: [], samples: [], next: 0 });
  const painted = new MessageChannel();
  painted.port1.onmessage = () => {
    const shown = find();
    if (!shown.length) return;
    const lane = bench.next++ % shown.length;
    const letters = shown[lane].textContent.replace(/\\s+/g, "").length;
    bench.samples.push([performance.now(), lane, letters]);
  };
  const frame = (at) => {
    bench.frames.push(at);
    painted.port2.postMessage(0);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
"""
CLICK = "(button) => { const at = performance.now(); button.click(); return at; }"


@dataclass(frozen=True, slots=True)
class Sample:
    """What one lane showed right after a paint."""

    at_ns: int  # on the machine's monotonic clock
    lane: int
    letters: int


def launch(playwright: Playwright) -> Browser:
    """Debian's Chromium, headless, software rendering."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)


def browser_pids() -> set[int]:
    """Every Chromium process that this program started."""
    found = set()
    for pid in tree(os.getpid()):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue  # it has just ended
        if CHROMIUM_NAME in command.partition(b"\0")[0]:
            found.add(pid)
    return found


class Watched:
    """One page under measurement."""

    def __init__(self, page: Page, lanes: str) -> None:
        """`lanes`: a JavaScript expression for the list of elements that hold each lane's text."""
        self.page = page
        self._lanes = lanes
        self.stream_bytes = 0  # received on the race's own sockets
        self.script_bytes = 0  # received on Streamlit's
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        def received(payload: str | bytes) -> None:
            size = len(payload.encode() if isinstance(payload, str) else payload)
            if "/race/" in socket.url:
                self.stream_bytes += size
            else:
                self.script_bytes += size

        socket.on("framereceived", received)

    def begin(self) -> None:
        """Note how the page's clock stands to ours, and start sampling."""
        self._offset_ns = min(self._offset() for _ in range(20))[1]
        self.page.evaluate(SAMPLER, self._lanes)

    def _offset(self) -> tuple[int, int]:
        before_ns = time.perf_counter_ns()
        now_ms = self.page.evaluate("performance.now()")
        after_ns = time.perf_counter_ns()
        return after_ns - before_ns, (before_ns + after_ns) // 2 - round(now_ms * 1e6)

    def ns(self, page_ms: float) -> int:
        """A time of the page's clock on the machine's."""
        return round(page_ms * 1e6) + self._offset_ns

    def click(self, selector: str) -> int:
        """Click as a script would; returns the moment, ns."""
        return self.ns(self.page.locator(selector).first.evaluate(CLICK))

    def samples(self) -> list[Sample]:
        """Everything sampled since `begin`."""
        found: list[list[Any]] = self.page.evaluate("window.__bench.samples")
        return [Sample(self.ns(at), lane, letters) for at, lane, letters in found]

    def frames_per_s(self, from_ns: int, to_ns: int) -> float:
        """Animation frames per second between two moments."""
        frames = [self.ns(at) for at in self.page.evaluate("window.__bench.frames")]
        return sum(from_ns <= at < to_ns for at in frames) / (to_ns - from_ns) * 1e9
