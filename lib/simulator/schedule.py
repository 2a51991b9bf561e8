"""When each chunk of a stream is due: pure arithmetic from the start of the request, no clock.

Deadlines are absolute, so lateness of one chunk never delays the next, and jitter moves a chunk
around its place without ever adding up: the first chunk is due at TTFT exactly, the last one where
the set rate puts it, and everything between stays in order.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

_NS_PER_S = 1_000_000_000
_CLIP_SIGMA = 2.5


def deadlines_ns(
    tokens: Sequence[int], *, ttft_ms: float, tok_s: float, jitter_cv: float = 0.0, seed: int = 0
) -> list[int]:
    """Nanoseconds after the request at which each chunk is due; `tokens[k]` is what chunk k holds.

    Chunk k is due at `ttft + (tokens after the first chunk, up to and with chunk k) / rate`, so that the
    rate measured from the first arrival to the last is `tok_s`. Each chunk but the first and the last is
    moved by a normal deviate of `jitter_cv / sqrt(2)` mean gaps (cut at 2.5 sigma), which gives gaps of
    that coefficient of variation as long as no two chunks would change places.
    """
    first_ns = round(ttft_ms * 1e6)
    if len(tokens) < 2:
        return [first_ns] * len(tokens)
    after_first = sum(tokens) - tokens[0]
    end_ns = first_ns + round(after_first * _NS_PER_S / tok_s)
    sigma_ns = jitter_cv / math.sqrt(2) * (end_ns - first_ns) / (len(tokens) - 1)
    moves = random.Random(seed)
    due = [first_ns]
    passed = 0
    for count in tokens[1:-1]:
        passed += count
        nominal_ns = first_ns + passed * _NS_PER_S / tok_s
        move = max(-_CLIP_SIGMA, min(_CLIP_SIGMA, moves.gauss(0, 1)))
        due.append(min(end_ns, max(due[-1], round(nominal_ns + move * sigma_ns))))
    return [*due, end_ns]
