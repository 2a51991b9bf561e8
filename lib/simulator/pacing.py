"""Sends prepared bytes at their deadlines, never early; what is late goes out at once, in one write."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

_SHORTEST_SLEEP_S = 0.001  # an event loop's timers have this resolution; less would spin


class Clock(Protocol):
    """Monotonic nanoseconds, and waiting."""

    def now_ns(self) -> int:
        """Nanoseconds of a monotonic clock."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait about that long."""
        ...


class SystemClock:
    """The clock of the machine."""

    def now_ns(self) -> int:
        """Nanoseconds of `time.perf_counter_ns`."""
        return time.perf_counter_ns()

    async def sleep(self, seconds: float) -> None:
        """Wait on the running event loop."""
        await asyncio.sleep(max(seconds, _SHORTEST_SLEEP_S))


async def play(
    parts: Sequence[tuple[int, bytes]],
    start_ns: int,
    write: Callable[[bytes], Awaitable[None]],
    clock: Clock,
) -> None:
    """Write each `(due_ns after start_ns, bytes)` not before it is due; late ones are joined to one write."""
    sent = 0
    while sent < len(parts):
        passed_ns = clock.now_ns() - start_ns
        due = sent
        while due < len(parts) and parts[due][0] <= passed_ns:
            due += 1
        if due == sent:
            await clock.sleep((parts[sent][0] - passed_ns) / 1e9)
            continue
        await write(b"".join(data for _, data in parts[sent:due]))
        sent = due
