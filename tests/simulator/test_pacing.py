"""Bytes leave at their deadlines: on a manual clock, so exactly."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from lib.simulator.pacing import play
from lib.simulator.schedule import Pace, deadlines_ns


@dataclass
class ManualClock:
    """Time passes by sleeping and by nothing else; every sleep lasts `late_ns` too long."""

    late_ns: int = 0
    time_ns: int = 1_000
    sleeps: int = 0

    def now_ns(self) -> int:
        return self.time_ns

    async def sleep(self, seconds: float) -> None:
        self.sleeps += 1
        self.time_ns += max(1, round(seconds * 1e9)) + self.late_ns


@dataclass
class Log:
    """What was written when (after the start)."""

    clock: ManualClock
    writes: list[tuple[int, bytes]] = field(default_factory=list)

    async def write(self, data: bytes) -> None:
        self.writes.append((self.clock.time_ns - 1_000, data))


def played(parts: list[tuple[int, bytes]], late_ns: int = 0) -> list[tuple[int, bytes]]:
    clock = ManualClock(late_ns)
    log = Log(clock)
    asyncio.run(play(parts, 1_000, log.write, clock))
    return log.writes


def test_each_part_is_written_when_it_is_due() -> None:
    parts = [(0, b"a"), (5_000, b"b"), (9_000, b"c")]
    assert played(parts) == parts


def test_parts_due_together_leave_in_one_write() -> None:
    assert played([(10, b"a"), (10, b"b"), (20, b"c")]) == [(10, b"ab"), (20, b"c")]


def test_lateness_of_one_part_does_not_delay_the_next() -> None:
    assert played([(1_000, b"a"), (1_200, b"b"), (5_000, b"c")], late_ns=500) == [
        (1_500, b"ab"), (5_500, b"c"),
    ]  # fmt: skip


@given(st.lists(st.tuples(st.integers(0, 10**9), st.binary(min_size=1, max_size=3))), st.integers(0, 10**7))
def test_nothing_leaves_early_and_nothing_is_lost(parts: list[tuple[int, bytes]], late_ns: int) -> None:
    parts.sort(key=lambda part: part[0])
    writes = played(parts, late_ns)
    assert b"".join(data for _, data in writes) == b"".join(data for _, data in parts)
    for at_ns, _ in writes:
        sent = sum(len(data) for written_ns, data in writes if written_ns <= at_ns)
        assert sent <= sum(len(data) for due_ns, data in parts if due_ns <= at_ns)


def test_a_coarse_timer_keeps_the_rate_of_3000_tokens_per_second() -> None:
    pace = Pace(ttft_ms=250, tok_s=3_000, jitter_cv=0.1, seed=3)
    writes = played([(due, b"x") for due in deadlines_ns([1] * 9_000, pace)], late_ns=1_500_000)
    seconds = (writes[-1][0] - writes[0][0]) / 1e9
    assert abs((9_000 - len(writes[0][1])) / seconds / 3_000 - 1) < 0.001
