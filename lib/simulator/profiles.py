"""The simulated backends: one row of `lib/data/backend_profiles.csv` each, with the basis of every figure.

A profile says how fast to speak, not what to say. Rows of kind `human` are reading speeds for
comparison and no models; they are left out here.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

from lib.domain.run import Prices

TABLE = Path(__file__).parent.parent / "data" / "backend_profiles.csv"
DEFAULT_IDS = ("gpt4-tier-cloud", "gpt-5.6-sol-standard", "gpt-5.6-sol-ultrafast")


@dataclass(frozen=True, slots=True)
class Profile:
    """The speed of one backend as somebody published, derived or assumed it; `*_basis` says which."""

    id: str
    name: str  # short, for a lane
    label: str  # whole
    kind: str  # article, article-derived, published
    ttft_ms: float
    ttft_basis: str
    tok_s: float
    tok_s_lo: float | None
    tok_s_hi: float | None
    tok_s_basis: str
    jitter_cv: float  # of the gaps between chunks
    jitter_basis: str
    tokens_per_chunk: int
    chunk_basis: str
    thinking_tokens: int
    thinking_basis: str
    prices: Prices | None  # None: not published
    price_basis: str
    price_date: str
    notes: str
    source: str


@cache
def load_profiles() -> tuple[Profile, ...]:
    """Every simulated backend in the order of the table; those of `DEFAULT_IDS` come first."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(_profile(row) for row in csv.DictReader(file) if row["kind"] != "human")


def _profile(row: dict[str, str]) -> Profile:
    text = ("id", "name", "label", "kind", "ttft_basis", "tok_s_basis", "jitter_basis", "chunk_basis")
    more = ("thinking_basis", "price_basis", "price_date", "notes", "source")
    return Profile(
        **{name: row[name] for name in text + more},
        ttft_ms=float(row["ttft_ms_median"]),
        tok_s=float(row["tok_s"]),
        tok_s_lo=_number(row["tok_s_lo"]),
        tok_s_hi=_number(row["tok_s_hi"]),
        jitter_cv=float(row["jitter_cv"]),
        tokens_per_chunk=int(row["tokens_per_chunk"]),
        thinking_tokens=int(row["thinking_tokens"]),
        prices=_prices(row),
    )


def _prices(row: dict[str, str]) -> Prices | None:
    if not row["price_in_per_m"]:
        return None
    basis = f"{row['price_basis']} ({row['price_date']})"
    return Prices(Decimal(row["price_in_per_m"]), Decimal(row["price_out_per_m"]), source=basis)


def _number(text: str) -> float | None:
    return float(text) if text else None
