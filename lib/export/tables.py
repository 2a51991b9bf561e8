"""Tables as CSV that a spreadsheet cannot mistake: UTF-8 with BOM, text defused, numbers as they are.

A text cell that a spreadsheet would take for a formula gets one apostrophe in front (`defused`); nothing else
is changed, so every text can be had back exactly (`restored`). A number that is not finite is refused: it must
never have come here.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

MEDIA_TYPE = "text/csv"
BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
Cell = str | int | float | Decimal | None
_FORMULA = re.compile(r"'*\s*[=+\-@\t\r＝＋－＠]")  # also behind blanks, also behind apostrophes of its own


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    """The rows under their heads; None is an empty cell. Raises ValueError for a number that is not finite."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(head)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return (BOM + out.getvalue()).encode("utf-8", "replace")


def defused(text: str) -> str:
    """The text with an apostrophe in front when it begins like a formula (= + - @ tab CR, also behind blanks)."""
    return f"'{text}" if _FORMULA.match(text) else text


def restored(cell: str) -> str:
    """The text that `defused` was given."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _cell(value: Cell) -> str | int | float | None:
    if value is None or isinstance(value, str):
        return None if value is None else defused(value)
    if isinstance(value, bool) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a number for a table")
    return f"{value:f}" if isinstance(value, Decimal) else value
