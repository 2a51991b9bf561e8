"""Where the bottleneck goes when only the decoding gets faster: Amdahl's law on the parts of a task.

Pure formulas, seconds and shares; nothing is measured here. Source: Amdahl 1967, AFIPS 30, doi:10.1145/1465482.1465560.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


class NotAGain(ValueError):
    """These two gains cannot both be true: the whole cannot gain more than its faster part, nor lose by it."""


@dataclass(frozen=True, slots=True)
class Calls:
    """A task of equal steps: so many calls, each with a first token, an answer and a tool."""

    calls: int
    output_tokens: int  # per call
    ttft_s: float
    tool_s: float

    def total_s(self, decode_tok_s: float) -> float:
        """T = N x (TTFT + O / R + tool), in seconds."""
        return self.calls * (self.ttft_s + self.output_tokens / decode_tok_s + self.tool_s)

    def decode_s(self, decode_tok_s: float) -> float:
        """N x O / R: the part that a faster decode shortens, in seconds."""
        return self.calls * self.output_tokens / decode_tok_s


@dataclass(frozen=True, slots=True)
class Unaccelerated:
    """What two claimed gains say about the rest: its share before and after, and the most that can be gained."""

    before: float  # share of the old total, 0..1
    after: float  # share of the new total, 0..1
    ceiling: float | None  # times; None when everything was accelerated


def end_to_end_gain(share: float, gain: float) -> float | None:
    """S = 1 / (s + (1 - s) / k): how many times faster the whole is when all but the share `s` gains `k` times.

    `gain` may be `math.inf`. None when everything is accelerated without limit.
    """
    rest = share + (1 - share) / gain
    return 1 / rest if rest > 0 else None


def ceiling(share: float) -> float | None:
    """1 / s: what infinitely fast decoding would give; None when nothing else takes time."""
    return end_to_end_gain(share, math.inf)


def unaccelerated(decode_gain: float, whole_gain: float) -> Unaccelerated:
    """The share that was not accelerated, from a decode gain `k` and an end-to-end gain `S`.

    s = (1/S - 1/k) / (1 - 1/k) before, s x S after, 1/s the ceiling. Raises NotAGain.
    """
    if not 1 <= whole_gain <= decode_gain or decode_gain == 1 or not math.isfinite(whole_gain):
        raise NotAGain(f"{whole_gain:g} and {decode_gain:g}")
    share = (1 / whole_gain - 1 / decode_gain) / (1 - 1 / decode_gain)
    return Unaccelerated(share, share * whole_gain, ceiling(share))


def balance_tokens(ttft_s: float, decode_tok_s: float) -> float:
    """The answer length at which decoding takes as long as the first token: TTFT x R, in tokens."""
    return ttft_s * decode_tok_s
