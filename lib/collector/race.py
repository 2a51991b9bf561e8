"""One run inside the collector: its lanes, their queues, and the flushes that ship their rows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from lib.collector.connection import Network, now_ns
from lib.collector.lane import Lane, Refused
from lib.collector.order import Order
from lib.collector.redact import RowRedactor
from lib.collector.shipping import ViewEncoder, dump, message
from lib.collector.wire import Kind

FLUSH_S = 0.03
Ship = Callable[[Kind, str, bytes], None]


class Race:
    """Starts lanes and ships what they leave until the last one has ended."""

    def __init__(
        self, run_id: str, network: Network, refused: Refused, ship: Ship, origin_ns: int | None = None
    ) -> None:
        self.run_id = run_id
        self.origin_ns = now_ns() if origin_ns is None else origin_ns
        self.late_ms = 0.0
        self.followed = False  # whether a task flushes it and will say that it is over
        self._network, self._refused, self._ship = network, refused, ship
        self._lanes: dict[int, Lane] = {}
        self._views: dict[int, ViewEncoder] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._queues: dict[str, asyncio.Lock] = {}
        self._secrets = RowRedactor()

    @property
    def running(self) -> bool:
        """Whether any lane still works."""
        return any(not task.done() for task in self._tasks.values())

    def start(self, order: Order, *, again: bool) -> None:
        """Begin a lane; one of the same number that has ended is begun anew, and so it is told when `again`."""
        earlier = self._tasks.get(order.lane)
        if earlier is not None and not earlier.done():
            return
        self._secrets.add(order.key)
        lane = Lane(order, self.origin_ns, self._network, self._refused)
        if earlier is not None or again:
            self.flush()
            lane.rows.append([now_ns() - self.origin_ns, "restart"])
        self._lanes[order.lane] = lane
        self._views[order.lane] = ViewEncoder(order.lane)
        self._tasks[order.lane] = asyncio.get_running_loop().create_task(self._in_turn(lane))

    def stop(self, lane: int | None) -> None:
        """Stop one lane, or all of them; one that waits in a queue never starts."""
        for number in self._lanes if lane is None else (lane,):
            if number in self._lanes:
                self._lanes[number].stop()

    def flush(self) -> None:
        """Ship the rows since the last flush, in both forms and without keys."""
        taken = [(number, lane.take()) for number, lane in self._lanes.items() if lane.rows]
        if not taken:
            return
        payload = dump(taken)
        if self._secrets.is_in(payload):
            taken = [(number, self._secrets.rows(rows)) for number, rows in taken]
            payload = dump(taken)
        self._ship(Kind.ROWS, self.run_id, payload)  # first: nothing may be seen that was not kept
        view = message(now_ns() - self.origin_ns, [self._views[n].encode(rows) for n, rows in taken])
        if view is not None:
            self._ship(Kind.VIEW, self.run_id, view)
        for number, rows in taken:
            if rows[-1][1] == "end":
                self._ship(Kind.LANE, self.run_id, dump(number))

    def end(self, extra: dict[str, Any]) -> None:
        """Ship the last rows and say that the run is over."""
        self.flush()
        health = {"origin_ns": self.origin_ns, "clock_health_ms": round(self.late_ms, 3), **extra}
        self._ship(Kind.END, self.run_id, dump(health))

    async def _in_turn(self, lane: Lane) -> None:
        queue = self._queues.setdefault(lane.order.queue, asyncio.Lock())
        if not await lane.turn(queue):
            lane.rows.append([now_ns() - self.origin_ns, "end", "stopped"])
            return
        await lane.run()
        queue.release()
