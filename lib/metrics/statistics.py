"""Several trials of one figure: what may be said with so few of them, and no more.

Rates and ratios are averaged geometrically, latencies by the median. A percentile needs enough samples; a
comparison needs pairs from the same rounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev

from lib.i18n import _
from lib.metrics.quantity import Figure, Quantity, Unavailable

MIN_PAIRS = 3
_NEEDED = ((99.0, 100), (90.0, 10), (0.0, 1))  # a percentile from here up needs so many samples
_WILSON_Z = 1.959964  # two-sided 95 %

# Two-sided 95 % quantiles of Student's t by degrees of freedom (Abramowitz & Stegun 1964, table 26.10).
_T95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
_T95_BEYOND = (
    (40, 2.042),
    (60, 2.021),
    (120, 2.000),
)  # below so many degrees: a little wide, never too narrow
_T95_LIMIT = 1.980


@dataclass(frozen=True, slots=True)
class Spread:
    """Median, least and most of a sample; all points are drawn beside it."""

    count: int
    median: float
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class RatioInterval:
    """Geometric mean of paired ratios with its 95 % interval."""

    pairs: int
    ratio: float
    low: float
    high: float

    @property
    def tells_apart(self) -> bool:
        """Whether the interval excludes 1."""
        return self.low > 1 or self.high < 1


def spread(values: Sequence[float]) -> Spread | Unavailable:
    """Median and range of the sample."""
    if not values:
        return Unavailable(_("There is no trial with this figure."))
    return Spread(len(values), median(values), min(values), max(values))


def geometric_mean(values: Sequence[float], unit: str = "") -> Figure:
    """exp(mean(ln x)), for rates and ratios (all above 0)."""
    if not values or min(values) <= 0:
        return Unavailable(_("There is no trial with this figure."))
    return Quantity(math.exp(fmean(math.log(value) for value in values)), unit)


def percentile(values: Sequence[float], percent: float, unit: str = "") -> Figure:
    """The percentile by linear interpolation (Hyndman & Fan 1996, type 7).

    p90 needs 10 samples, p99 needs 100; with fewer it is unavailable.
    """
    needed = next(count for from_percent, count in _NEEDED if percent >= from_percent)
    if len(values) < needed:
        return Unavailable(_("p{p} needs {n} trials.").format(p=f"{percent:g}", n=needed))
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return Quantity(ordered[below] + (ordered[above] - ordered[below]) * (place - below), unit)


def paired_ratio(pairs: Sequence[tuple[float, float]]) -> RatioInterval | Unavailable:
    """Geometric mean of a / b over rounds, with a 95 % t interval of the mean log-ratio (rates above 0)."""
    logs = [math.log(a / b) for a, b in pairs if a > 0 and b > 0]
    if len(logs) < MIN_PAIRS:
        return Unavailable(_("Too few trials to compare."))
    middle = fmean(logs)
    half = _t95(len(logs) - 1) * stdev(logs) / math.sqrt(len(logs))
    return RatioInterval(len(logs), math.exp(middle), math.exp(middle - half), math.exp(middle + half))


def wilson(successes: int, trials: int) -> tuple[float, float] | Unavailable:
    """95 % interval of a share (Wilson 1927)."""
    if trials <= 0:
        return Unavailable(_("There is no trial with this figure."))
    share, z2 = successes / trials, _WILSON_Z**2
    middle = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    spread_ = share * (1 - share) / trials + z2 / (4 * trials**2)
    half = _WILSON_Z * math.sqrt(spread_) / (1 + z2 / trials)
    return max(0.0, middle - half), min(1.0, middle + half)


def _t95(degrees: int) -> float:
    if degrees <= len(_T95):
        return _T95[degrees - 1]
    return next((quantile for below, quantile in _T95_BEYOND if degrees < below), _T95_LIMIT)
