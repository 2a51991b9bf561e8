"""Published prices: dated, sourced, of the model that answered; what is not in the table is None."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from lib.prices import VERIFICATIONS, load_prices, price_of, row_of


def outputs(provider: str, model: str, on: date | None = None, served: str = "") -> Decimal | None:
    found = price_of(provider, model, on, served=served)
    return found.output if found else None


def test_every_row_has_a_source_a_date_and_a_way_it_was_verified() -> None:
    assert [row for row in load_prices() if not row.source or row.verification not in VERIFICATIONS] == []


def test_no_price_stands_twice_and_none_is_negative() -> None:
    rows = load_prices()
    assert len({(row.provider, row.model, row.since) for row in rows}) == len(rows)
    prices = [(row.prices.input, row.prices.output, row.prices.cached_input) for row in rows]
    assert all(value is None or value > 0 for three in prices for value in three)


def test_cached_input_never_costs_more_than_input_nor_input_more_than_output() -> None:
    for row in load_prices():
        assert row.prices.input is not None
        assert row.prices.output is not None
        assert (row.prices.cached_input or Decimal(0)) <= row.prices.input <= row.prices.output


def test_of_several_dated_prices_the_newest_counts_or_the_one_of_the_day() -> None:
    assert outputs("openai", "gpt-5.6-sol") == Decimal(20)
    assert outputs("openai", "gpt-5.6-sol", date(2026, 8, 20)) == Decimal(30)
    assert outputs("openai", "gpt-5.6-sol", date(2026, 8, 21)) == Decimal(20)
    assert outputs("openai", "gpt-5.6-sol", date(2026, 7, 8)) is None


@pytest.mark.parametrize("place", ["openai", "OpenAI", "api.openai.com", "https://api.openai.com/v1"])
def test_a_provider_is_known_by_its_id_its_host_and_its_address(place: str) -> None:
    assert outputs(place, "gpt-6.1-sol") == Decimal(10)


@pytest.mark.parametrize(
    "name",
    ["gpt-5.6-sol", "GPT-5.6-Sol", "gpt-5.6-sol-2026-07-09", "gpt-5.6-sol-latest", "openai/gpt-5.6-sol"],
)
def test_a_model_is_known_with_a_date_or_its_vendor_in_its_name(name: str) -> None:
    assert outputs("openai", name) == Decimal(20)


def test_a_snapshot_with_a_price_of_its_own_has_that() -> None:
    assert outputs("openai", "gpt-4o-2024-05-13") == Decimal(15)
    assert outputs("openai", "gpt-4o-2024-08-06") == Decimal(10)


def test_the_model_that_answered_is_charged_and_not_the_one_asked_for() -> None:
    assert outputs("openai", "gpt-6-astra", served="gpt-6-luna") == Decimal("0.50")
    assert outputs("openai", "gpt-6-astra", served="gpt-6-astra-2026-09-03") == Decimal(50)
    assert outputs("openai", "gpt-6-astra", served="something-else") is None


@pytest.mark.parametrize(
    ("place", "model"),
    [
        ("openai", "gpt-5.6-sol-ultrafast"),
        ("openai", "gpt-5.6-sol-mini"),
        ("openrouter", "openai/gpt-5.6-sol"),
        ("https://somebody.openai.azure.com/openai/v1", "gpt-5.6-sol"),
        ("https://api.openai.com.example.org/v1", "gpt-5.6-sol"),
        ("http://127.0.0.1:8080/v1", "gpt-5.6-sol"),
        ("", ""),
    ],
)
def test_what_is_not_published_has_no_price(place: str, model: str) -> None:
    assert price_of(place, model) is None


def test_the_same_open_model_has_each_hosts_own_price() -> None:
    hosts = ("https://api.groq.com/openai/v1", "https://api.cerebras.ai/v1")
    assert [outputs(host, "openai/gpt-oss-120b") for host in hosts] == [Decimal("0.60"), Decimal("0.75")]


def test_a_price_says_where_it_was_read_and_since_when() -> None:
    found = row_of("anthropic", "claude-fable-5")
    assert found is not None
    assert found.prices.source == "platform.claude.com/docs/en/about-claude/pricing (from 2026-06-09)"
    assert found.prices.cached_input == Decimal(1)
