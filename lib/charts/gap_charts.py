"""The texture of the streams: arrivals as ticks in the first seconds, and how long the gaps between them were.

A gap is between chunks; it is called one between tokens only where each chunk is known to hold one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from lib import numbers
from lib.charts import drawing
from lib.charts.drawing import LINE_PX, Look, Words
from lib.charts.hover import how_fields, value_tooltip
from lib.charts.limit_marks import TimeAxis, draw_limits, strip_px
from lib.charts.result_lanes import ResultLane
from lib.i18n import _
from lib.metrics.figures import figure_text
from lib.metrics.quantity import Unavailable, number
from lib.metrics.texture import gaps

BAND_PX = 16
ROW_PX = LINE_PX + BAND_PX + 12
WINDOW_S = 2.0
MOST_TICKS = 1200
MOST_GAPS = 400
_ONE = 0.02  # tokens per chunk this close to 1 are one


def arrival_chart(lanes: Sequence[ResultLane], subtitle: str, look: Look) -> drawing.Figure | None:
    """Each network read that brought text as a tick, in the first seconds of every lane's text."""
    rows, captions, thinned = [], [], False
    for place, lane in enumerate(lanes):
        top = place * ROW_PX
        times = _seconds_of_arrivals(lane)
        thinned = thinned or len(times) > MOST_TICKS
        captions.append(_caption(lane, top, "", look))
        rows += [_tick(lane, top, second, look) for second in _evenly(times, MOST_TICKS)]
        if not times:
            captions.append(_reason(lane, top, look))
    if not rows:
        return None
    time = TimeAxis(0.0, WINDOW_S)
    axis = alt.Axis(title=_("seconds since the lane's first text"), tickCount=5, titleAnchor="start",
                    offset=strip_px(time))  # fmt: skip
    x = alt.X(field="at", type="quantitative", scale=alt.Scale(domain=[0, WINDOW_S], nice=False), axis=axis)
    sheet = drawing.Sheet(look, ROW_PX * len(lanes))
    draw_limits(sheet, x, "at", time)
    sheet.draw(_strip(sheet, rows, x, strokeWidth=1.2, opacity=0.75).encode(color=drawing.own_colour()))
    sheet.write(captions, alt.value(0), halo=True)
    _draw_hovers(sheet, lanes, [_arrivals_text(lane) for lane in lanes])
    told = _("each line is one arrival")
    if thinned:
        told = _("each line is one arrival, at most {n} drawn per lane").format(n=numbers.whole(MOST_TICKS))
    return sheet.finished(Words(_("Arrivals in the first two seconds of text"), f"{subtitle}\n{told}"))


def gap_chart(lanes: Sequence[ResultLane], subtitle: str, look: Look) -> drawing.Figure | None:
    """Every gap between arrivals on a logarithmic scale, the median marked."""
    rows: list[dict[str, Any]] = []
    medians, captions, spoken = [], [], []
    for place, lane in enumerate(lanes):
        top = place * ROW_PX
        found = sorted(gap for gap in gaps(lane.measured) if gap > 0)
        text = _gap_text(lane)
        captions.append(_caption(lane, top, text, look))
        spoken.append(f"{lane.label}: {text}")
        rows += [_tick(lane, top, gap, look) for gap in _evenly(found, MOST_GAPS)]
        middle = number(lane.figures["median_gap_ms"])
        if middle and found:
            medians.append(_tick(lane, top, middle, look))
        if not found:
            captions.append(_reason(lane, top, look))
    if not rows:
        return None
    title = gap_words(lanes)
    low, high = _gap_ends([row["at"] for row in rows])
    time = TimeAxis(low, high, per_s=1000.0, log=True)
    x = _gap_axis(time)
    sheet = drawing.Sheet(look, ROW_PX * len(lanes))
    draw_limits(sheet, x, "at", time)
    sheet.draw(_strip(sheet, rows, x, strokeWidth=1.5, opacity=0.3).encode(color=drawing.own_colour()))
    if medians:
        sheet.draw(_strip(sheet, medians, x, strokeWidth=3, color=look.colours.text))
    sheet.write(captions, alt.value(0), halo=True)
    _draw_hovers(sheet, lanes, [_gap_text(lane) for lane in lanes])
    told = _("each line is one gap, the thick one the median")
    return sheet.finished(Words(title, f"{subtitle}\n{told}", f"{title}. {'; '.join(spoken)}"))


def _strip(sheet: drawing.Sheet, rows: drawing.Rows, x: alt.X, **mark: Any) -> alt.Chart:
    chart: alt.Chart = sheet.rows(rows).mark_rule(**mark)
    return chart.encode(x=x, y=sheet.down("y"), y2=alt.Y2(field="y2"))


def gap_words(lanes: Sequence[ResultLane]) -> str:
    """What the gaps are between."""
    known = [number(lane.figures["tokens_per_chunk"]) for lane in lanes if lane.measured.time.chunks]
    one_each = bool(known) and all(value is not None and abs(value - 1) <= _ONE for value in known)
    return _("Gaps between tokens") if one_each else _("Gaps between chunks")


def _gap_ends(gaps: Sequence[float]) -> tuple[float, float]:
    """The powers of ten around all gaps, in ms."""
    powers = [10.0**power for power in range(-3, 7)]
    low = max(power for power in powers if power <= max(min(gaps), powers[0]))
    high = min((power for power in powers if power >= max(gaps)), default=powers[-1])
    return low, max(high, low * 10)


def _gap_axis(time: TimeAxis) -> alt.X:
    values = [10.0**power for power in range(-3, 7) if time.low <= 10.0**power <= time.high]
    axis = alt.Axis(
        title=drawing.titled(_("milliseconds"), log=True), values=values, format=",~r", titleAnchor="start",
        offset=strip_px(time),
    )  # fmt: skip
    scale = alt.Scale(type="log", domain=[time.low, time.high], nice=False, clamp=True)
    return alt.X(field="at", type="quantitative", scale=scale, axis=axis)


def _draw_hovers(sheet: drawing.Sheet, lanes: Sequence[ResultLane], texts: Sequence[str]) -> None:
    """One unseen area for each lane, to be pointed at in place of hundreds of lines."""
    rows = [
        {"y": place * ROW_PX, "y2": place * ROW_PX + LINE_PX + BAND_PX, "lane": lane.label, "text": text or lane.outcome,
         **how_fields(lane.how)}
        for place, (lane, text) in enumerate(zip(lanes, texts, strict=True))
    ]  # fmt: skip
    sheet.draw(
        sheet.rows(rows).mark_rect(opacity=0).encode(
            x=alt.value(0), x2=alt.value(drawing.WITHIN), y=sheet.down("y"), y2=alt.Y2(field="y2"),
            tooltip=value_tooltip([lane.how for lane in lanes]),
        )
    )  # fmt: skip


def _arrivals_text(lane: ResultLane) -> str:
    return _("{n} arrivals").format(n=numbers.whole(len(_seconds_of_arrivals(lane))))


def _seconds_of_arrivals(lane: ResultLane) -> list[float]:
    """Seconds since the lane's first text, within the window."""
    groups = lane.measured.arrivals
    first_ns = groups[0].at_ns if groups else 0
    times = [(group.at_ns - first_ns) / 1e9 for group in groups]
    return [second for second in times if second <= WINDOW_S]


def _gap_text(lane: ResultLane) -> str:
    median, longest = lane.figures["median_gap_ms"], lane.figures["longest_gap_ms"]
    if isinstance(longest, Unavailable):
        return ""
    if isinstance(median, Unavailable):
        return _("longest {longest}").format(longest=figure_text(longest))
    return _("median {median}, longest {longest}").format(
        median=figure_text(median), longest=figure_text(longest)
    )


def _tick(lane: ResultLane, top: float, at: float, look: Look) -> dict[str, Any]:
    return {
        "at": at,
        "y": top + LINE_PX,
        "y2": top + LINE_PX + BAND_PX,
        "colour": look.colours.lane(lane.index),
    }


def _caption(lane: ResultLane, top: float, figures: str, look: Look) -> dict[str, Any]:
    text = f"{lane.label}: {figures}" if figures else lane.label
    return {"y": top + LINE_PX / 2 - 1, "text": text, "ink": look.colours.text}


def _reason(lane: ResultLane, top: float, look: Look) -> dict[str, Any]:
    figure = lane.figures["longest_gap_ms"]
    why = lane.outcome if lane.has_failed else figure.reason if isinstance(figure, Unavailable) else ""
    ink = look.colours.failed if lane.has_failed else look.colours.quiet
    return {"y": top + LINE_PX + BAND_PX / 2, "text": why, "ink": ink}


def _evenly(values: Sequence[float], most: int) -> list[float]:
    """At most so many of the values, the first and the last among them."""
    if len(values) <= most:
        return list(values)
    return [values[round(step * (len(values) - 1) / (most - 1))] for step in range(most)]
