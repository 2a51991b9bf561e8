"""Deadlines: exact at both ends, in order, and never further from their place than the jitter allows."""

from __future__ import annotations

import math
import statistics
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.simulator.schedule import Pace, deadlines_ns, end_ns

TOKENS = st.lists(st.integers(1, 20), min_size=2, max_size=200)
PACES = st.builds(
    Pace,
    ttft_ms=st.floats(0, 120_000),
    tok_s=st.floats(0.5, 10_000),
    jitter_cv=st.floats(0, 2),
    seed=st.integers(0, 2**64),
)


@given(TOKENS, PACES)
def test_first_chunk_is_due_at_ttft_and_the_last_where_the_rate_puts_it(
    tokens: list[int], pace: Pace
) -> None:
    due = list(deadlines_ns(tokens, pace))
    assert len(due) == len(tokens)
    assert due[0] == round(pace.ttft_ms * 1e6)
    measured_tok_s = sum(tokens[1:]) / ((due[-1] - due[0]) / 1e9)
    assert measured_tok_s == pytest.approx(pace.tok_s, rel=1e-4)
    assert end_ns(tokens, pace) == due[-1]


@given(TOKENS, PACES)
def test_chunks_stay_in_order(tokens: list[int], pace: Pace) -> None:
    assert all(earlier <= later for earlier, later in pairwise(deadlines_ns(tokens, pace)))


@given(TOKENS, PACES)
def test_jitter_never_adds_up(tokens: list[int], pace: Pace) -> None:
    due = list(deadlines_ns(tokens, pace))
    sigma_ns = pace.jitter_cv / math.sqrt(2) * (due[-1] - due[0]) / (len(tokens) - 1)
    places = (due[0] + passed * 1e9 / pace.tok_s for passed in accumulate(tokens[1:], initial=0))
    assert all(abs(at - place) <= 2.5 * sigma_ns + 2 for at, place in zip(due, places, strict=True))


@given(TOKENS, PACES)
def test_same_seed_gives_the_same_deadlines(tokens: list[int], pace: Pace) -> None:
    assert list(deadlines_ns(tokens, pace)) == list(deadlines_ns(tokens, pace))


def test_another_seed_gives_other_deadlines() -> None:
    one, other = (list(deadlines_ns([1] * 50, Pace(300, 100, 0.1, seed))) for seed in (1, 2))
    assert one != other


def test_without_jitter_the_gaps_are_equal() -> None:
    assert list(deadlines_ns([1] * 5, Pace(ttft_ms=100, tok_s=50))) == [
        100_000_000, 120_000_000, 140_000_000, 160_000_000, 180_000_000,
    ]  # fmt: skip


@pytest.mark.parametrize("cv", [0.06, 0.15, 0.23])
def test_gaps_vary_as_much_as_the_profile_says(cv: float) -> None:
    gaps = [later - earlier for earlier, later in pairwise(deadlines_ns([1] * 20_000, Pace(0, 100, cv, 7)))]
    assert statistics.pstdev(gaps) / statistics.fmean(gaps) == pytest.approx(cv, rel=0.05)


def test_larger_chunks_come_less_often_at_the_same_rate() -> None:
    assert list(deadlines_ns([8, 8, 4], Pace(ttft_ms=0, tok_s=1000))) == [0, 8_000_000, 12_000_000]


@pytest.mark.parametrize(("tokens", "expected"), [([], []), ([5], [250_000_000])])
def test_short_replies_have_a_deadline_too(tokens: list[int], expected: list[int]) -> None:
    assert list(deadlines_ns(tokens, Pace(ttft_ms=250, tok_s=10))) == expected
