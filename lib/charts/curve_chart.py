"""Tokens over time: a curve for each lane from its own request, and the person reading beside them.

Curves are steps at the arrivals themselves; the reader follows the lane that answered first, as on the live
track. Each curve's end carries its label, on a line of its own above the plot, so that no two cover each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from lib import numbers
from lib.charts import drawing
from lib.charts.chart_reader import first_to_answer
from lib.charts.drawing import LINE_PX, Look, Words
from lib.charts.hover import how_fields, value_tooltip
from lib.charts.limit_marks import TimeAxis, draw_limits, strip_px
from lib.charts.result_lanes import ResultLane
from lib.domain import events as ev
from lib.i18n import _
from lib.metrics.series import series_of
from lib.reading import read_at

PLOT_PX = 260
ROOM = 1.12  # the streams end before the right edge
READER_POINTS = 80
_LEFT_HALF = 0.5
_ROOMY = alt.ExprRef("(width < 480 ? datum.short : datum.text)")  # a phone has no room for the figures


@dataclass(frozen=True, slots=True)
class _Scale:
    """Token counts to the y axis, whose top holds the lines of labels."""

    most: float
    labels_px: int
    log: bool

    @property
    def height(self) -> int:
        return PLOT_PX + self.labels_px

    @property
    def top(self) -> float:
        """The domain's end, so that `most` is drawn just under the labels."""
        share = self.height / PLOT_PX
        return float(self.most**share) if self.log else self.most * share

    def at_px(self, px: float) -> float:
        """The value that is drawn `px` pixels from the top."""
        share = 1 - px / self.height
        return float(self.top**share) if self.log else self.top * share


def curve_chart(lanes: Sequence[ResultLane], subtitle: str, look: Look) -> drawing.Figure | None:
    """Cumulative tokens (o200k_base) of every lane against seconds since its request."""
    drawn = [(lane, points) for lane in lanes if (points := _points(lane))]
    if not drawn:
        return None
    end_s = max(points[-1]["s"] for _lane, points in drawn) * ROOM
    scale = _Scale(max(points[-1]["n"] for _lane, points in drawn), LINE_PX * len(drawn) + 4, bool(look.log))
    time = TimeAxis(0.0, end_s)
    x, y = _time_axis(time), _Count(scale)
    sheet = drawing.Sheet(look, scale.height)
    draw_limits(sheet, x, "s", time)
    _draw_reader(sheet, drawn, x, y, end_s)
    curves = sheet.rows(
        [row | _style(lane, look) for lane, points in drawn for row in _visible(points, scale)]
    )
    sheet.draw(curves.mark_line(interpolate="step-after", strokeWidth=2, clip=True).encode(
        x=x, y=y.of("n"), color=drawing.own_colour(), detail=alt.Detail(field="index", type="nominal"),
        strokeDash=drawing.dash_of(),
    ))  # fmt: skip
    _draw_ends(sheet, drawn, x, y, end_s)
    spoken = "; ".join(_end_text(lane, points[-1]) for lane, points in drawn)
    title = _("Tokens over time")
    counted = _("every text counted with o200k_base")
    return sheet.finished(Words(title, f"{subtitle}\n{counted}", f"{title}. {spoken}"))


def _points(lane: ResultLane) -> list[dict[str, Any]]:
    series = series_of(lane.measured.generation)
    return [{"s": at / 1000, "n": count} for at, count in zip(series.at_ms, series.tokens, strict=False)]


def _visible(points: list[dict[str, Any]], scale: _Scale) -> list[dict[str, Any]]:
    """The points, from the axis up; nothing below 1 on a logarithmic scale."""
    if scale.log:
        return [point for point in points if point["n"] >= 1]
    return [{"s": points[0]["s"], "n": 0}, *points]


def _style(lane: ResultLane, look: Look) -> dict[str, Any]:
    return {
        "index": lane.index,
        "colour": look.colours.lane(lane.index),
        "origin": lane.backend.origin.value,
    }


def _time_axis(time: TimeAxis) -> alt.X:
    title = _("seconds since the request")
    axis = alt.Axis(title=title, tickCount=6, titleAnchor="start", offset=strip_px(time))
    scale = alt.Scale(domain=[0, time.high], nice=False)
    return alt.X(field="s", type="quantitative", scale=scale, axis=axis)


class _Count:
    """The y axis: the same for every layer, whatever field it draws."""

    def __init__(self, scale: _Scale) -> None:
        self.scale = scale
        powers = [10.0**power for power in range(8) if 10.0**power <= scale.most]
        ticks = powers if scale.log else _ticks(scale.most)
        title = drawing.titled(_("tokens"), scale.log)
        self._axis = alt.Axis(
            title=title, values=ticks, format=",.0f", labelPadding=6, titleAnchor="start", minExtent=34
        )
        self._scale = alt.Scale(
            type="log" if scale.log else "linear", domain=[1 if scale.log else 0, scale.top], nice=False
        )

    def of(self, field: str) -> alt.Y:
        """The position of this field."""
        return alt.Y(field=field, type="quantitative", scale=self._scale, axis=self._axis)


def _ticks(most: float) -> list[float]:
    """0 and up to four round values."""
    power = 10.0 ** (len(str(int(most / 3))) - 1)
    step = next((step * power for step in (1, 2, 5, 10) if step * power * 4 >= most), most)
    return [step * number for number in range(int(most // step) + 1)]


def _draw_ends(
    sheet: drawing.Sheet,
    drawn: Sequence[tuple[ResultLane, list[dict[str, Any]]]],
    x: alt.X,
    y: _Count,
    end_s: float,
) -> None:
    """A mark at each curve's end, a thin line up to its label, and the label."""
    ends = []
    for line, (lane, points) in enumerate(_by_line(drawn, end_s)):
        last = points[-1]
        complete = lane.measured.time.status is ev.Status.COMPLETE
        ends.append(last | _style(lane, sheet.look) | {
            "level": y.scale.at_px(LINE_PX * (line + 0.5)), "text": _end_text(lane, last), "short": _named(lane),
            "right": last["s"] > end_s * _LEFT_HALF, "shape": "circle" if complete else "cross",
            "ink": sheet.look.colours.lane(lane.index), "lane": lane.label, **how_fields(lane.how),
        })  # fmt: skip
    tooltip = value_tooltip([lane.how for lane, _points in drawn])
    shapes = alt.Scale(domain=["circle", "cross"], range=["circle", "cross"])
    place = sheet.rows(ends).encode(x=x, y=y.of("n"), color=drawing.own_colour())
    sheet.draw(
        place.mark_rule(opacity=0.45).encode(y2=alt.Y2(field="level")),
        place.mark_point(filled=True, size=60, opacity=1).encode(tooltip=tooltip,
            shape=alt.Shape(field="shape", type="nominal", scale=shapes, legend=None)),
    )  # fmt: skip
    for right in (False, True):
        rows = [end for end in ends if end["right"] is right]
        sheet.write(
            rows,
            x,
            y.of("level"),
            halo=True,
            align="right" if right else "left",
            dx=_kept_inside(right),
            text=_ROOMY,
            tooltip=tooltip,
        )


def _kept_inside(right: bool) -> alt.ExprRef:
    """How far a label moves from its curve's end: a little, or as much as keeps it inside the plot."""
    length = f"length({_ROOMY.to_dict()['expr']}) * {drawing.CHARACTER_PX}"
    if right:
        return alt.ExprRef(f"max(4, {length} - scale('x', datum.s))")
    return alt.ExprRef(f"min(-4, width - scale('x', datum.s) - {length})")


def _by_line(
    drawn: Sequence[tuple[ResultLane, list[dict[str, Any]]]], end_s: float
) -> list[tuple[ResultLane, list[dict[str, Any]]]]:
    """Top line first, so that no thin line crosses a label: late ends from the right, then early from the left."""
    late = [pair for pair in drawn if pair[1][-1]["s"] > end_s * _LEFT_HALF]
    early = [pair for pair in drawn if pair[1][-1]["s"] <= end_s * _LEFT_HALF]
    return [
        *sorted(late, key=lambda pair: -pair[1][-1]["s"]),
        *sorted(early, key=lambda pair: pair[1][-1]["s"]),
    ]


def _named(lane: ResultLane) -> str:
    is_complete = lane.measured.time.status is ev.Status.COMPLETE
    return lane.label if is_complete else f"{lane.label}, {lane.outcome}"


def _end_text(lane: ResultLane, last: dict[str, Any]) -> str:
    text = _("{lane}: {n} in {time}")
    return text.format(lane=_named(lane), n=numbers.whole(last["n"]), time=numbers.seconds(last["s"]))


def _draw_reader(
    sheet: drawing.Sheet,
    drawn: Sequence[tuple[ResultLane, list[dict[str, Any]]]],
    x: alt.X,
    y: _Count,
    end_s: float,
) -> None:
    """The band of most adults and the chosen speed, for the answer that began first."""
    lane = first_to_answer([lane for lane, _points in drawn])
    if lane is None:
        return
    speed = lane.speed
    middle, low, high = (_read_by(lane, per_min, end_s) for per_min in (speed.per_min, speed.lo, speed.hi))
    least = 1.0 if y.scale.log else 0.0
    rows = [{"s": s, "n": max(least, n), "low": max(least, a), "high": max(least, b)}
            for (s, n), (_s, a), (_t, b) in zip(middle, low, high, strict=True)]  # fmt: skip
    colours = sheet.look.colours
    place = sheet.rows(rows)
    sheet.draw(
        place.mark_area(color=colours.reader_band, clip=True).encode(
            x=x, y=y.of("low"), y2=alt.Y2(field="high")
        ),
        place.mark_line(color=colours.reader, strokeWidth=2, clip=True).encode(x=x, y=y.of("n")),
    )
    text = _("a person reading, {speed}").format(speed=numbers.rate(speed.per_min, _unit_per_min(speed.unit)))
    sheet.write([rows[-1] | {"text": text, "ink": colours.reader}], x, y.of("high"), halo=True,
                align="right", dy=-10, fontWeight=600)  # fmt: skip


def _read_by(lane: ResultLane, per_min: float, end_s: float) -> list[tuple[float, float]]:
    """(seconds since the request, tokens read): the read share of the units, in the answer's tokens."""
    time = lane.measured.time
    deltas = [(delta.at_ns, delta.text) for delta in time.answer_chunks]
    reader = read_at(deltas, lane.speed.unit, per_min)
    total, tokens = len(reader.ends_ns), lane.measured.counts.answer or 0
    begin_s = (time.since_sent_ms(time.first_answer_ns) or 0.0) / 1000
    moments = [begin_s + (end_s - begin_s) * step / READER_POINTS for step in range(READER_POINTS + 1)]
    origin_ns = time.sent_ns or 0
    read = [reader.position(origin_ns + round(moment * 1e9))[0] for moment in moments]
    return [
        (moment, tokens * count / total if total else 0.0)
        for moment, count in zip(moments, read, strict=True)
    ]


def _unit_per_min(unit: str) -> str:
    return "words/min" if unit == "word" else "characters/min"
