"""Writes the table of docs/metrics.md from the catalogue: `python -m lib.metrics.document`.

The prose around the table is written by hand; a test holds the table and the catalogue equal.
"""

from __future__ import annotations

from pathlib import Path

from lib.metrics.catalogue import CATALOGUE, Metric

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
BEGIN = "<!-- the catalogue: written by python -m lib.metrics.document -->"
END = "<!-- end of the catalogue -->"


def table() -> str:
    """The catalogue as a Markdown table."""
    head = ["| key | name | unit | definition | as in |", "|---|---|---|---|---|"]
    return "\n".join([*head, *(_row(metric) for metric in CATALOGUE)])


def with_table(page: str) -> str:
    """The page with its table replaced by the catalogue's. Raises ValueError when a marker is missing."""
    before, _begin, rest = page.partition(BEGIN)
    _old, end, after = rest.partition(END)
    if not end:
        raise ValueError("docs/metrics.md has lost the markers of its table")
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def _row(metric: Metric) -> str:
    name = f"{metric.name} ({metric.symbol})" if metric.symbol else metric.name
    return f"| `{metric.key}` | {name} | {metric.unit or '-'} | {metric.formula} | {metric.source} |"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
