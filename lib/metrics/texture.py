"""How evenly the text came: gaps between chunks, stalls, tokens per chunk.

A gap is between chunks; it is a gap between tokens (ITL) only where every chunk holds one token.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from lib.i18n import _
from lib.metrics.measurement import Measurement
from lib.metrics.quantity import Figure, Quantity, Unavailable
from lib.metrics.timeline import gaps_ms

STALL_MS = 500.0
STALL_TIMES_MEDIAN = 8.0


@dataclass(frozen=True, slots=True)
class Stalls:
    """Silences in mid-answer."""

    count: int
    longest_ms: float
    total_ms: float


def gaps(measured: Measurement) -> list[float]:
    """Milliseconds between distinct arrivals of visible text; empty when there were fewer than two."""
    return gaps_ms(measured.arrivals)


def median_gap_ms(measured: Measurement) -> Figure:
    """Median gap between arrivals, in ms."""
    found = gaps(measured)
    if measured.is_buffered:
        return Unavailable(_("The stream was buffered on its way."))
    return Quantity(median(found), "ms") if found else Unavailable(_("There were fewer than two arrivals."))


def longest_gap_ms(measured: Measurement) -> Figure:
    """Longest gap between arrivals, in ms."""
    found = gaps(measured)
    return Quantity(max(found), "ms") if found else Unavailable(_("There were fewer than two arrivals."))


def stalls(measured: Measurement) -> Stalls:
    """Gaps longer than max(500 ms, 8 x the median gap), after the first token."""
    found = gaps(measured)
    limit_ms = max(STALL_MS, STALL_TIMES_MEDIAN * median(found)) if found else STALL_MS
    long = [gap for gap in found if gap > limit_ms]
    return Stalls(len(long), max(long, default=0.0), sum(long))


def stall_count(measured: Measurement) -> Figure:
    """Number of stalls."""
    if len(measured.arrivals) < 2:
        return Unavailable(_("There were fewer than two arrivals."))
    return Quantity(stalls(measured).count, "")


def stalled_ms(measured: Measurement) -> Figure:
    """Time spent in stalls, in ms."""
    if len(measured.arrivals) < 2:
        return Unavailable(_("There were fewer than two arrivals."))
    return Quantity(stalls(measured).total_ms, "ms")


def tokens_per_chunk(measured: Measurement) -> Figure:
    """Visible output tokens / chunks with visible text. Above 1.2, gaps are between chunks and not tokens."""
    visible, chunks = measured.visible_tokens, len(measured.time.chunks)
    if not chunks:
        return Unavailable(_("No text came."))
    if visible is None or measured.time.choices > 1:
        return Unavailable(_("It is not known which of the counted tokens were shown."))
    summarised = measured.time.thinking_chunks and not measured.thinking_is_verbatim
    shown = len(measured.time.answer_chunks) if summarised else chunks
    return Quantity(visible / shown, "tokens") if shown else Unavailable(_("No answer text came."))
