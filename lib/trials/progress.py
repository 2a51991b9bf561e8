"""How far a series is, as its page tells it; values only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is. `left_s` is None until a round has shown how long one takes."""

    done: int
    total: int
    round: int
    rounds: int
    asking: tuple[int, ...]
    left_s: float | None
    is_running: bool
    ended_early: str  # "stopped", "cap", "unwatched", "interrupted", "elsewhere" or "fault"; else empty
