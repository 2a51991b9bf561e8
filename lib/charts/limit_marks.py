"""Response-time limits on a time axis: hairlines, a light band for a spoken turn, small labels under the plot.

They are context, drawn behind the data and only where the axis already reaches. Labels stand in a strip of their own
between plot and axis, so they meet neither data nor each other; what has no room keeps its line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from lib.charts.drawing import Figure, Sheet
from lib.charts.hover import how_tooltip
from lib.i18n import _
from lib.response_limits import ResponseLimit, response_limits

STRIP_PX = 16
LABEL_PX = 11
TICK_PX = 5
_CHARACTER_PX = 5.6
_APART_PX = 10
_NARROW_PX, _WIDE_PX = 300, 480  # widths of plots the labels are placed for
_LINE_OPACITY, _BAND_OPACITY = 0.45, 0.09
_TEXT = alt.ExprRef(f"(width < {_WIDE_PX} ? datum.short : datum.text)")


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """A time axis: its ends, how many of its units a second has, and the pixels right of its end."""

    low: float
    high: float
    per_s: float = 1.0
    log: bool = False
    room_px: float = 0.0

    def share(self, value: float) -> float:
        """Where a value stands between the ends, 0 to 1."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def holds(self, limit: ResponseLimit) -> bool:
        """Whether the limit (of a range: any of it) is on the axis, its line apart from the axis' own end."""
        end_s = limit.lo_s if limit.hi_s is None else limit.hi_s
        return limit.lo_s * self.per_s < self.high and end_s * self.per_s > self.low


def strip_px(axis: TimeAxis) -> int:
    """The pixels that the labels need between plot and axis; the axis is offset by them."""
    return STRIP_PX if _shown(axis) else 0


def draw_limits(sheet: Sheet, x: alt.X, field: str, axis: TimeAxis, left_px: int = 0) -> None:
    """Draw what the axis holds; `x` places `field`. Call before the data is drawn."""
    rows = [_row(limit, axis, field) for limit in _shown(axis)]
    if not rows:
        return
    _place_labels(rows, axis, field, left_px)
    quiet = sheet.look.colours.quiet
    tooltip = _tooltip()
    bands = [row for row in rows if "high" in row]
    lines = [row for row in rows if "high" not in row]
    if bands:
        area = sheet.rows(bands).mark_rect(color=quiet, opacity=_BAND_OPACITY)
        down = {"y": alt.value(0), "y2": alt.value(sheet.height)}
        sheet.draw(area.encode(x=x, x2=alt.X2(field="high"), tooltip=tooltip, **down))
    if lines:
        rule = sheet.rows(lines).mark_rule(color=quiet, strokeWidth=1, strokeDash=[1, 3], opacity=_LINE_OPACITY)
        sheet.draw(rule.encode(x=x, tooltip=tooltip, y=alt.value(0), y2=alt.value(sheet.height + TICK_PX)))
    labels = [row for row in rows if row["text"] or row["short"]]
    below = alt.value(sheet.height + STRIP_PX / 2 + 1)
    quiet_text: dict[str, Any] = {"fontSize": LABEL_PX, "color": quiet, "tooltip": tooltip}
    sheet.write(labels, x, below, text=_TEXT, dx=2, **quiet_text)


def draw_levels(
    sheet: Sheet, y: alt.Y, y_field: str, axis: TimeAxis, plot_px: float, left_most: float
) -> None:
    """The same on a time axis that goes up; `y` places `y_field`.

    Names stand at the left ends of lines above `left_most`, what is drawn reaches there; the others at the right.
    """
    rows = [_row(limit, axis, y_field) for limit in _shown(axis)]
    if not rows:
        return
    quiet = sheet.look.colours.quiet
    tooltip = _tooltip()
    across = {"x": alt.value(0), "x2": alt.value("width"), "y": y, "tooltip": tooltip}
    for row in rows:
        if "high" in row:
            area = sheet.rows([row]).mark_rect(color=quiet, opacity=_BAND_OPACITY)
            sheet.draw(area.encode(y2=alt.Y2(field="high"), **across))
        else:
            rule = sheet.rows([row]).mark_rule(color=quiet, strokeWidth=1, strokeDash=[1, 3], opacity=_LINE_OPACITY)
            sheet.draw(rule.encode(**across))
    labels, last_px = [], -math.inf
    for row in rows:
        px = axis.share(row[y_field]) * plot_px
        if px - last_px >= STRIP_PX:
            labels.append(row | {"text": row["name"]})
            last_px = px
    style: dict[str, Any] = {"fontSize": LABEL_PX, "color": quiet, "dy": -7, "halo": True, "tooltip": tooltip}
    sheet.write([row for row in labels if row[y_field] > left_most], alt.value(4), y, **style)
    right = alt.value("width")
    sheet.write([row for row in labels if row[y_field] <= left_most], right, y, align="right", dx=-4, **style)


def sources_in(figure: Figure) -> str:
    """Who the limits drawn in a chart are from, for where it cannot be pointed at; empty when there is none."""
    rows = [row for rows in figure.spec["datasets"].values() for row in rows if "meaning" in row]
    sources = dict.fromkeys(str(row["source"]) for row in rows)
    return _("Response-time limits: {sources}").format(sources="; ".join(sources)) if sources else ""


def _tooltip() -> list[alt.Tooltip]:
    return how_tooltip((), ("name", _("Limit")), ("meaning", _("Meaning")), ("source", _("Source")))


def _shown(axis: TimeAxis) -> list[ResponseLimit]:
    return [limit for limit in response_limits() if axis.holds(limit)]


def _row(limit: ResponseLimit, axis: TimeAxis, field: str) -> dict[str, Any]:
    begin = max(axis.low, limit.lo_s * axis.per_s)
    span = {} if limit.hi_s is None else {"high": min(axis.high, limit.hi_s * axis.per_s)}
    return {
        field: begin, **span, "name": limit.name, "time": limit.time, "label": limit.label,
        "meaning": limit.meaning, "source": limit.source,
    }  # fmt: skip


def _place_labels(rows: Sequence[dict[str, Any]], axis: TimeAxis, field: str, left_px: int) -> None:
    """Give each row the text for a wide and for a narrow plot: name, time alone, or nothing, whatever has room."""
    for width_px, key in ((_WIDE_PX, "text"), (_NARROW_PX, "short")):
        length = width_px - left_px - axis.room_px
        begins = [axis.share(row[field]) * length for row in rows]
        free = -math.inf
        for place, row in enumerate(rows):
            ends = begins[place + 1] - _APART_PX if place + 1 < len(rows) else width_px - left_px
            row[key] = _fitting(row, begins[place], free, max(ends, begins[place]))
            if row[key]:
                free = begins[place] + len(row[key]) * _CHARACTER_PX + _APART_PX


def _fitting(row: dict[str, Any], begin: float, free: float, end: float) -> str:
    if begin < free:
        return ""
    texts: tuple[str, ...] = (row["name"], row["label"] if "high" in row else row["time"])
    return next((text for text in texts if begin + len(text) * _CHARACTER_PX <= end), "")
