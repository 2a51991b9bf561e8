"""How many chips a model needs before its speed is a question at all. Nothing about how they are connected."""

from __future__ import annotations

import math


def chips_exactly(needed_bytes: float, capacity_gb: float) -> float:
    """Needed memory in chips, not rounded: bytes / capacity. GB are 10^9 bytes.

    Weights alone, or weights and caches, as the caller adds them. Optimistic: engines keep working memory
    and a reserve beside both.
    """
    return needed_bytes / (capacity_gb * 1e9)


def chips_needed(needed_bytes: float, capacity_gb: float) -> int:
    """Whole chips that hold so many bytes (`chips_exactly`, rounded up)."""
    return max(1, math.ceil(chips_exactly(needed_bytes, capacity_gb)))
