"""The charts of several trials: every point of a figure in a strip per backend, and ratios with their intervals.

No trial is left out of sight: what has no point is told in the row's own words. Nothing is computed here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from lib.charts import drawing
from lib.charts.drawing import LINE_PX, Look, Sheet, Words
from lib.charts.hover import how_fields, value_tooltip
from lib.charts.limit_marks import TimeAxis, draw_limits, strip_px
from lib.domain.run import Backend, Origin
from lib.i18n import _, ngettext
from lib.metrics.quantity import Unavailable
from lib.provenance import Facts, badge_word
from lib.trials.summary import Comparison, FigureSummary, ratio_text, rounds_text

POINT_AREA = 48
STRIP_PX = 28
FAN_PX = (
    18  # the points of a strip stand in the order of rounds from top to bottom, so that none hides another
)
GAP_PX = 16
TICK_PX = 28
_ROUNDED_UP = 1.08  # room to the right of the largest point


@dataclass(frozen=True, slots=True)
class StripLane:
    """One backend's row: its summary of the figure, words about trials without a point, how all came about."""

    index: int
    name: str
    backend: Backend
    summary: FigureSummary
    without: str = ""
    has_failed: bool = False
    how: Facts = ()

    @property
    def label(self) -> str:
        """Name and badge."""
        return f"{self.name}, {badge_word(self.backend.origin)}"


def strip_chart(
    lanes: Sequence[StripLane],
    title: str,
    axis: str,
    subtitle: str,
    text: Callable[[float], str],
    look: Look,
    per: float = 1.0,
    per_s: float = 0.0,
) -> drawing.Figure | None:
    """All points of one figure, a strip per backend with its median as a stroke; None without a point.

    `text` writes a value with its unit; the axis is in units of `per` of the figure's own. `per_s`: how many of its
    units a second has, 0 when it is not time.
    """
    values = [value / per for lane in lanes for value in lane.summary.values]
    if not values:
        return None
    log = look.is_log(values)
    sheet = Sheet(look, len(lanes) * (2 * LINE_PX + STRIP_PX + GAP_PX))
    low, high = _span(values, log)
    time = TimeAxis(low, high, per_s, log) if per_s else None
    scale = alt.Scale(type="log" if log else "linear", domain=[low, high], nice=False)
    x = alt.X(field="value", type="quantitative", scale=scale,
              axis=_axis(drawing.titled(axis, log), strip_px(time) if time else 0))  # fmt: skip
    if time:
        draw_limits(sheet, x, "value", time)
    rows = [_strip(place, lane, text, look, per) for place, lane in enumerate(lanes)]
    _draw_medians(sheet, [row.median for row in rows if row.median], x)
    _draw_points(sheet, [point for row in rows for point in row.points], x, [lane.how for lane in lanes])
    left = alt.value(0)
    sheet.write([row.caption for row in rows], left, halo=True)
    sheet.write([row.told for row in rows], left, halo=True)
    spoken = "; ".join(f"{lane.label}: {row.told['text']}" for lane, row in zip(lanes, rows, strict=True))
    return sheet.finished(Words(title, subtitle, f"{title}. {spoken}. {subtitle}"))


def _span(values: Sequence[float], log: bool) -> tuple[float, float]:
    """The ends of the axis: from 0 with a little room, or the powers of ten around all values."""
    above = [value for value in values if value > 0]
    if not log:
        return 0.0, max(values) * _ROUNDED_UP or 1.0
    low, high = 10.0 ** math.floor(math.log10(min(above))), 10.0 ** math.ceil(math.log10(max(above)))
    return low, high if high > low else low * 10


def forest_chart(
    found: Sequence[Comparison], lanes: Sequence[StripLane], subtitle: str, look: Look
) -> drawing.Figure | None:
    """Each ratio with its 95 % interval as a line, one at the rule; None when none has an interval."""
    drawn = [one for one in found if not isinstance(one.interval, Unavailable)]
    if not drawn:
        return None
    sheet = Sheet(look, len(found) * (2 * LINE_PX + STRIP_PX + GAP_PX))
    scale = alt.Scale(type="log", domain=_ends(drawn), nice=False)
    x = alt.X(field="value", type="quantitative", scale=scale, axis=_ratio_axis(lanes[found[0].b].name))
    rows = [_forest_row(place, one, lanes, look) for place, one in enumerate(found)]
    one_rule = sheet.rows([{"value": 1.0}]).mark_rule(color=look.colours.quiet, strokeWidth=1)
    sheet.draw(one_rule.encode(x=x))
    _draw_intervals(sheet, [row for row in rows if "low" in row], x, [lane.how for lane in lanes])
    left = alt.value(0)
    sheet.write([{**row, "ink": look.colours.text, "text": row["caption"]} for row in rows], left, halo=True)
    told = [
        {"y": row["y"] + LINE_PX + STRIP_PX, "ink": look.colours.quiet, "text": row["told"]} for row in rows
    ]
    sheet.write(told, left, halo=True)
    by = {"ttfat_ms": _("time to first answer token"), "decode_tok_s": _("decode rate")}
    title = _("Ratio of {figure}, 95 % interval").format(
        figure=by.get(found[0].key, _("rates from request to last token"))
    )
    spoken = "; ".join(f"{row['caption']}: {row['told']}" for row in rows)
    return sheet.finished(Words(title, subtitle, f"{title}. {spoken}. {subtitle}"))


@dataclass(frozen=True, slots=True)
class _Strip:
    """What is drawn of one backend's row."""

    points: list[dict[str, Any]]
    median: dict[str, Any] | None
    caption: dict[str, Any]
    told: dict[str, Any]


def _strip(place: int, lane: StripLane, text: Callable[[float], str], look: Look, per: float) -> _Strip:
    colours, summary = look.colours, lane.summary
    top = place * (2 * LINE_PX + STRIP_PX + GAP_PX)
    middle = top + LINE_PX + STRIP_PX / 2
    colour, is_live = colours.lane(lane.index), lane.backend.origin is Origin.LIVE
    points = [
        {"y": middle + _fan(order, len(summary.values)), "value": value / per, "colour": colour, "lane": lane.label,
         "fill": 0.75 if is_live else 0.0, "origin": lane.backend.origin.value, "text": text(value),
         **how_fields(lane.how)}
        for order, value in enumerate(summary.values)
    ]  # fmt: skip
    caption = {"y": top + LINE_PX / 2, "text": lane.label, "ink": colours.text}
    ink = colours.failed if lane.has_failed and not summary.values else colours.quiet
    told = {"y": top + LINE_PX + STRIP_PX + LINE_PX / 2, "text": strip_words(lane, text), "ink": ink}
    spread = summary.spread
    median = None
    if not isinstance(spread, Unavailable):
        median = {
            "y": middle - TICK_PX / 2,
            "y2": middle + TICK_PX / 2,
            "value": spread.median / per,
            "ink": colours.text,
        }
    return _Strip(points, median, caption, told)


def _fan(order: int, points: int) -> float:
    """How far from the strip's middle the point stands, in pixels."""
    return 0.0 if points < 2 else FAN_PX * (order / (points - 1) - 0.5)


def strip_words(lane: StripLane, text: Callable[[float], str]) -> str:
    """The row in words: median with range, how many points, and what has none."""
    spread = lane.summary.spread
    if isinstance(spread, Unavailable):
        return lane.without or spread.reason
    n = ngettext("{n} trial", "{n} trials", spread.count).format(n=spread.count)
    if text(spread.least) == text(spread.most):
        told = f"{text(spread.median)}, {n}"
    else:
        told = _("median {median} ({least} to {most}), {n}").format(
            median=text(spread.median), least=text(spread.least), most=text(spread.most), n=n
        )
    return f"{told} · {lane.without}" if lane.without else told


def _draw_points(sheet: Sheet, points: list[dict[str, Any]], x: alt.X, hows: Sequence[Facts]) -> None:
    tooltip = value_tooltip(hows)
    marks = sheet.rows(points).mark_point(size=POINT_AREA, strokeWidth=1.6, filled=False, shape="circle").encode(
        x=x, y=sheet.down("y"), tooltip=tooltip, stroke=alt.Stroke(field="colour", type="nominal", scale=None),
        fill=alt.Fill(field="colour", type="nominal", scale=None, legend=None), strokeDash=_point_dash(),
        fillOpacity=alt.FillOpacity(field="fill", type="quantitative", scale=None),
    )  # fmt: skip
    sheet.draw(marks)


def _point_dash() -> alt.StrokeDash:
    """A circle's outline in the dashes of its origin, short enough to be seen on so small a line."""
    dashes: dict[Origin, list[float]] = {
        Origin.LIVE: [1, 0],
        Origin.SIMULATED: [3, 1.6],
        Origin.RECORDED: [1.2, 1.6],
    }
    scale = alt.Scale(domain=[o.value for o in dashes], range=list(dashes.values()))
    return alt.StrokeDash(field="origin", type="nominal", scale=scale, legend=None)


def _draw_medians(sheet: Sheet, medians: list[dict[str, Any]], x: alt.X) -> None:
    if medians:
        mark = sheet.rows(medians).mark_rule(strokeWidth=2)
        sheet.draw(
            mark.encode(x=x, y=sheet.down("y"), y2=alt.Y2(field="y2"), color=drawing.own_colour("ink"))
        )


def _forest_row(place: int, one: Comparison, lanes: Sequence[StripLane], look: Look) -> dict[str, Any]:
    top = place * (2 * LINE_PX + STRIP_PX + GAP_PX)
    lane, other = lanes[one.a], lanes[one.b]
    row: dict[str, Any] = {
        "y": top + LINE_PX / 2, "middle": top + LINE_PX + STRIP_PX / 2, "origin": lane.backend.origin.value,
        "caption": _("{a} over {b}").format(a=lane.label, b=other.name), "told": _told(one),
        **how_fields(lane.how), "colour": look.colours.lane(lane.index),
        "fill": 1.0 if lane.backend.origin is Origin.LIVE else 0.0,
    }  # fmt: skip
    if not isinstance(one.interval, Unavailable):
        row |= {"low": one.interval.low, "high": one.interval.high, "value": one.interval.ratio}
    return row


def _told(one: Comparison) -> str:
    interval = one.interval
    if isinstance(interval, Unavailable):
        return _("too few trials: {rounds}, 3 are needed").format(rounds=rounds_text(one.rounds))
    span = _("{ratio} ({low} to {high}), {rounds}").format(
        ratio=ratio_text(interval.ratio), low=ratio_text(interval.low), high=ratio_text(interval.high),
        rounds=rounds_text(interval.pairs),
    )  # fmt: skip
    return span if interval.tells_apart else f"{span}: {_('cannot be told apart')}"


def _draw_intervals(sheet: Sheet, rows: list[dict[str, Any]], x: alt.X, hows: Sequence[Facts]) -> None:
    lines = sheet.rows([{**row, "value": row["low"]} for row in rows]).mark_rule(strokeWidth=2.5)
    y = sheet.down("middle")
    sheet.draw(
        lines.encode(
            x=x, x2=alt.X2(field="high"), y=y, color=drawing.own_colour(), strokeDash=drawing.dash_of()
        )
    )
    whole = [{**row, "text": row["told"], "lane": row["caption"]} for row in rows]
    _draw_points(sheet, [{**row, "y": row["middle"]} for row in whole], x, hows)


def _ends(drawn: Sequence[Comparison]) -> list[float]:
    """The least and the greatest end, one among them, with a little room."""
    intervals = [one.interval for one in drawn if not isinstance(one.interval, Unavailable)]
    low, high = min(1.0, *(i.low for i in intervals)), max(1.0, *(i.high for i in intervals))
    room = max((high / low) ** 0.06, 1.04)
    return [low / room, high * room]


def _axis(title: str, offset_px: int) -> alt.Axis:
    return alt.Axis(title=title, tickCount=5, format=",~r", labelOverlap=True, offset=offset_px)


def _ratio_axis(reference: str) -> alt.Axis:
    title = drawing.titled(_("times {name}").format(name=reference), True)
    return alt.Axis(title=title, tickCount=5, format=",~r", labelOverlap=True)
