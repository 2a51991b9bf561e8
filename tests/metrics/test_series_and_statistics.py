"""Curves end at the exact counts; statistics say no more than their samples allow."""

from __future__ import annotations

import math

import pytest

from lib import tokens
from lib.metrics import statistics as st
from lib.metrics.quantity import Quantity, Unavailable, number
from lib.metrics.series import gap_series_of, series_of
from tests.metrics.building import SENT_MS, generation, steady


def test_a_curve_counts_the_whole_text_once_by_the_time_it_came() -> None:
    series = series_of(generation([(100, "The infra"), (200, "structure uncert"), (300, "ainties grow.")]))
    assert series.at_ms == (100, 200, 300)
    assert series.clock_ms == (100 + SENT_MS, 200 + SENT_MS, 300 + SENT_MS)
    assert series.tokens == (1, 2, 5)
    assert series.words == (1, 2, 4)
    assert series.characters == (9, 25, 38)


def test_thinking_counts_as_tokens_and_not_as_words_to_read() -> None:
    series = series_of(generation([(100, "two plus two", "r"), (200, "Four.", "a")]))
    assert (series.tokens[0], series.words) == (3, (0, 1))


def test_a_long_curve_is_thinned_and_keeps_its_first_and_last_point() -> None:
    made = steady(3000, each_ms=1)
    thin, full = series_of(made, points=100), series_of(made, points=10_000)
    assert len(thin.at_ms) == 100
    assert (thin.at_ms[0], thin.at_ms[-1]) == (full.at_ms[0], full.at_ms[-1])
    assert (
        thin.tokens[-1]
        == full.tokens[-1]
        == tokens.count("".join(d.text for d in made.events if hasattr(d, "text")))
    )


def test_nothing_came_so_the_curves_are_empty() -> None:
    assert (series_of(generation([])).at_ms, gap_series_of(generation([])).gap_ms) == ((), ())


def test_each_gap_stands_where_it_ended() -> None:
    gaps = gap_series_of(generation([(100, "a"), (160, "b"), (400, "c")]))
    assert (gaps.at_ms, gaps.gap_ms) == ((160, 400), (60, 240))


def test_a_percentile_needs_its_samples() -> None:
    assert isinstance(st.percentile([1.0] * 9, 90), Unavailable)
    assert number(st.percentile([float(n) for n in range(1, 12)], 90)) == 10
    assert isinstance(st.percentile([1.0] * 99, 99), Unavailable)
    assert number(st.percentile([3.0, 1.0, 2.0], 50)) == 2
    assert isinstance(st.percentile([], 50), Unavailable)


def test_rates_are_averaged_geometrically() -> None:
    assert number(st.geometric_mean([10, 1000], "tok/s")) == pytest.approx(100)
    assert isinstance(st.geometric_mean([]), Unavailable)
    assert isinstance(st.geometric_mean([1, 0]), Unavailable)


def test_a_spread_is_the_median_and_the_range() -> None:
    assert st.spread([3, 1, 9]) == st.Spread(3, 3, 1, 9)
    assert isinstance(st.spread([]), Unavailable)


def test_pairs_that_all_say_the_same_ratio_tell_two_backends_apart() -> None:
    result = st.paired_ratio([(200, 100), (400, 200), (100, 50)])
    assert isinstance(result, st.RatioInterval)
    assert (result.ratio, result.low, result.high) == pytest.approx((2, 2, 2))
    assert result.tells_apart


def test_the_interval_is_students_t_of_the_log_ratios() -> None:
    logs = [0.1, 0.3, 0.2]
    result = st.paired_ratio([(math.exp(log), 1.0) for log in logs])
    assert isinstance(result, st.RatioInterval)
    half = 4.303 * 0.1 / math.sqrt(3)
    assert (math.log(result.low), math.log(result.high)) == pytest.approx((0.2 - half, 0.2 + half))
    assert not result.tells_apart


def test_two_pairs_are_too_few() -> None:
    assert isinstance(st.paired_ratio([(2, 1), (2, 1)]), Unavailable)


def test_wilsons_interval_of_a_share() -> None:
    assert st.wilson(9, 10) == pytest.approx((0.5958, 0.9821), abs=1e-4)
    assert st.wilson(0, 5) == pytest.approx((0, 0.4345), abs=1e-4)
    assert isinstance(st.wilson(0, 0), Unavailable)


def test_the_t_quantile_never_rises_with_more_degrees() -> None:
    quantiles = [st._t95(degrees) for degrees in range(1, 300)]
    assert quantiles == sorted(quantiles, reverse=True)


def test_a_quantity_and_a_reason_are_the_only_two_things() -> None:
    assert number(Quantity(3, "ms")) == 3.0
    assert number(Unavailable("No text came.")) is None
