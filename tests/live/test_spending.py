"""The spend cap: what a race has cost so far, and that it stops what is paid for and nothing else."""

from __future__ import annotations

import json
from decimal import Decimal

from lib.domain.run import Backend, Mode, Origin, Params, Prices, Prompt, Run
from lib.live.spending import Spending

PRICES = Prices(Decimal(1_000_000), Decimal(1_000_000))  # one dollar a token


def run(*backends: Backend) -> Run:
    return Run("r", Prompt("four words of prompt"), Params(), Mode.ALL_AT_ONCE, backends)


def lane(origin: Origin = Origin.LIVE, prices: Prices | None = PRICES) -> Backend:
    return Backend("b", "B", "http://h/v1", "m", origin, prices=prices)


def message(**content: object) -> str:
    return json.dumps({"now": 0, **content})


def test_nothing_is_spent_before_a_request_is_sent() -> None:
    spending = Spending(run(lane()), Decimal(1))
    spending.feed([message(e=[[0, 0, "attempt", 1]])])
    assert spending.cost == 0


def test_text_counts_until_the_server_reports_and_simulated_lanes_cost_nothing() -> None:
    spending = Spending(run(lane(), lane(Origin.SIMULATED)), Decimal(1000))
    messages = [message(e=[[0, 0, "sent"], [1, 0, "sent"]])]
    spending.feed(messages)
    prompt = spending.cost
    assert prompt > 0
    messages.append(message(d=[[0, "a", [1, "x" * 40, 1, "\u6f6e\u6c50"]], [1, "a", [1, "x" * 400]]]))
    spending.feed(messages)
    assert spending.cost == prompt + 12
    messages.append(message(e=[[0, 2, "usage", 100]]))
    spending.feed(messages)
    assert spending.cost == prompt + 100


def test_a_price_that_is_not_published_is_not_counted() -> None:
    spending = Spending(run(lane(prices=None)), Decimal(1))
    spending.feed([message(e=[[0, 0, "sent"]], d=[[0, "a", [1, "x" * 4000]]])])
    assert not spending.reached


def test_only_lanes_that_still_run_are_to_be_stopped() -> None:
    spending = Spending(run(lane(), lane()), Decimal(1))
    spending.feed([message(e=[[0, 0, "sent"], [1, 0, "sent"], [1, 5, "end", "complete"]])])
    assert spending.reached
    assert spending.running == (0,)
