"""One generation over time, for curves: tokens, words and characters that had come by each moment, and the
gaps.

Tokens are exact o200k_base offsets of the whole text tokenised once, not tokens per chunk added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar

from lib import tokens
from lib.domain.events import Channel, Generation
from lib.metrics.timeline import NS_PER_MS, arrivals, gaps_ms, timeline
from lib.reading import completed_units

T = TypeVar("T")
MOST_POINTS = 400


@dataclass(frozen=True, slots=True)
class Series:
    """What had come by each moment; `at_ms` counts from t0, `clock_ms` is on the run's clock.

    Tokens are of thinking and answer; words and characters (white space included) of the answer, as read.
    """

    at_ms: tuple[float, ...]
    clock_ms: tuple[float, ...]
    tokens: tuple[int, ...]
    words: tuple[int, ...]
    characters: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GapSeries:
    """Every gap between distinct arrivals: when it ended (ms from t0) and how long it was (ms)."""

    at_ms: tuple[float, ...]
    gap_ms: tuple[float, ...]


def series_of(generation: Generation, points: int = MOST_POINTS) -> Series:
    """Cumulative counts at each distinct arrival, thinned to at most `points` (first and last kept).

    A text that cannot be tokenised has no tokens in its series (the tuple is empty).
    """
    time = timeline(generation)
    groups = arrivals(time.chunks)
    answers = ["".join(d.text for d in group.deltas if d.channel is Channel.ANSWER) for group in groups]
    origin_ns = time.sent_ns or 0
    keep = _kept(len(groups), points)
    return Series(
        at_ms=tuple(max(0, groups[i].at_ns - origin_ns) / NS_PER_MS for i in keep),
        clock_ms=tuple(groups[i].at_ns / NS_PER_MS for i in keep),
        tokens=_pick(_cumulative_tokens([group.text for group in groups]), keep),
        words=_pick(completed_units(answers, "word"), keep),
        characters=_pick(list(accumulate(len(text) for text in answers)), keep),
    )


def gap_series_of(generation: Generation) -> GapSeries:
    """The gaps between distinct arrivals in order."""
    time = timeline(generation)
    groups = arrivals(time.chunks)
    at_ms = tuple(max(0, group.at_ns - (time.sent_ns or 0)) / NS_PER_MS for group in groups[1:])
    return GapSeries(at_ms, tuple(gaps_ms(groups)))


def _cumulative_tokens(texts: Sequence[str]) -> list[int]:
    try:
        return tokens.cumulative(texts)
    except tokens.TokenizerError:
        return []


def _kept(length: int, points: int) -> list[int]:
    if length <= points:
        return list(range(length))
    return sorted({round(step * (length - 1) / (points - 1)) for step in range(points)})


def _pick(values: Sequence[T], keep: Sequence[int]) -> tuple[T, ...]:
    return tuple(values[index] for index in keep) if values else ()
