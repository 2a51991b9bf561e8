"""Sends prepared bytes at their deadlines, never early; what is late goes out at once, in one write."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
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
    parts: Iterable[tuple[int, bytes]],
    start_ns: int,
    write: Callable[[bytes], Awaitable[None]],
    clock: Clock,
) -> None:
    """Write each `(due_ns after start_ns, bytes)` not before it is due; late ones are joined to one write."""
    coming = iter(parts)
    waiting = next(coming, None)
    while waiting is not None:
        passed_ns = clock.now_ns() - start_ns
        due: list[bytes] = []
        while waiting is not None and waiting[0] <= passed_ns:
            due.append(waiting[1])
            waiting = next(coming, None)
        if due:
            await write(b"".join(due))
        elif waiting is not None:
            await clock.sleep((waiting[0] - passed_ns) / 1e9)
