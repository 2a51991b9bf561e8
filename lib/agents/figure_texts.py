"""The six figures of a task as people read them: their names, and their texts with unit and mark.

The table, the stage and the files say the same. Nothing is computed here.
"""

from __future__ import annotations

from lib import numbers
from lib.agents.figures import LOWER_BOUND, SixFigures
from lib.i18n import _
from lib.metrics.cost import as_decimal
from lib.metrics.quantity import ESTIMATED, UPPER_BOUND, Figure, Quantity, Unavailable

ABSENT = "–"
_MARKS = {ESTIMATED: "~", UPPER_BOUND: "≤ ", LOWER_BOUND: "≥ "}


def six_names() -> tuple[str, ...]:
    """The names of the six figures, in the order of every table."""
    return (_("Total time"), _("Cost"), _("TTFT (median)"), _("Tool wait"), _("Retries per step"), _("Human review"))


def six_of(six: SixFigures) -> dict[str, Figure]:
    """The figures by their names."""
    figures = (six.total_s, six.cost, six.ttft_ms, six.tool_s, six.retry_share, six.human_s)
    return dict(zip(six_names(), figures, strict=True))


def text_of(figure: Figure) -> str:
    """A figure with its unit and its mark; a dash when there is none."""
    if isinstance(figure, Unavailable):
        return ABSENT
    return "".join(_MARKS.get(mark, "") for mark in figure.marks) + _value(figure)


def _value(figure: Quantity) -> str:
    value = float(figure.value)
    if figure.unit == "s":
        return numbers.seconds(value) if value else _("0 s")
    if figure.unit == "ms":
        return numbers.milliseconds(value)
    return numbers.money(as_decimal(figure), figure.unit) if figure.unit else numbers.percent(value)
