"""When each chunk of a stream is due: pure arithmetic from the start of the request, no clock.

Deadlines are absolute, so lateness of one chunk never delays the next, and jitter moves a chunk
around its place without ever adding up: the first chunk is due at TTFT exactly, the last one where
the set rate puts it, and everything between stays in order.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_NS_PER_S = 1_000_000_000
_NS_PER_MS = 1_000_000
_CLIP_SIGMA = 2.5


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a reply comes; `jitter_cv` is the coefficient of variation of the gaps between chunks."""

    ttft_ms: float
    tok_s: float
    jitter_cv: float = 0.0
    seed: int = 0


def end_ns(tokens: Sequence[int], pace: Pace) -> int:
    """When the last chunk is due: `ttft + (all tokens after the first chunk) / rate`."""
    return round(pace.ttft_ms * _NS_PER_MS + sum(tokens[1:]) * _NS_PER_S / pace.tok_s)


def deadlines_ns(tokens: Sequence[int], pace: Pace) -> Iterator[int]:
    """Nanoseconds after the request at which each chunk is due; `tokens[k]` is what chunk k holds.

    Chunk k is due at `ttft + (tokens after the first chunk, up to and with chunk k) / rate`, so that the
    rate measured from the first arrival to the last is `tok_s`. Each chunk but the first and the last is
    moved by a normal deviate of `jitter_cv / sqrt(2)` mean gaps (cut at 2.5 sigma), which gives gaps of
    that coefficient of variation as long as no two chunks would change places.
    """
    if not tokens:
        return
    due_ns = first_ns = round(pace.ttft_ms * _NS_PER_MS)
    yield first_ns
    if len(tokens) == 1:
        return
    last_ns = end_ns(tokens, pace)
    sigma_ns = pace.jitter_cv / math.sqrt(2) * (last_ns - first_ns) / (len(tokens) - 1)
    normal = random.Random(pace.seed).gauss
    passed = 0
    for count in tokens[1:-1]:
        passed += count
        moved_ns = sigma_ns * max(-_CLIP_SIGMA, min(_CLIP_SIGMA, normal(0, 1)))
        nominal_ns = first_ns + passed * _NS_PER_S / pace.tok_s
        due_ns = min(last_ns, max(due_ns, round(nominal_ns + moved_ns)))
        yield due_ns
    yield last_ns
