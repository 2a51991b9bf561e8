"""How often a measurement is repeated, and what is done when other programs disturb it.

Whether a repetition counts is decided by what other programs used of the machine meanwhile, never by
its result. Without patience every repetition counts.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import mean
from typing import ParamSpec, TypeVar

from tests.bench.machine import Others, wait_until_quiet

P = ParamSpec("P")
T = TypeVar("T")
DISTURBED_PERCENT = 4.0


class Pace:
    """`quick`: fewer and shorter repetitions; `patience_s`: how long to wait for quiet before each."""

    def __init__(self, quick: bool, patience_s: float = 0.0) -> None:
        self.quick = quick
        self._patience_s = patience_s
        self._others: list[float] = []

    def repeat(self, times: int, once: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> list[T]:
        """So many results. With patience a disturbed one is tried again, at most `times` times in all."""
        quiet: list[tuple[float, T]] = []
        disturbed: list[tuple[float, T]] = []
        most = 2 * times if self._patience_s else times
        while len(quiet) < times and len(quiet) + len(disturbed) < most:
            if self._patience_s:
                wait_until_quiet(self._patience_s)
            others = Others()
            result = once(*args, **kwargs)
            percent = others.percent()
            (quiet if percent < DISTURBED_PERCENT else disturbed).append((percent, result))
        disturbed.sort(key=lambda pair: pair[0])
        kept = (quiet + disturbed)[:times]
        self._others += [percent for percent, _ in kept]
        return [result for _, result in kept]

    def others_percent(self) -> float | None:
        """Mean share of the machine that other programs used in what was kept since the last call."""
        found, self._others = self._others, []
        return mean(found) if found else None
