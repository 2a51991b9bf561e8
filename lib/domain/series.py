"""What makes several runs one series of trials, beside what each of them says itself; values only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SeriesPlan:
    """How a series was meant to be made; its prompt, parameters and backends are those of its run."""

    rounds: int
    condition: str  # cold or warm prompts
    has_warm_up: bool
    seed: int  # of the order within the rounds


@dataclass(frozen=True, slots=True)
class RoundPlace:
    """Which round of which series a run is; round 0 is the discarded warm-up."""

    series_id: str
    round: int
