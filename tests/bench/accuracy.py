"""Client stamps held against the truth: errors, rates, slopes. Pure functions, no I/O.

All stamps are absolute nanoseconds of one monotonic clock shared by both processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.bench.truth import Sent


@dataclass(frozen=True, slots=True)
class Stamped:
    """What a client says about one lane: request written, and one stamp per chunk with text."""

    model: str
    sent_ns: int
    stamps_ns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """One lane, as the client saw it and as it was."""

    seen: Stamped
    sent: Sent

    @property
    def errors_ms(self) -> list[float]:
        """Client stamp minus the server's own send stamp, for each chunk, ms."""
        return [
            (stamp - send) / 1e6 for stamp, send in zip(self.seen.stamps_ns, self.sent.sends_ns, strict=True)
        ]

    @property
    def ttft_error_ms(self) -> float:
        """Reported TTFT (first stamp - written) minus the true one (first send - request read), ms."""
        return (self.seen.stamps_ns[0] - self.seen.sent_ns) / 1e6 - self.sent.ttft_ms

    @property
    def rate_error_percent(self) -> float:
        """Measured rate (n - 1) / (last - first) against the true one, per cent."""
        return 100 * (_span(self.sent.sends_ns) / _span(self.seen.stamps_ns) - 1)

    @property
    def falling_behind_percent(self) -> float:
        """Least-squares slope of the error over the time of sending: 1 % = 10 ms later per second."""
        times = [send / 1e6 for send in self.sent.sends_ns]
        errors = self.errors_ms
        middle_t, middle_e = sum(times) / len(times), sum(errors) / len(errors)
        above = sum((t - middle_t) * (e - middle_e) for t, e in zip(times, errors, strict=True))
        return 100 * above / sum((t - middle_t) ** 2 for t in times)


def match(seen: Sequence[Stamped], sent: Sequence[Sent]) -> list[Pair]:
    """Pair the lanes by model name. Raises ValueError when a lane or one of its chunks is missing."""
    truths = {record.model: record for record in sent}
    if len(truths) != len(sent) or {lane.model for lane in seen} != truths.keys():
        raise ValueError(f"{len(seen)} lanes seen, {len(sent)} sent, not the same ones")
    pairs = [Pair(lane, truths[lane.model]) for lane in seen]
    for pair in pairs:
        if len(pair.seen.stamps_ns) != len(pair.sent.sends_ns):
            counts = f"{len(pair.seen.stamps_ns)} chunks seen of {len(pair.sent.sends_ns)} sent"
            raise ValueError(f"{pair.seen.model}: {counts}")
    return pairs


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` (0..1) of all values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * round(share * 1000) // 1000) - 1)]


def _span(stamps: Sequence[int]) -> int:
    return stamps[-1] - stamps[0]
