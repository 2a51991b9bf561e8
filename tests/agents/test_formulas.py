"""The closed forms at their published and worked values."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from lib.agents.amdahl import Calls, NotAGain, balance_tokens, ceiling, end_to_end_gain, unaccelerated
from lib.agents.resent import Added, billed, equal_steps
from lib.agents.worth import Task, Trade, if_it_were, most_times, trade
from lib.domain.run import Prices
from lib.metrics.quantity import Unavailable

WORKED = Calls(calls=30, output_tokens=400, ttft_s=0.5, tool_s=2.0)
SOL = Prices(Decimal(5), Decimal(30), Decimal("0.5"))


@pytest.mark.parametrize(
    ("rate", "total_s"), [(20, 675), (54, 297), (134, 165), (300, 115), (750, 91), (3000, 79)]
)
def test_thirty_calls_take_their_worked_time(rate: float, total_s: float) -> None:
    assert WORKED.total_s(rate) == pytest.approx(total_s, abs=0.6)


def test_fourteen_times_the_decode_rate_buys_three_point_three() -> None:
    assert WORKED.total_s(54) / WORKED.total_s(750) == pytest.approx(3.3, abs=0.05)


def test_the_loop_and_the_law_say_the_same() -> None:
    share = 1 - WORKED.decode_s(54) / WORKED.total_s(54)
    assert end_to_end_gain(share, 750 / 54) == pytest.approx(WORKED.total_s(54) / WORKED.total_s(750))


@pytest.mark.parametrize(
    ("model_share", "gain", "whole"),
    [(0.5, 2, 1.33), (0.7, 5, 2.27), (0.8, 14, 3.89), (0.9, 10, 5.26), (0.95, 14, 8.48), (0.95, math.inf, 20)],
)
def test_gains_by_model_share(model_share: float, gain: float, whole: float) -> None:
    assert end_to_end_gain(1 - model_share, gain) == pytest.approx(whole, abs=0.006)


@pytest.mark.parametrize(
    ("gain", "whole", "before", "after", "most"),
    [(14, 5.6, 0.115, 0.646, 8.67), (12, 5.6, 0.104, 0.582, 9.6), (8, 5.6, 0.061, 0.343, 16.3),
     (14, 7, 0.077, 0.538, 13)],
)  # fmt: skip
def test_two_claims_give_the_share_that_was_not_accelerated(
    gain: float, whole: float, before: float, after: float, most: float
) -> None:
    found = unaccelerated(gain, whole)
    assert (found.before, found.after) == (
        pytest.approx(before, abs=6e-4), pytest.approx(after, abs=6e-4)
    )  # fmt: skip
    assert found.ceiling == pytest.approx(most, abs=0.05)


@pytest.mark.parametrize(("gain", "whole"), [(5.6, 14), (14, 0.9), (1, 1)])
def test_gains_that_contradict_each_other_are_refused(gain: float, whole: float) -> None:
    with pytest.raises(NotAGain):
        unaccelerated(gain, whole)


def test_with_nothing_else_to_wait_for_there_is_no_ceiling() -> None:
    assert ceiling(0.0) is None
    assert unaccelerated(14, 14).ceiling is None


def test_first_token_and_decoding_balance_at_their_product() -> None:
    assert balance_tokens(0.3, 750) == pytest.approx(225)


def test_a_resent_history_costs_its_worked_price() -> None:
    tokens = billed(equal_steps(30, 5000, 400, 1000))
    assert (tokens.input, tokens.output, tokens.cached) == (759_000, 12_000, 713_400)
    uncached, cached = tokens.cost(SOL), tokens.cost(SOL, is_cached=True)
    assert uncached is not None
    assert cached is not None
    assert round(uncached, 3) == Decimal("4.155")
    assert round(cached, 2) == Decimal("0.94")


def test_an_unpublished_price_is_no_cost() -> None:
    assert billed([Added(100, 10)]).cost(None) is None
    assert if_it_were(Decimal(6), None) is None


def test_the_break_even_hour_of_the_worked_task() -> None:
    cost = Decimal("0.94")
    fast = Task(WORKED.total_s(750), if_it_were(Decimal(6), cost))
    found = trade(Task(WORKED.total_s(54), cost), fast)
    assert isinstance(found, Trade)
    assert found.saved_s == pytest.approx(206, abs=0.5)
    assert float(found.hour) == pytest.approx(83, abs=1)
    assert found.pays(Decimal(100))
    assert not found.pays(Decimal(60))


def test_what_is_not_faster_or_not_priced_is_not_weighed() -> None:
    slow = Task(10, Decimal(1))
    assert isinstance(trade(slow, Task(10, Decimal(0))), Unavailable)
    assert isinstance(trade(slow, Task(5, None)), Unavailable)


def test_what_is_faster_and_cheaper_pays_at_any_value() -> None:
    found = trade(Task(10, Decimal(2)), Task(5, Decimal(1)))
    assert isinstance(found, Trade)
    assert found.pays(Decimal(0))


def test_up_to_the_multiple_at_which_it_pays_the_trade_pays_and_beyond_it_does_not() -> None:
    slow, worth = Task(297.0, Decimal("4.16")), Decimal(60)
    most = most_times(slow, 91.0, worth)
    assert most is not None
    assert float(most) == pytest.approx(1 + 60 * 206 / 3600 / 4.16)
    for factor, pays in ((Decimal("0.999"), True), (Decimal("1.001"), False)):
        found = trade(slow, Task(91.0, if_it_were(most * factor, slow.cost)))
        assert isinstance(found, Trade)
        assert found.pays(worth) is pays
    assert most_times(Task(297.0, None), 91.0, worth) is None
