"""What a race costs at most and so far: exact decimals, bounds that hold, unknown prices counted and not guessed."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from lib.domain.run import Prices, Prompt
from lib.spend import (
    Lane,
    estimate,
    prompt_tokens,
    race_estimate,
    rounded_up,
    running_cost,
)

SOL = Prices(Decimal(5), Decimal(30), Decimal("0.50"))
FREE = Prices(Decimal(0), Decimal(0))
price = st.decimals(0, 500, places=4)
tokens = st.integers(0, 10**7)
known = st.builds(Prices, price, price, st.none() | price)


@given(tokens, tokens, tokens, known)
def test_a_cost_is_exact_to_the_last_digit(prompt: int, output: int, cached: int, prices: Prices) -> None:
    assert prices.input is not None
    assert prices.output is not None
    cached = min(cached, prompt)
    cached_price = prices.input if prices.cached_input is None else prices.cached_input
    parts = ((prompt - cached, prices.input), (cached, cached_price), (output, prices.output))
    exact = sum(Fraction(count) * Fraction(each) for count, each in parts) / 1_000_000
    found = running_cost(prompt, output, prices, cached)
    assert found is not None
    assert Fraction(found) == exact


@given(tokens, tokens, st.integers(0, 1000), known)
def test_a_cost_never_falls_while_tokens_arrive(prompt: int, output: int, more: int, prices: Prices) -> None:
    before, after = running_cost(prompt, output, prices), running_cost(prompt, output + more, prices)
    assert before is not None
    assert after is not None
    assert 0 <= before <= after


@given(tokens, tokens, st.integers(0, 10**7), known, st.floats(0, 1))
def test_what_a_race_costs_lies_between_its_bounds(
    prompt: int, limit: int, cached: int, prices: Prices, share: float
) -> None:
    bounds = estimate(prompt, limit, prices)
    found = running_cost(prompt, int(limit * share), prices, min(cached, prompt))
    assert bounds is not None
    assert bounds[1] is not None
    assert found is not None
    dearer_cache = prices.cached_input is not None and prices.cached_input > (prices.input or 0)
    assert bounds[0] <= found
    assert dearer_cache or found <= bounds[1]


@given(tokens, tokens, tokens, known)
def test_no_more_tokens_are_cached_than_were_sent(
    prompt: int, output: int, cached: int, prices: Prices
) -> None:
    capped = running_cost(prompt, output, prices, min(cached, prompt))
    assert running_cost(prompt, output, prices, cached) == capped


@given(st.decimals(0, 10**6, places=9))
def test_a_bound_is_never_shown_smaller_than_it_is(amount: Decimal) -> None:
    shown = rounded_up(amount)
    assert amount <= shown <= amount + max(amount / 100, Decimal("0.01") * (amount >= 1))


def test_an_unknown_price_is_no_cost() -> None:
    assert running_cost(10, 10, None) is None
    assert running_cost(10, 10, Prices(None, Decimal(1))) is None
    assert running_cost(10, 10, Prices(Decimal(1), None)) is None
    assert estimate(10, 10, None) is None


def test_a_cached_price_that_is_not_published_is_that_of_input() -> None:
    assert running_cost(1000, 0, Prices(Decimal(2), Decimal(9)), 800) == Decimal("0.002")


def test_the_estimate_of_one_request() -> None:
    assert estimate(1000, 512, SOL) == (Decimal("0.0005"), Decimal("0.02286"))


def test_without_a_token_limit_there_is_no_upper_bound() -> None:
    assert estimate(1000, None, SOL) == (Decimal("0.0005"), None)
    told = race_estimate([Lane(1000, None, SOL), Lane(1000, 512, SOL)])
    assert told.sentence == "at least $0.001, and no token limit is set"


def test_a_race_says_its_bound_and_how_many_prices_are_unknown() -> None:
    told = race_estimate([Lane(26, 512, SOL), Lane(26, 512, None), Lane(26, 512, FREE), Lane(26, 512, FREE)])
    assert told.costs
    assert told.sentence == "at most $0.0156; 1 of 4 prices not published"


def test_a_free_race_costs_nothing_and_says_so() -> None:
    told = race_estimate([Lane(26, 512, FREE)])
    assert not told.costs
    assert told.sentence == "at most $0"


def test_with_nothing_but_unknown_prices_no_amount_is_told() -> None:
    assert race_estimate([Lane(26, 512, None)]).sentence == "1 of 1 price not published"
    assert race_estimate([Lane(26, 512, None), Lane(26, 512, FREE)]).sentence == "1 of 2 prices not published"


def test_two_currencies_are_never_added() -> None:
    yuan = Prices(Decimal(2), Decimal(8), currency="CNY")
    told = race_estimate([Lane(0, 1_000_000, SOL), Lane(0, 1_000_000, yuan)])
    assert told.sentence == "at most $30.00; at most ¥8.00"


def test_the_prompt_counts_with_its_system_text_and_the_conversation_before() -> None:
    alone = prompt_tokens(Prompt("Why is the sea salt?"))
    longer = prompt_tokens(
        Prompt("Why is the sea salt?", "Be brief.", (("user", "Hi"), ("assistant", "Hello")))
    )
    assert alone is not None
    assert longer is not None
    assert 5 < alone < longer < 60
