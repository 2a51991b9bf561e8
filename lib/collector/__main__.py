"""The collector process: `python -m lib.collector`, orders on standard input, frames on standard output.

It ends when its input ends. Garbage is collected only between runs, and everything that start-up made is
frozen out of it, so that no pause falls on a stamp.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from typing import Any

import orjson

from lib.collector.connection import Network, now_ns
from lib.collector.lane import Refused
from lib.collector.order import Order
from lib.collector.race import FLUSH_S, Race
from lib.collector.shipping import dump
from lib.collector.warm_up import warm_up
from lib.collector.warming import versions, warm
from lib.collector.wire import Kind, pack
from lib.domain.run import WarmUp

try:
    import uvloop
except ImportError:  # pragma: no cover - not on Windows
    uvloop = None  # type: ignore[assignment]

BEAT_S = 0.01  # how often the loop's own delay is looked at
MAX_LINE = 64 * 1024 * 1024


class Collector:
    """Takes orders, runs races, ships frames."""

    def __init__(self, out: asyncio.WriteTransport) -> None:
        self._out = out
        self._network = Network()
        self._refused: Refused = {}
        self._races: dict[str, Race] = {}
        self._follows: set[asyncio.Task[None]] = set()

    async def serve(self, orders: asyncio.StreamReader) -> None:
        """Work until the input ends."""
        await warm(self._network)
        gc.collect()
        gc.freeze()
        gc.disable()
        self._ship(Kind.READY, "", dump({"pid": os.getpid(), "versions": versions(uvloop is not None)}))
        beat = asyncio.create_task(self._beat())
        while line := await orders.readline():
            self._obey(orjson.loads(line))
        beat.cancel()

    def _obey(self, order: dict[str, Any]) -> None:
        run_id = order["run"]
        if order["do"] == "start":
            race = self._races.get(run_id)
            again_ns = order.get("origin_ns")  # a lane begun anew, perhaps of a race another process began
            if race is None:
                race = self._races[run_id] = Race(run_id, self._network, self._refused, self._ship, again_ns)
                if again_ns is None:
                    self._ship(Kind.ACK, run_id, dump({"origin_ns": race.origin_ns}))
            for lane in order["lanes"]:
                race.start(Order.decode(lane), again=again_ns is not None)
            if not race.followed:
                race.followed = True
                self._follows.add(task := asyncio.create_task(self._follow(race)))
                task.add_done_callback(self._follows.discard)
        elif order["do"] == "stop" and run_id in self._races:
            self._races[run_id].stop(order["lane"])
        elif order["do"] == "warm":
            self._follows.add(task := asyncio.create_task(self._warm(run_id, order["lanes"])))
            task.add_done_callback(self._follows.discard)
        elif order["do"] == "forget":
            self._races.pop(run_id, None)

    async def _warm(self, run_id: str, lanes: list[tuple[str, dict[str, Any]]]) -> None:
        orders = [(WarmUp(kind), Order.decode(lane)) for kind, lane in lanes]
        warmed = await warm_up(orders, self._network, self._refused)
        self._ship(Kind.WARM, run_id, dump([[each.lane, each.setup_ms, each.error] for each in warmed]))

    async def _follow(self, race: Race) -> None:
        await asyncio.sleep(0)
        while race.running:
            await asyncio.sleep(FLUSH_S)
            race.flush()
        race.followed = False
        held = {
            "tasks": len(asyncio.all_tasks()),
            "races": len(self._races),
        }  # by this process, at this moment
        race.end(held)
        if not any(other.running for other in self._races.values()):
            gc.collect()

    async def _beat(self) -> None:
        while True:
            before = now_ns()
            await asyncio.sleep(BEAT_S)
            late_ms = (now_ns() - before) / 1e6 - BEAT_S * 1000
            for race in self._races.values():
                if race.running:
                    race.late_ms = max(race.late_ms, late_ms)

    def _ship(self, kind: Kind, run_id: str, payload: bytes) -> None:
        self._out.write(pack(kind, run_id, payload))


async def main() -> None:
    """Connect the pipes and serve."""
    loop = asyncio.get_running_loop()
    orders = asyncio.StreamReader(limit=MAX_LINE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    out, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, sys.stdout)
    await Collector(out).serve(orders)


if __name__ == "__main__":
    if uvloop is not None:
        uvloop.run(main())
    else:
        asyncio.run(main())
    os._exit(0)
