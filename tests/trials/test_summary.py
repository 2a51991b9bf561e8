"""What may be said of several trials, and what may not."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest

from lib.domain.events import Status
from lib.metrics.quantity import Quantity, Unavailable
from lib.metrics.statistics import RatioInterval, Spread
from lib.trials.goodput import Goals, goodput, is_good
from lib.trials.plan import Condition
from lib.trials.summary import (
    MixedConditions,
    compare,
    comparisons,
    counts_of,
    figure_summary,
    told_apart,
    trials_of,
)
from tests.trials.made_trials import made

RATE = "normalised_e2e_tok_s"
TRUE_RATIO = 1.5
NOISE = math.sqrt(math.log(1 + 0.25**2))  # log-normal with a coefficient of variation of 0.25


def rounds(a: Sequence[float], b: Sequence[float]) -> list:
    return [made(0, i + 1, rate) for i, rate in enumerate(a)] + [
        made(1, i + 1, rate) for i, rate in enumerate(b)
    ]


def test_median_and_range_with_few_trials_and_no_percentile() -> None:
    told = figure_summary([made(0, n, rate) for n, rate in enumerate([50.0, 70.0, 54.0], 1)], "decode_tok_s")
    assert told.spread == Spread(3, 54.0, 50.0, 70.0)
    assert isinstance(told.p90.figure, Unavailable)
    assert isinstance(told.p99.figure, Unavailable)


@pytest.mark.parametrize(
    ("trials", "has_p90", "p90_reliable", "has_p99", "p99_reliable"),
    [(9, False, False, False, False), (10, True, False, False, False), (50, True, True, False, False),
     (99, True, True, False, False), (100, True, True, True, False), (500, True, True, True, True)],
)  # fmt: skip
def test_percentiles_come_with_enough_samples_and_say_when_they_are_reliable(
    trials: int, has_p90: bool, p90_reliable: bool, has_p99: bool, p99_reliable: bool
) -> None:
    told = figure_summary([made(0, n, 10.0 + n) for n in range(1, trials + 1)], "decode_tok_s")
    assert isinstance(told.p90.figure, Quantity) is has_p90
    assert isinstance(told.p99.figure, Quantity) is has_p99
    assert (told.p90.is_reliable, told.p99.is_reliable) == (p90_reliable, p99_reliable)


def test_failed_stopped_and_throttled_trials_are_counted_and_in_no_median() -> None:
    trials = [
        made(0, 1, 50.0), made(0, 2, 900.0, status=Status.ERROR, throttled=True),
        made(0, 3, 800.0, status=Status.STOPPED), made(0, 4, 700.0, status=Status.INCOMPLETE),
        made(0, 5, 52.0, throttled=True),
    ]  # fmt: skip
    counts = counts_of(trials)
    assert (counts.trials, counts.complete, counts.failed, counts.stopped, counts.throttled) == (
        5,
        2,
        2,
        1,
        2,
    )
    assert figure_summary(trials, "decode_tok_s").values == (50.0, 52.0)
    assert len(trials_of(trials, 0)) == 5


def test_a_warm_up_is_in_no_figure() -> None:
    trials = [made(0, 0, 1.0), made(0, 1, 50.0)]
    assert figure_summary(trials, "decode_tok_s").values == (50.0,)
    assert trials_of(trials, 0) == (trials[1],)


def test_cold_and_warm_trials_cannot_be_summed_up_together() -> None:
    mixed = [made(0, 1), made(0, 2, condition=Condition.WARM)]
    with pytest.raises(MixedConditions):
        figure_summary(mixed, "decode_tok_s")
    with pytest.raises(MixedConditions):
        compare(mixed, 0, 1, RATE)


def test_a_ratio_is_the_geometric_mean_of_the_rounds_with_its_t_interval() -> None:
    found = compare(rounds([200, 240, 180], [100, 100, 100]), 0, 1, RATE).interval
    assert isinstance(found, RatioInterval)
    logs = [math.log(2.0), math.log(2.4), math.log(1.8)]
    mean = sum(logs) / 3
    half = 4.303 * math.sqrt(sum((x - mean) ** 2 for x in logs) / 2) / math.sqrt(3)
    assert found.ratio == pytest.approx(math.exp(mean))
    assert (found.low, found.high) == pytest.approx((math.exp(mean - half), math.exp(mean + half)))


def test_only_rounds_that_both_completed_are_pairs() -> None:
    trials = [*rounds([200, 240, 180, 210], [100, 100, 100])]
    trials[1] = made(0, 2, 240, status=Status.ERROR)
    assert compare(trials, 0, 1, RATE).rounds == 2
    assert isinstance(compare(trials, 0, 1, RATE).interval, Unavailable)


def test_a_rate_from_a_short_sample_is_shown_and_not_compared() -> None:
    trials = [made(0, n, 100.0, short=True) for n in (1, 2, 3)] + [made(1, n, 50.0) for n in (1, 2, 3)]
    assert figure_summary(trials[:3], RATE).values == (100.0,) * 3
    assert compare(trials, 0, 1, RATE).rounds == 0


def test_every_pair_is_compared_once() -> None:
    assert [(c.a, c.b) for c in comparisons([], 3, RATE)] == [(1, 0), (2, 0), (2, 1)]


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [([200, 200], [100, 100], "too few trials to compare (both completed 2 rounds, 3 are needed)"),
     ([100, 130, 90], [100, 100, 100], "Fast and Slow cannot be told apart with 3 rounds."),
     ([100, 100, 100], [200, 210, 190],
      "Slow is 2.00× Fast from request to last token (95 %: 1.76× to 2.26×, 3 rounds)."),
     ([300, 310, 290], [100, 100, 100],
      "Fast is 3.00× Slow from request to last token (95 %: 2.76× to 3.26×, 3 rounds).")],
)  # fmt: skip
def test_the_sentence_says_only_what_was_shown(a: list[float], b: list[float], words: str) -> None:
    assert words in told_apart(compare(rounds(a, b), 0, 1, RATE), "Fast", "Slow")


def simulated(chance: random.Random, n: int, *, interleaved: bool) -> list:
    """n rounds of a true ratio 1.5, noise CV 0.25, and a drift of SD 0.3 that both share only when interleaved."""
    drift_a = [chance.gauss(0, 0.3) for _ in range(n)] if interleaved else [chance.gauss(0, 0.3)] * n
    drift_b = drift_a if interleaved else [chance.gauss(0, 0.3)] * n
    a = [100 * TRUE_RATIO * math.exp(drift + chance.gauss(0, NOISE)) for drift in drift_a]
    b = [100 * math.exp(drift + chance.gauss(0, NOISE)) for drift in drift_b]
    return rounds(a, b)


def coverage(n: int, repeats: int, *, interleaved: bool) -> tuple[float, float]:
    """The share of 95 % intervals that hold the true ratio, and their typical half-width as a factor."""
    chance = random.Random(n)
    found = [
        compare(simulated(chance, n, interleaved=interleaved), 0, 1, RATE).interval for _ in range(repeats)
    ]
    intervals = [one for one in found if isinstance(one, RatioInterval)]
    held = sum(one.low <= TRUE_RATIO <= one.high for one in intervals) / len(intervals)
    halves = sorted(one.high / one.ratio for one in intervals)
    return held, halves[len(halves) // 2]


@pytest.mark.parametrize(("n", "half"), [(3, 2.16), (5, 1.51), (10, 1.28), (20, 1.18)])
def test_interleaved_rounds_hold_the_true_ratio_95_times_in_100(n: int, half: float) -> None:
    held, width = coverage(n, 600, interleaved=True)
    assert 0.925 <= held <= 0.975
    assert width == pytest.approx(half, rel=0.06)


def test_sequential_blocks_are_the_more_confidently_wrong_the_more_there_are() -> None:
    few, many = coverage(3, 300, interleaved=False)[0], coverage(20, 300, interleaved=False)[0]
    assert many < 0.5 < few < 0.93


def test_fourteen_times_is_evident_with_three_rounds_and_a_fifth_is_not_with_ten() -> None:
    chance = random.Random(1)
    noisy = [math.exp(chance.gauss(0, NOISE)) for _ in range(40)]
    fast = compare(rounds([1400 * x for x in noisy[:3]], [100 * x for x in noisy[3:6]]), 0, 1, RATE).interval
    close = compare(
        rounds([120 * x for x in noisy[:10]], [100 * x for x in noisy[10:20]]), 0, 1, RATE
    ).interval
    assert isinstance(fast, RatioInterval)
    assert isinstance(close, RatioInterval)
    assert fast.tells_apart
    assert not close.tells_apart


GOALS = Goals(ttfat_ms=500, stall_ms=1000, starved_s=0)


@pytest.mark.parametrize(
    ("trial", "good"),
    [(made(0, 1), True),
     (made(0, 1, ttfat_ms=501), False),
     (made(0, 1, stall_ms=1001), False),
     (made(0, 1, starved_s=0.1), False),
     (made(0, 1, stall_ms=None), None),
     (made(0, 1, stall_ms=None, ttfat_ms=900), False),
     (made(0, 1, status=Status.ERROR), False),
     (made(0, 1, status=Status.INCOMPLETE), False),
     (made(0, 1, status=Status.STOPPED), None),
     (made(0, 1, status=Status.INTERRUPTED), None)],
)  # fmt: skip
def test_a_trial_is_good_when_it_keeps_every_limit_and_undetermined_when_that_is_not_known(
    trial: object, good: bool | None
) -> None:
    assert is_good(trial, GOALS) is good  # type: ignore[arg-type]


def test_a_limit_that_does_not_matter_needs_no_measurement() -> None:
    assert is_good(made(0, 1, stall_ms=None, starved_s=None), Goals(500, None, None)) is True


def test_goodput_has_wilsons_interval_over_what_was_judged() -> None:
    trials = [*(made(0, n) for n in range(1, 10)), made(0, 10, ttfat_ms=900), made(0, 11, stall_ms=None)]
    told = goodput(trials, GOALS)
    assert (told.good, told.judged, told.undetermined) == (9, 10, 1)
    assert told.interval == pytest.approx((0.5958, 0.9821), abs=1e-3)


def test_goodput_of_nothing_is_no_number() -> None:
    assert isinstance(goodput([], GOALS).interval, Unavailable)
