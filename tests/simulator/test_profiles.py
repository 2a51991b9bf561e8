"""The table of simulated backends: every figure with its basis, every row with its source."""

from __future__ import annotations

import csv
from decimal import Decimal

import pytest

from lib.simulator.profiles import DEFAULT_IDS, TABLE, Profile, load_profiles

with TABLE.open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_every_row_names_its_source_and_the_basis_of_each_figure(row: dict[str, str]) -> None:
    basis = ["ttft_basis", "tok_s_basis", "jitter_basis", "chunk_basis", "thinking_basis", "source"]
    basis += ["price_basis"] if row["kind"] != "human" else []
    assert [name for name in basis if not row[name].strip()] == []


def test_reading_speeds_are_no_models() -> None:
    assert {row["id"] for row in ROWS} - {p.id for p in load_profiles()} == {
        row["id"] for row in ROWS if row["kind"] == "human"
    }


def test_the_default_backends_come_first_under_their_short_names() -> None:
    first = load_profiles()[:3]
    assert tuple(profile.id for profile in first) == DEFAULT_IDS
    assert [profile.name for profile in first] == [
        "GPT-4-class cloud", "GPT-5.6 Sol standard", "GPT-5.6 Sol Ultrafast",
    ]  # fmt: skip


def test_names_and_ids_are_unique() -> None:
    assert (
        len({p.id for p in load_profiles()}) == len({p.name for p in load_profiles()}) == len(load_profiles())
    )


@pytest.mark.parametrize("profile", load_profiles(), ids=lambda profile: profile.id)
def test_the_speed_lies_within_its_own_range(profile: Profile) -> None:
    assert profile.tok_s_lo is not None
    assert profile.tok_s_hi is not None
    assert profile.tok_s_lo <= profile.tok_s <= profile.tok_s_hi
    assert profile.tokens_per_chunk >= 1
    assert "+" not in profile.id  # the sign that begins a fault


def test_a_price_is_exact_and_an_unpublished_one_is_absent() -> None:
    prices = {profile.id: profile.prices for profile in load_profiles()}
    assert prices["gpt-5.6-sol-ultrafast"] is None
    standard = prices["gpt-5.6-sol-standard"]
    assert standard is not None
    assert (standard.input, standard.output, standard.currency) == (Decimal(5), Decimal(30), "USD")
    assert "2026-07-09" in standard.source
