"""Hundreds of races in a row through one hub: what is still there afterwards that was not there before.

The hub with its collector is the product's; the servers are the replay server with every contract case, good and
bad, a refusing port, and one that cuts. Each race is followed over a real WebSocket; some are stopped, some are run
again, some viewers leave and come back. Memory is looked at once the hub holds as many runs as it ever does.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import uvicorn
from starlette.applications import Starlette

from lib.domain.run import Backend, Limits, Mode, Params, Prompt, Run
from lib.live import hub as hub_module
from lib.live.hub import Hub
from lib.live.live_run import LiveRun
from lib.live.routes import routes
from lib.metrics.figures import figures_of
from lib.metrics.verdict import result_of
from tests.bench.machine import rss_mb
from tests.bench.pace import Pace
from tests.bench.report import Finding, Section
from tests.bench.truth import ROOT

RUNS, QUICK_RUNS = 500, 120
LANES = 4
SPEED = 20
GROWTH_MB = 10.0
SETTLE_S = 20.0  # aiohttp keeps an idle connection for 15 s
LIMITS = Limits(connect_s=2, first_token_s=1, stall_s=1, total_s=10, max_attempts=2, max_wait_s=0.2)
CASES = ROOT / "tests" / "contract" / "cases"


@dataclass(frozen=True, slots=True)
class Held:
    """What a process holds at one moment."""

    descriptors: int
    sockets: int
    threads: int
    rss_mb: float


@dataclass(frozen=True, slots=True)
class Moment:
    """App and collector, and the unfinished tasks in the event loop of each."""

    app: Held
    collector: Held
    app_tasks: int
    collector_tasks: int
    collector_races: int


@dataclass(frozen=True, slots=True)
class Soaked:
    """Before and after `runs` races, and how often each outcome was seen in between."""

    before: Moment
    after: Moment
    outcomes: dict[str, int]
    runs: int


def run(pace: Pace) -> Iterator[Section]:
    """The figures of many races in a row; growth counts from the moment the hub is full."""
    soaked = asyncio.run(
        soak(QUICK_RUNS if pace.quick else RUNS, hub_module.KEPT_RUNS + 10, settle_s=SETTLE_S)
    )
    told = ", ".join(f"{count} {name}" for name, count in sorted(soaked.outcomes.items()))
    pairs = (
        ("app", soaked.before.app, soaked.after.app),
        ("collector", soaked.before.collector, soaked.after.collector),
    )
    findings = [
        Finding(f"memory growth, {name}", "MB", (after.rss_mb - before.rss_mb,), at_most=GROWTH_MB,
                note=f"{before.rss_mb:.0f} to {after.rss_mb:.0f} MB")
        for name, before, after in pairs
    ]  # fmt: skip
    for name, before, after in pairs:
        for what in ("descriptors", "sockets", "threads"):
            first, last = getattr(before, what), getattr(after, what)
            findings.append(
                Finding(f"{what} more, {name}", "", (float(last - first),), at_most=0, note=f"{last} now")
            )
    for name in ("app_tasks", "collector_tasks"):
        first, last = getattr(soaked.before, name), getattr(soaked.after, name)
        title = f"tasks more, {name.removesuffix('_tasks')}"
        findings.append(Finding(title, "", (float(last - first),), at_most=0, note=f"{last} now"))
    kept = float(soaked.after.collector_races)
    findings.append(Finding("races held, collector", "", (kept,), at_most=hub_module.KEPT_RUNS + 1))
    yield Section(f"{soaked.runs} races in a row, {LANES} lanes each ({told})", tuple(findings))


async def soak(runs: int, begin: int, settle_s: float) -> Soaked:
    """Race `runs` times; compares what is held after `begin` races with what is held at the end."""
    outcomes: dict[str, int] = {}
    with replaying() as address, followed() as (hub, url, loop):
        async with aiohttp.ClientSession() as session:
            for number in range(runs):
                if number == begin:
                    before = await _settled(hub, loop, settle_s)
                live = await _one(number, hub, address, url, session)
                for generation in live.recorded().generations:
                    status = generation.events[-1].status.value  # type: ignore[union-attr]
                    outcomes[status] = outcomes.get(status, 0) + 1
                del live
            return Soaked(before, await _settled(hub, loop, settle_s), outcomes, runs)


@contextmanager
def replaying(speed: int = SPEED) -> Iterator[str]:
    """The replay server with all cases, faster than life."""
    command = [
        sys.executable,
        "tests/contract/replay_server.py",
        "--port",
        "0",
        "--quiet",
        "--speed",
        str(speed),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().rsplit(maxsplit=1)[1]
        finally:
            process.terminate()


@contextmanager
def followed() -> Iterator[tuple[Hub, str, asyncio.AbstractEventLoop]]:
    """A hub, its routes on a real server in a thread, and that server's event loop."""
    hub = Hub(
        lambda made, lane, speed: figures_of(made.generations[lane], made.backends[lane], speed), result_of
    )
    hub.collector.start()
    hub.collector.ready.wait(60)
    loop = asyncio.new_event_loop()
    application = Starlette(routes=routes(lambda: hub))
    server = uvicorn.Server(uvicorn.Config(application, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=lambda: loop.run_until_complete(server.serve()), name="server")
    thread.start()
    while not server.started:
        threading.Event().wait(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield hub, f"http://127.0.0.1:{port}", loop
    finally:
        server.should_exit = True
        thread.join()
        loop.close()
        hub.close()


async def _one(number: int, hub: Hub, address: str, url: str, session: aiohttp.ClientSession) -> LiveRun:
    """One race followed to its result; every tenth is stopped early, every seventh has a lane run again."""
    live = hub.start(
        _run(number, address), {0: "sk-soak-key-0123456789"}, dict.fromkeys(range(LANES), LIMITS)
    )
    received = 0
    if number % 5 == 0:  # a viewer who leaves after the first messages
        received = await _follow(session, url, live.run.id, 0, most=2)
    if number % 10 == 0:
        hub.stop(live.run.id)
    received = await _follow(session, url, live.run.id, received)
    if number % 7 == 0:
        hub.retry(live.run.id, 0, "", LIMITS)
        await _follow(session, url, live.run.id, received)
    return live


async def _follow(
    session: aiohttp.ClientSession, url: str, run_id: str, start: int, most: int = 10**9
) -> int:
    """Receive messages until the result, at most so many; the number received so far."""
    async with session.ws_connect(f"{url}/race/ws/{run_id}?from={start}", max_msg_size=0) as socket:
        async for message in socket:
            start += 1
            most -= 1
            if most <= 0 or "result" in json.loads(message.data):
                break
    return start


def _run(number: int, address: str) -> Run:
    names = sorted(path.stem for path in CASES.glob("*.json"))
    chosen = [names[(number * (LANES - 1) + place) % len(names)] for place in range(LANES - 1)]
    lanes = [Backend(name, name, f"{address}/{name}@soak/v1", "replay-model") for name in chosen]
    lanes.append(Backend("refused", "refused", "http://127.0.0.1:9/v1", "m"))
    return Run(
        f"soak-{number}", Prompt("Say something."), Params(max_tokens=64), Mode.ALL_AT_ONCE, tuple(lanes)
    )


async def _settled(hub: Hub, loop: asyncio.AbstractEventLoop, settle_s: float) -> Moment:
    """What is held once idle connections have been given up (or after `settle_s`)."""
    least = _moment(hub, loop)
    for _ in range(int(settle_s)):
        await asyncio.sleep(1)
        gc.collect()
        least = _moment(hub, loop)
    return least


def _moment(hub: Hub, loop: asyncio.AbstractEventLoop) -> Moment:
    last: Any = max(hub._runs.values(), key=lambda live: live.created_s)
    assert hub.collector.pid is not None
    app, collector = _held(os.getpid()), _held(hub.collector.pid)
    return Moment(app, collector, len(asyncio.all_tasks(loop)), last.health["tasks"], last.health["races"])


def _held(pid: int) -> Held:
    links = []
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            links.append(os.readlink(descriptor))
        except OSError:
            continue  # the one this very listing used
    sockets = sum(link.startswith("socket:") for link in links)
    return Held(len(links), sockets, len(list(Path(f"/proc/{pid}/task").iterdir())), rss_mb(pid))
