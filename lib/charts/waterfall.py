"""Where the time of a task goes: one bar for each backend on one clock, and one task step by step.

Colours say what the time was spent on; amber is a person and red is what failed, as everywhere. Nothing is computed
here but positions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from lib import numbers
from lib.charts import drawing
from lib.charts.drawing import LINE_PX, Look, Sheet, Words
from lib.charts.hover import how_fields, how_tooltip
from lib.charts.limit_marks import TimeAxis, draw_limits, strip_px
from lib.charts.palette import Palette, palette
from lib.i18n import _
from lib.provenance import Facts

STRIP_PX = 30
GAP_PX = 12
ROW_PX = 15
BAR_PX = 11
NAME_PX = 112  # room for "12 approval" left of the bars
KINDS = ("connection", "wait", "thinking", "answer", "tool", "retry", "human")
_COLUMNS = "width < 450 ? 2 : width < 700 ? 3 : 7"  # of the legend, by the chart's own width
_GAINS = (1.0, 2.0, 5.0, 14.0, 50.0, 200.0, 1000.0)


@dataclass(frozen=True, slots=True)
class Stretch:
    """One piece of time: what it was spent on, from when to when in seconds, and the step it belongs to."""

    kind: str
    start_s: float
    end_s: float
    step: str = ""


@dataclass(frozen=True, slots=True)
class TimeRow:
    """One bar: a backend's whole task, or one step of it."""

    label: str
    stretches: tuple[Stretch, ...]
    text: str = ""  # at the bar's end
    has_failed: bool = False
    how: Facts = ()  # how its times came about


@dataclass(frozen=True, slots=True)
class GainRow:
    """One backend's curve of the bottleneck chart: (decode gain, whole gain) and its ceiling in words."""

    label: str
    colour_place: int
    points: tuple[tuple[float, float], ...]
    text: str


def kind_words() -> dict[str, str]:
    """The kinds of time in words, in the order of the legend."""
    words = (_("connection"), _("waiting for the first token"), _("thinking"), _("answer"), _("tool"), _("retry"),
             _("a person"))  # fmt: skip
    return dict(zip(KINDS, words, strict=True))


def kind_colours(look: Look) -> dict[str, str]:
    """One colour for each kind of time."""
    own: Palette = palette(look.theme)
    waiting = "#C9CCD2" if look.theme == "light" else "#4A4E57"
    colours = (own.lanes[5], waiting, own.lanes[7], own.lanes[0], own.lanes[1], own.failed, own.reader)
    return dict(zip(KINDS, colours, strict=True))


def strips_chart(rows: Sequence[TimeRow], words: Words, look: Look) -> drawing.Figure:
    """One thick bar for each backend, all on one clock."""
    height = len(rows) * (LINE_PX + STRIP_PX + GAP_PX)
    sheet = Sheet(look, height)
    placed, captions = [], []
    for place, row in enumerate(rows):
        top = place * (LINE_PX + STRIP_PX + GAP_PX)
        ink = look.colours.failed if row.has_failed else look.colours.text
        captions.append({"y": top + LINE_PX / 2, "text": f"{row.label} · {row.text}", "ink": ink})
        placed += _stretches(row, top + LINE_PX + 2, STRIP_PX)
    _draw(sheet, placed, look, 0, [row.how for row in rows])
    sheet.write(captions, alt.value(0), halo=True)
    return sheet.finished(words)


def steps_chart(rows: Sequence[TimeRow], words: Words, look: Look) -> drawing.Figure:
    """One thin bar for each step, its name to the left of the clock."""
    sheet = Sheet(look, max(1, len(rows)) * ROW_PX)
    placed, captions = [], []
    for place, row in enumerate(rows):
        ink = look.colours.failed if row.has_failed else look.colours.quiet
        captions.append({"y": place * ROW_PX + ROW_PX / 2, "text": row.label, "ink": ink})
        placed += _stretches(row, place * ROW_PX + (ROW_PX - BAR_PX) / 2, BAR_PX)
    _draw(sheet, placed, look, NAME_PX, [row.how for row in rows])
    sheet.write(captions, alt.value(0), fontSize=12, limit=NAME_PX - 8)
    return sheet.finished(words)


def gains_chart(rows: Sequence[GainRow], words: Words, look: Look, height: int = 260) -> drawing.Figure:
    """What a faster decode buys end to end: a curve for each backend, its ceiling at its end."""
    sheet = Sheet(look, height)
    lines = [
        {"gain": gain, "whole": whole, "label": row.label, "colour": look.colours.lane(row.colour_place)}
        for row in rows for gain, whole in row.points
    ]  # fmt: skip
    ends = [{"gain": row.points[-1][0], "whole": row.points[-1][1], "text": f"{row.label} {row.text}",
             "ink": look.colours.lane(row.colour_place)} for row in rows]  # fmt: skip
    scale = alt.Scale(type="log", domain=[1, _GAINS[-1]])
    x_axis = alt.Axis(title=_("times the decode rate (logarithmic scale)"), values=list(_GAINS), format=",~r")
    x = alt.X(field="gain", type="quantitative", scale=scale, axis=x_axis)
    y_axis = alt.Axis(title=_("times faster end to end"), tickCount=5, grid=True)
    most = max((whole for row in rows for _gain, whole in row.points), default=2.0)
    y = alt.Y(field="whole", type="quantitative", axis=y_axis, scale=alt.Scale(domain=[0, most * 1.15], nice=False))
    sheet.draw(
        sheet.rows(lines).mark_line(strokeWidth=2.5).encode(
            x=x, y=y, color=drawing.own_colour(), detail=alt.Detail(field="label", type="nominal")
        )
    )  # fmt: skip
    sheet.write(ends, x, y, halo=True, align="right", dy=-12, fontWeight=600)
    return sheet.finished(words)


def _stretches(row: TimeRow, top: float, height: int) -> list[dict[str, Any]]:
    words: Mapping[str, str] = kind_words()
    return [
        {"start": one.start_s, "end": one.end_s, "y": top, "y2": top + height, "kind": words[one.kind],
         "where": one.step or row.label, "time": numbers.seconds(one.end_s - one.start_s),
         **how_fields(row.how)}
        for one in row.stretches
    ]  # fmt: skip


def _draw(
    sheet: Sheet, placed: list[dict[str, Any]], look: Look, left_px: int, hows: Sequence[Facts]
) -> None:
    words, colours = kind_words(), kind_colours(look)
    time = TimeAxis(0.0, max([float(row["end"]) for row in placed] or [0.0]) or 1.0)
    axis = alt.Axis(title=_("seconds since the task began"), tickCount=5, grid=True, format=",~r", titleAnchor="start",
                    offset=strip_px(time))  # fmt: skip
    scale = alt.Scale(domain=[0, time.high], nice=False, rangeMin=left_px, rangeMax=alt.ExprRef("width"))
    x = alt.X(field="start", type="quantitative", scale=scale, axis=axis)
    draw_limits(sheet, x, "start", time, left_px)
    seen = {row["kind"] for row in placed}
    shown = [kind for kind in KINDS if words[kind] in seen]
    colour = alt.Color(
        field="kind", type="nominal",
        scale=alt.Scale(domain=[words[kind] for kind in shown], range=[colours[kind] for kind in shown]),
        legend=alt.Legend(title=None, orient="top", columns=alt.ExprRef(_COLUMNS), symbolType="square", offset=4,
                          labelFontSize=13, labelColor=look.colours.quiet, labelLimit=220),
    )  # fmt: skip
    own = (("where", _("Step")), ("kind", _("Spent on")), ("time", _("Time")))
    tooltip = how_tooltip(next((how for how in hows if how), ()), *own)
    sheet.draw(
        sheet.rows(placed).mark_rect(stroke=look.colours.surface, strokeWidth=0.5).encode(
            x=x, x2=alt.X2(field="end"),
            y=sheet.down("y"), y2=alt.Y2(field="y2"), color=colour, tooltip=tooltip,
        )
    )  # fmt: skip
