"""Published prices by provider and model: one dated table with its sources, `lib/data/prices.csv`.

A price that is not in the table is not published as far as this product knows: it is None, never 0 and never
that of a similar model. Own prices of a backend come from its settings and go before these. What an answer
costs by a price is `lib/spend.py`.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from lib.domain.run import Prices

TABLE = Path(__file__).parent / "data" / "prices.csv"
VERIFICATIONS = ("primary", "secondary", "remembered")
PROVIDER_OF_HOST = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "generativelanguage.googleapis.com": "google",
    "api.groq.com": "groq",
    "api.cerebras.ai": "cerebras",
    "api.together.ai": "together",
    "api.together.xyz": "together",
    "api.sambanova.ai": "sambanova",
    "api.deepseek.com": "deepseek",
    "api.x.ai": "xai",
}
_DATE_SUFFIX = re.compile(r"-(20\d{2}-\d{2}-\d{2}|20\d{6}|latest)$")


@dataclass(frozen=True, slots=True)
class PublishedPrice:
    """One row: what a model cost from `since` on, per million tokens, and who says so."""

    provider: str
    model: str
    prices: Prices
    since: date
    note: str
    source: str
    verification: str  # primary: the provider's page; secondary: somebody quoting it; remembered: unseen


def price_of(provider_or_host: str, model: str, on: date | None = None, *, served: str = "") -> Prices | None:
    """The published price of a model, or None when none is known.

    `provider_or_host` is a preset's id, a host or a base URL. `served` is the name the server says it
    answered with: when it is another model than the one asked for, only its own price counts. Of several
    dated prices the newest counts, or the one that held on a day.
    """
    row = row_of(provider_or_host, model, on, served=served)
    return row.prices if row is not None else None


def row_of(
    provider_or_host: str, model: str, on: date | None = None, *, served: str = ""
) -> PublishedPrice | None:
    """The row of the table that `price_of` takes."""
    provider = _provider(provider_or_host)
    for name in _names(served or model):
        rows = [row for row in load_prices() if (row.provider, row.model) == (provider, name)]
        if rows:
            held = [row for row in rows if on is None or row.since <= on]
            return max(held, key=lambda row: row.since, default=None)
    return None


@cache
def load_prices() -> tuple[PublishedPrice, ...]:
    """Every row of the table, in its order."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(_row(row) for row in csv.DictReader(file))


def _row(row: dict[str, str]) -> PublishedPrice:
    since = date.fromisoformat(row["date"])
    prices = Prices(
        Decimal(row["input_per_m"]),
        Decimal(row["output_per_m"]),
        Decimal(row["cached_input_per_m"]) if row["cached_input_per_m"] else None,
        row["currency"],
        f"{row['source']} (from {since.isoformat()})",
    )
    return PublishedPrice(
        row["provider"], row["model"], prices, since, row["note"], row["source"], row["verification"]
    )


def _provider(provider_or_host: str) -> str:
    name = provider_or_host.strip().lower()
    host = urlsplit(name if "//" in name else f"//{name}").hostname or ""
    return PROVIDER_OF_HOST.get(host, name)


def _names(model: str) -> tuple[str, ...]:
    """The names a table may have the model under, nearest first: as it is, without its date, its vendor, both."""
    name = model.strip().lower()
    bare = name.rsplit("/", 1)[-1]
    return tuple(dict.fromkeys((name, _DATE_SUFFIX.sub("", name), bare, _DATE_SUFFIX.sub("", bare))))
