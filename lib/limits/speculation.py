"""Speculative decoding: a cheap guess of k tokens, one pass of the large model to check them all.

Assumes that every guess is right with the same chance, independently, and that checking k + 1 tokens costs as
much as making one. The second stops being true for large batches, where the check is compute-bound.
"""

from __future__ import annotations

MOST_K = 32
LONGEST_SPECULATED = range(1, MOST_K + 1)


def expected_tokens(acceptance: float, k: int) -> float:
    """Tokens per check: (1 - a^(k+1)) / (1 - a); k + 1 when every guess is right.

    Source: Leviathan et al. 2023, arXiv 2211.17192. They arrive together: the bursts of a speculating stream.
    """
    if acceptance >= 1:
        return float(k + 1)
    return float((1 - acceptance ** (k + 1)) / (1 - acceptance))


def speed_up(acceptance: float, k: int, draft_cost: float) -> float:
    """Speed beside decoding without guesses: expected tokens / (k c + 1).

    c is the time of one guess over the time of one pass of the large model. Source: Leviathan et al. 2023,
    Theorem 3.8. Below 1 the guesses cost more than they bring.
    """
    return expected_tokens(acceptance, k) / (k * draft_cost + 1)


def best_k(acceptance: float, draft_cost: float) -> int:
    """The number of guesses, 1 to 32, that gives the largest speed-up; the smallest of equals."""
    return max(LONGEST_SPECULATED, key=lambda k: (speed_up(acceptance, k, draft_cost), -k))
