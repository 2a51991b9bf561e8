"""The whole app killed in mid-race: server, collector and writer at one stroke, at moments that have no pattern.

A race is started over the app's own server and followed over its own event stream by a client outside; then the whole
process group gets SIGKILL, the history is opened anew, and what is kept is held against what the backend sent and what
the client was shown.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson

from lib.domain import events as ev
from lib.domain.run import Run
from lib.store.store import Store
from tests.bench.app_process import AppProcess
from tests.bench.pace import Pace
from tests.bench.races import specs
from tests.bench.report import Finding, Section
from tests.bench.truth import Truth
from tests.bench.truth_content import TOKENS

APP = "tests/bench/watched_app.py"
LANES, RATE, LASTS_S = 4, 300.0, 60.0
MOMENTS, QUICK_MOMENTS = 20, 4
FEWEST, MOST = 4, 50  # messages after which it is killed
TICK_S = 0.03  # how often messages come
PATIENCE_S = 60.0


def run(pace: Pace) -> Iterator[Section]:
    """One section: what the kills cost."""
    with tempfile.TemporaryDirectory() as folder:
        yield section(kills(Path(folder), QUICK_MOMENTS if pace.quick else MOMENTS, seed=20))


@dataclass(frozen=True, slots=True)
class Killed:
    """One kill: `shown` messages before it, how many of them are not wholly kept, and what is wrong in words."""

    shown: int
    lost: int
    lost_ms: float  # from the end of what is kept to the clock of the last message
    kept_tokens: int
    wrong: tuple[str, ...]


@dataclass(slots=True)
class _Client:
    """Follows a run over server-sent events from a thread of its own, until the connection breaks."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    came: threading.Event = field(default_factory=threading.Event)
    is_over: bool = False

    def follow(self, address: str) -> None:
        with suppress(OSError, HTTPException), urllib.request.urlopen(address, timeout=PATIENCE_S) as stream:
            for line in stream:
                if line.startswith(b"data: "):
                    self.messages.append(orjson.loads(line[6:]))
                    self.came.set()
        self.is_over = True
        self.came.set()

    def wait_for(self, count: int) -> None:
        """Until so many messages with text have come. Raises TimeoutError."""
        while sum("d" in message for message in self.messages) < count:
            if self.is_over or not self.came.wait(PATIENCE_S):
                raise TimeoutError(f"{len(self.messages)} messages, {count} were wanted")
            self.came.clear()


def kills(folder: Path, moments: int, seed: int) -> list[Killed]:
    """So many kills on one and the same history."""
    chance = random.Random(seed)
    with Truth() as truth:
        found = [
            killed(folder, truth, chance.randint(FEWEST, MOST), chance.uniform(0, TICK_S))
            for _ in range(moments)
        ]
    with closing(sqlite3.connect(folder / "history.sqlite")) as file:
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with closing(Store(f"sqlite:///{folder}/history.sqlite")) as store:
        assert store.page().total == moments
        assert [one for one in store.verify_all() if not one.ok] == []
    return found


def killed(folder: Path, truth: Truth, messages: int, after_s: float) -> Killed:
    """Kill the app so long after its so-many-th message of a race."""
    environment = {"TOKENRACE_DATA": str(folder), "TOKENRACE_DATABASE_URL": ""}
    client = _Client()
    with AppProcess(APP, folder / "app.log", environment) as app:
        app.wait_until_up()
        models = [spec.name for spec in specs(LANES, RATE, LASTS_S)]
        started = orjson.loads(app.get("/bench/start", {"models": models, "base_url": truth.base_url}))
        address = f"{app.address}/race/sse/{started['run']}"
        follower = threading.Thread(target=client.follow, args=(address,), daemon=True)
        follower.start()
        client.wait_for(messages)
        end_s = time.perf_counter() + after_s
        while time.perf_counter() < end_s:
            pass  # a moment inside a write cannot be waited for more coarsely
        os.killpg(app.pid, signal.SIGKILL)
        follower.join()
    with closing(Store(f"sqlite:///{folder}/history.sqlite")) as store:
        kept, status = store.open(started["run"]), store.row(started["run"]).status
    return _judged(kept, status, client.messages)


def _judged(kept: Run, status: str, messages: Sequence[dict[str, Any]]) -> Killed:
    texts = ["".join(delta.text for delta in generation.of(ev.Delta)) for generation in kept.generations]
    sent = "".join(TOKENS[number % len(TOKENS)] for number in range(round(RATE * LASTS_S)))
    wrong = [
        f"lane {lane} is not what was sent" for lane, text in enumerate(texts) if not sent.startswith(text)
    ]
    if status != "interrupted":
        wrong.append(f"the run is {status}")
    seen, is_kept = [0] * len(texts), []
    for message in messages:
        for lane, _channel, pieces in message.get("d", ()):
            seen[lane] += sum(map(len, pieces[1::2]))
        is_kept.append(all(seen[lane] <= len(text) for lane, text in enumerate(texts)))
    if any(later and not earlier for earlier, later in pairwise(is_kept)):
        wrong.append("something is missing in the middle")
    last_ns = max((event.at_ns for generation in kept.generations for event in generation.events), default=0)
    behind_ms = max(0.0, messages[-1]["now"] - last_ns / 1e6) if messages else 0.0
    return Killed(len(messages), is_kept.count(False), behind_ms, sum(map(len, texts)) // 6, tuple(wrong))


def section(found: Sequence[Killed]) -> Section:
    """What the kills cost, as findings."""
    lost = [one.lost for one in found]
    return Section(
        f"The whole app killed at {len(found)} moments of a race of {LANES} lanes x {RATE:g} tok/s",
        (
            Finding("messages that were shown and not kept, most", "", (float(max(lost)),), at_most=1),
            Finding("kills that lost nothing shown", "", (float(lost.count(0)),), note=f"of {len(found)}"),
            Finding("end of what is kept before the last message's clock", "ms", tuple(one.lost_ms for one in found)),
            Finding("messages before the kill", "", tuple(float(one.shown) for one in found)),
            Finding("runs kept wrong", "", (float(sum(bool(one.wrong) for one in found)),), at_most=0,
                    note="; ".join(text for one in found for text in one.wrong)),
        ),
    )  # fmt: skip
