"""Goodput: the share of trials that were good enough by limits a person sets.

A missing measurement is undetermined: neither good nor bad. What a person stopped is not judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lib.domain.events import Status
from lib.metrics.quantity import Unavailable, number
from lib.metrics.statistics import wilson
from lib.metrics.verdict import STARVED_S
from lib.trials.trial import Trial


@dataclass(frozen=True, slots=True)
class Goals:
    """What is good enough; None means that it does not matter."""

    ttfat_ms: float | None = 1000.0
    stall_ms: float | None = 2000.0
    starved_s: float | None = STARVED_S  # how long the reader may stand waiting for text, in all


@dataclass(frozen=True, slots=True)
class Goodput:
    """How many of the judged trials were good, with the 95 % interval of the share."""

    good: int
    judged: int
    undetermined: int
    interval: tuple[float, float] | Unavailable


def is_good(trial: Trial, goals: Goals) -> bool | None:
    """Whether the trial kept every limit and did not fail; None when that is not known."""
    if trial.has_failed:
        return False
    if trial.status in (Status.STOPPED, Status.INTERRUPTED):
        return None
    limits = (
        (goals.ttfat_ms, number(trial.figures["ttfat_ms"])),
        (goals.stall_ms, number(trial.longest_stall)),
        (goals.starved_s, number(trial.figures["starved_s"])),
    )
    asked = [(limit, value) for limit, value in limits if limit is not None]
    if any(value is not None and value > limit for limit, value in asked):
        return False
    return None if any(value is None for _limit, value in asked) else True


def goodput(trials: Sequence[Trial], goals: Goals) -> Goodput:
    """good / judged, with Wilson's 95 % interval; the undetermined are told apart."""
    judged = [is_good(trial, goals) for trial in trials]
    known = [good for good in judged if good is not None]
    return Goodput(sum(known), len(known), len(judged) - len(known), wilson(sum(known), len(known)))
