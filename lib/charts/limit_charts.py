"""The charts of the speed models in the common look: curves with their names at the end, and bars in rows.

What is drawn comes as numbers and words; nothing is computed here but places.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

from lib import numbers
from lib.charts import drawing
from lib.charts.drawing import LINE_PX, Figure, Look, Sheet, Words
from lib.charts.limit_marks import TimeAxis, draw_levels
from lib.i18n import _

PLOT_PX = 240
BAR_PX = 14
ROW_PX = 2 * LINE_PX + 12
DASHED, SOLID, DOTTED = "dashed", "solid", "dotted"
_DASHES = alt.Scale(domain=[SOLID, DASHED, DOTTED], range=[[1, 0], [6, 3], [1.5, 2.5]])


@dataclass(frozen=True, slots=True)
class Curve:
    """A named line; `place` chooses its colour, `has_points` shows where it was measured."""

    name: str
    points: Sequence[tuple[float, float]]
    place: int
    line: str = SOLID
    has_points: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """An upright line at x with its words."""

    x: float
    text: str


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: its title with the unit, whether it is logarithmic, and of time: how many units a second has."""

    title: str
    log: bool = False
    per_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Bar:
    """One row: name above, bar below with its text; `ideal` is drawn as a thin outline behind it."""

    name: str
    value: float
    text: str
    place: int = 0
    ideal: float | None = None
    is_assumed: bool = False


def line_chart(
    curves: Sequence[Curve], x: Axis, y: Axis, words: Words, look: Look, marks: Sequence[Mark] = ()
) -> Figure | None:
    """Curves over one pair of axes; None without a point. Names and marks stand in lines above the plot."""
    points = [point for curve in curves for point in curve.points]
    if not points:
        return None
    sheet = Sheet(look, PLOT_PX + LINE_PX * (len(curves) + len(marks)) + 6)
    at = _x(x, [point[0] for point in points])
    up = _Up(y, [point[1] for point in points], sheet.height)
    rows = [row for number, curve in enumerate(curves) for row in _rows(curve, number, look)]
    if y.per_s:
        left = [row["value"] for row in rows if _at_left(row["x"], x, points)]
        time = TimeAxis(up.low, up.most, y.per_s, y.log)
        draw_levels(sheet, up.of("value"), "value", time, PLOT_PX, max(left, default=up.low))
    if marks:
        _draw_uprights(sheet, marks, at, up, LINE_PX * len(curves))
    line = sheet.rows(rows).mark_line(strokeWidth=2, clip=True).encode(
        x=at, y=up.of("value"), color=drawing.own_colour(), detail=alt.Detail(field="curve", type="nominal"),
        strokeDash=alt.StrokeDash(field="line", type="nominal", scale=_DASHES, legend=None),
    )  # fmt: skip
    sheet.draw(line)
    _draw_dots(sheet, [row for row in rows if row["dot"]], at, up, (x.title, y.title))
    names = [
        {"level": up.at_px(LINE_PX * (number + 0.5)), "text": f"{_sample(curve)} {curve.name}",
         "ink": look.colours.lane(curve.place)}
        for number, curve in enumerate(curves)
    ]  # fmt: skip
    sheet.write(names, alt.value(0), up.of("level"), halo=True, fontWeight=600)
    return sheet.finished(words)


def bar_chart(
    bars: Sequence[Bar], axis: str, words: Words, look: Look, rules: Sequence[Mark] = ()
) -> Figure | None:
    """Rows of bars from zero (from a power of ten on a logarithmic scale); None without a bar."""
    if not bars:
        return None
    values = [value for bar in bars for value in (bar.value, bar.ideal) if value is not None and value > 0]
    log = look.is_log([*values, *(rule.x for rule in rules)])
    most = max([*values, *(rule.x for rule in rules)])
    base = 10.0 ** math.floor(math.log10(min(values))) if log else 0.0
    top_px = LINE_PX * len(rules) + (4 if rules else 0)
    sheet = Sheet(look, top_px + ROW_PX * len(bars))
    room_px = max(len(bar.text) for bar in bars) * drawing.CHARACTER_PX + 16
    x = _bar_x(axis, base, most, log, room_px)
    _draw_rules(sheet, rules, x)
    rows = [_bar_row(bar, top_px + ROW_PX * number, look) for number, bar in enumerate(bars)]
    _draw_bars(sheet, rows, x, base)
    sheet.write([row | {"y": row["caption_y"], "text": row["name"], "ink": look.colours.text} for row in rows],
                alt.value(0), halo=True)  # fmt: skip
    ends = [row | {"y": row["middle"], "value": max(row["value"], row["ideal"] or 0)} for row in rows]
    sheet.write(ends, x, halo=True, dx=7, fontWeight=600)
    spoken = "; ".join(f"{bar.name}: {bar.text}" for bar in bars)
    return sheet.finished(Words(words.title, words.subtitle, f"{words.title}. {spoken}"))


def _at_left(value: float, axis: Axis, points: Sequence[tuple[float, float]]) -> bool:
    """Whether it stands in the left half of the plot."""
    low, high = min(x for x, _y in points), max(x for x, _y in points)
    middle = math.sqrt(low * high) if axis.log else (low + high) / 2
    return value <= middle


def _rows(curve: Curve, number: int, look: Look) -> list[dict[str, Any]]:
    return [
        {"x": x, "value": y, "curve": number, "name": curve.name, "colour": look.colours.lane(curve.place),
         "line": curve.line, "dot": curve.has_points, "at": numbers.plain(x), "told": numbers.plain(y)}
        for x, y in curve.points
    ]  # fmt: skip


def _sample(curve: Curve) -> str:
    return {SOLID: "━━", DASHED: "╍╍", DOTTED: "┅┅"}[curve.line]


def _x(axis: Axis, values: Sequence[float]) -> alt.X:
    scale = alt.Scale(type="log" if axis.log else "linear", domain=[min(values), max(values)], nice=False)
    ticks: dict[str, Any] = {"tickCount": 6}
    if axis.log:
        ticks = {"values": _doublings(min(values), max(values))}
    return alt.X(field="x", type="quantitative", scale=scale,
                 axis=alt.Axis(title=drawing.titled(axis.title, axis.log), format=",~r", titleAnchor="start",
                               labelFlush=True, labelOverlap=True, **ticks))  # fmt: skip


class _Up:
    """The y axis of a line chart, the same for every layer; its top is left free for names and marks."""

    def __init__(self, axis: Axis, values: Sequence[float], height: int) -> None:
        self._height, self._log = height, axis.log
        share = height / PLOT_PX
        most, least = max(values), min((value for value in values if value > 0), default=1.0)
        self.most = most
        self.low = 10.0 ** math.floor(math.log10(least)) if axis.log else 0.0
        self._top = self.low * (max(most, 2 * self.low) / self.low) ** share if axis.log else most * share
        kind: Literal["log", "linear"] = "log" if axis.log else "linear"
        self._scale = alt.Scale(type=kind, domain=[self.low, self._top], nice=False)
        self._axis = alt.Axis(
            title=drawing.titled(axis.title, axis.log), values=self._ticks(most), format=",~r", titleAnchor="start",
            minExtent=34,
        )  # fmt: skip

    def of(self, field: str) -> alt.Y:
        """The position of this field."""
        return alt.Y(field=field, type="quantitative", scale=self._scale, axis=self._axis)

    def at_px(self, px: float) -> float:
        """The value that is drawn `px` pixels from the top."""
        share = 1 - px / self._height
        return float(self.low * (self._top / self.low) ** share) if self._log else self._top * share

    def _ticks(self, most: float) -> list[float]:
        if self._log:
            steps = (1, 2, 5) if most / self.low < 30 else (1,)
            found = [step * 10.0**power for power in range(-5, 10) for step in steps]
            return [value for value in found if self.low <= value <= most * 1.001]
        step = _round_step(most)
        return [step * number for number in range(int(most / step) + 1)]


def _draw_uprights(sheet: Sheet, marks: Sequence[Mark], x: alt.X, up: _Up, top_px: float) -> None:
    colours = sheet.look.colours
    rows = [{"x": mark.x, "level": up.at_px(top_px + LINE_PX * (number + 0.5)), "low": up.low, "text": mark.text,
             "ink": colours.text} for number, mark in enumerate(marks)]  # fmt: skip
    rule = sheet.rows(rows).mark_rule(color=colours.quiet, strokeWidth=1)
    sheet.draw(rule.encode(x=x, y=up.of("level"), y2=alt.Y2(field="low")))
    sheet.write(rows, x, up.of("level"), halo=True, dx=_inside("x"))


def _draw_dots(sheet: Sheet, dots: list[dict[str, Any]], x: alt.X, up: _Up, titles: tuple[str, str]) -> None:
    if not dots:
        return
    tooltip = [alt.Tooltip(field=field, type="nominal", title=title)
               for field, title in zip(("name", "at", "told"), (_("Curve"), *titles), strict=True)]  # fmt: skip
    points = sheet.rows(dots).mark_point(filled=True, size=50, opacity=1)
    sheet.draw(points.encode(x=x, y=up.of("value"), color=drawing.own_colour(), tooltip=tooltip))


def _inside(field: str) -> alt.ExprRef:
    """How far a label stands from its line: a little, or as much as keeps it inside the plot."""
    length = f"length(datum.text) * {drawing.CHARACTER_PX}"
    return alt.ExprRef(f"min(6, width - scale('x', datum.{field}) - {length})")


def _round_step(most: float) -> float:
    power = 10.0 ** math.floor(math.log10(most / 3))
    return next(step * power for step in (1, 2, 5, 10) if step * power * 5 >= most)


def _doublings(low: float, high: float) -> list[float]:
    """Few round values on a logarithmic axis: powers of ten, or of two where ten are too sparse."""
    base = 10.0 if high / low > 300 else 2.0
    first, last = math.ceil(math.log(low, base) - 1e-9), math.floor(math.log(high, base) + 1e-9)
    return [base**power for power in range(first, last + 1)]


def _draw_rules(sheet: Sheet, rules: Sequence[Mark], x: alt.X) -> None:
    if not rules:
        return
    colours = sheet.look.colours
    rows = [{"value": mark.x, "y": LINE_PX * (number + 0.5), "y2": sheet.height, "text": mark.text,
             "ink": colours.text} for number, mark in enumerate(rules)]  # fmt: skip
    rule = sheet.rows(rows).mark_rule(color=colours.quiet, strokeWidth=1)
    sheet.draw(rule.encode(x=x, y=sheet.down("y"), y2=alt.Y2(field="y2")))
    sheet.write(rows, x, halo=True, dx=_inside("value"))


def _bar_x(title: str, base: float, most: float, log: bool, room_px: float) -> alt.X:
    scale = alt.Scale(type="log" if log else "linear", domain=[base, most], nice=False, clamp=True,
                      rangeMax=alt.ExprRef(f"max(60, width - {room_px:.0f})"))  # fmt: skip
    powers = [10.0**power for power in range(-4, 9) if base <= 10.0**power <= most]
    ticks: dict[str, Any] = {"values": powers} if log else {"tickCount": 4}
    begin = _("bars begin at {base}").format(base=numbers.plain(base))
    told = f"{drawing.titled(title, log)}, {begin}" if log else title
    return alt.X(field="value", type="quantitative", scale=scale,
                 axis=alt.Axis(title=told, format=",~r", titleAnchor="start", labelFlush=False, **ticks))  # fmt: skip


def _bar_row(bar: Bar, top: float, look: Look) -> dict[str, Any]:
    middle = top + LINE_PX + 2 + LINE_PX / 2
    return {
        "name": bar.name, "value": bar.value, "text": bar.text, "ideal": bar.ideal, "caption_y": top + LINE_PX / 2,
        "middle": middle, "y": middle - BAR_PX / 2, "y2": middle + BAR_PX / 2, "ink": look.colours.text,
        "colour": look.colours.lane(bar.place), "fill": 0.3 if bar.is_assumed else 0.9,
    }  # fmt: skip


def _draw_bars(sheet: Sheet, rows: list[dict[str, Any]], x: alt.X, base: float) -> None:
    downwards = {"y": sheet.down("y"), "y2": alt.Y2(field="y2")}
    outlined = [row | {"value": row["ideal"]} for row in rows if row["ideal"] is not None]
    colour = alt.Stroke(field="colour", type="nominal", scale=None)
    if outlined:
        sheet.draw(sheet.rows(outlined).mark_bar(fillOpacity=0, strokeWidth=1.2, strokeDash=[3, 2]).encode(
            x=x, x2=alt.X2Datum(base), stroke=colour, **downwards))  # fmt: skip
    tooltip = [alt.Tooltip(field="name", type="nominal", title=_("Row")),
               alt.Tooltip(field="text", type="nominal", title=_("Value"))]  # fmt: skip
    sheet.draw(sheet.rows(rows).mark_bar(strokeWidth=1.2).encode(
        x=x, x2=alt.X2Datum(base), color=drawing.own_colour(), stroke=colour, tooltip=tooltip,
        fillOpacity=alt.FillOpacity(field="fill", type="quantitative", scale=None), **downwards))  # fmt: skip
