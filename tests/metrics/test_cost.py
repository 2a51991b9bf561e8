"""Cost is decimal arithmetic by published prices; what is unknown is never 0."""

from __future__ import annotations

from decimal import Decimal

import pytest

from lib.domain import events as ev
from lib.domain.run import Origin, Prices
from lib.metrics.cost import as_decimal_text, cost, cost_note, runs_here
from lib.metrics.measurement import measure
from lib.metrics.quantity import UPPER_BOUND, Quantity, Unavailable
from lib.prices import price_of
from tests.metrics.building import at, backend, generation

USAGE = {"prompt_tokens": 10000, "completion_tokens": 500, "prompt_tokens_details": {"cached_tokens": 8000}}
PIECES = [(200, "Lime"), (240, " wash.")]


def test_cached_tokens_are_charged_once_and_at_their_own_price() -> None:
    prices = Prices(Decimal("1.00"), Decimal("4.00"), Decimal("0.10"))
    amount = cost(measure(generation(PIECES, usage=USAGE), backend(prices=prices)))
    assert amount == Quantity(Decimal("0.0048"), "USD")
    assert as_decimal_text(Decimal("0.0048")) == "0.004800"


def test_without_a_published_cached_price_the_sum_is_an_upper_bound() -> None:
    amount = cost(measure(generation(PIECES, usage=USAGE), backend(prices=Prices(Decimal(1), Decimal(4)))))
    assert amount == Quantity(Decimal("0.012"), "USD", (UPPER_BOUND,))


@pytest.mark.parametrize(
    ("prices", "usage"),
    [
        (None, USAGE),
        (Prices(Decimal(1), None), USAGE),
        (Prices(None, Decimal(4)), USAGE),
        (Prices(Decimal(1), Decimal(4)), None),
    ],
)
def test_an_unknown_price_or_count_has_a_reason_and_no_amount(
    prices: Prices | None, usage: dict[str, int] | None
) -> None:
    assert isinstance(cost(measure(generation(PIECES, usage=usage), backend(prices=prices))), Unavailable)


def test_small_amounts_keep_their_digits() -> None:
    assert as_decimal_text(Decimal("0.00000042")) == "0.00000042"
    assert as_decimal_text(Decimal("12")) == "12.000000"


@pytest.mark.parametrize(
    ("url", "origin", "here"),
    [
        ("http://127.0.0.1:8080/v1", Origin.LIVE, True),
        ("http://localhost:11434/v1", Origin.LIVE, True),
        ("http://[::1]:8080/v1", Origin.LIVE, True),
        ("http://127.0.0.1:8080/v1", Origin.SIMULATED, False),
        ("https://api.example.com/v1", Origin.LIVE, False),
        ("", Origin.LIVE, False),
    ],
)
def test_only_a_live_server_on_this_machine_costs_nothing(url: str, origin: Origin, here: bool) -> None:
    assert runs_here(backend(base_url=url, origin=origin)) is here


def test_thinking_that_is_counted_outside_the_completion_is_charged_as_output() -> None:
    outside = {
        "prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 450,
        "completion_tokens_details": {"reasoning_tokens": 300},
    }  # fmt: skip
    amount = cost(measure(generation(PIECES, usage=outside), backend(prices=Prices(Decimal(1), Decimal(4)))))
    assert amount == Quantity(Decimal("0.0015"), "USD")


def test_hidden_thinking_inside_the_completion_is_charged_once() -> None:
    inside = {
        "prompt_tokens": 100, "completion_tokens": 350, "total_tokens": 450,
        "completion_tokens_details": {"reasoning_tokens": 300},
    }  # fmt: skip
    amount = cost(measure(generation(PIECES, usage=inside), backend(prices=Prices(Decimal(1), Decimal(4)))))
    assert amount == Quantity(Decimal("0.0015"), "USD")


def test_a_cost_with_an_unknown_cached_price_says_how_it_was_charged() -> None:
    def note(prices: Prices | None, usage: dict[str, object] | None = USAGE) -> str:
        return cost_note(measure(generation(PIECES, usage=usage), backend(prices=prices)))

    assert note(Prices(Decimal(1), Decimal(4))) == "cached price not published, charged as input"
    assert note(Prices(Decimal(1), Decimal(4), Decimal("0.1"))) == ""
    assert note(Prices(Decimal(1), Decimal(4)), {"prompt_tokens": 9, "completion_tokens": 2}) == ""
    assert note(Prices(Decimal(1), None)) == ""
    assert note(None) == ""


@pytest.mark.parametrize(
    ("served", "amount"),
    [
        ("gpt-6-astra", "0.125"),
        ("gpt-6-astra-2026-09-03", "0.125"),
        ("gpt-6-luna", "0.00125"),
        ("unheard-of", None),
    ],
)
def test_a_published_price_is_that_of_the_model_that_answered(served: str, amount: str | None) -> None:
    address = "https://api.openai.com/v1"
    asked = backend(base_url=address, model="gpt-6-astra", prices=price_of(address, "gpt-6-astra"))
    usage = {"prompt_tokens": 10000, "completion_tokens": 500}
    found = cost(measure(generation(PIECES, usage=usage, extra=[ev.Served(at(1), served)]), asked))
    if amount is None:
        assert found == Unavailable("unheard-of answered, and its price is not published.")
    else:
        assert found == Quantity(Decimal(amount), "USD")


def test_an_own_price_holds_whatever_answered() -> None:
    own = backend(base_url="https://api.openai.com/v1", prices=Prices(Decimal(1), Decimal(2)))
    usage = {"prompt_tokens": 10000, "completion_tokens": 500}
    made = generation(PIECES, usage=usage, extra=[ev.Served(at(1), "gpt-6-luna")])
    assert cost(measure(made, own)) == Quantity(Decimal("0.011"), "USD")
