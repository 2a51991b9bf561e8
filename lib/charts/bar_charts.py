"""The two bar charts of a result: time to first token, and throughput with the reading speed.

A row is a lane: its name and badge, and under it a bar for each figure with the figure's own text. A lane
without the figure says why instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
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
from lib.metrics.quantity import ESTIMATED, Figure, Quantity, Unavailable, number
from lib.provenance import Facts

BAR_PX = 14
THIN_PX = 8
GAP_PX = 14
_ALIKE_MS = 1.0  # TTFT and TTFAT closer than this are one bar


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a lane; `text` stands at its end."""

    value: float
    text: str
    thin: bool = False


_Rows = Sequence[tuple[ResultLane, list[Bar] | str]]


@dataclass(frozen=True, slots=True)
class Band:
    """The reading speed in the unit of the bars: a rule at `at` in a band from `low` to `high`."""

    low: float
    at: float
    high: float
    text: str


def ttft_chart(lanes: Sequence[ResultLane], subtitle: str, look: Look) -> drawing.Figure | None:
    """Time to first token per lane, and to the first answer token where thinking came before it."""
    rows = [(lane, _first_tokens(lane)) for lane in lanes]
    longest_ms = max(
        (bar.value for _lane, bars in rows if isinstance(bars, list) for bar in bars), default=0.0
    )
    in_s = longest_ms >= 2000
    scaled = [(lane, [_in_seconds(b) for b in bars] if in_s and isinstance(bars, list) else bars)
              for lane, bars in rows]  # fmt: skip
    axis = _("seconds from request to first token") if in_s else _("milliseconds from request to first token")
    return _bars(scaled, None, Words(_ttft_title(rows), subtitle), axis, look, 1.0 if in_s else 1000.0)


def _ttft_title(rows: _Rows) -> str:
    two = any(isinstance(bars, list) and len(bars) > 1 for _lane, bars in rows)
    both = _("Time to first token (TTFT) and to first answer token (TTFAT)")
    return both if two else _("Time to first token (TTFT)")


def throughput_chart(
    lanes: Sequence[ResultLane], band: Band | None, subtitle: str, look: Look
) -> drawing.Figure | None:
    """Decode rate (thick) and end-to-end rate (thin) per lane, with the reading speed as a rule in its band."""
    rows = [(lane, _rates(lane)) for lane in lanes]
    words = Words(_("Throughput: decode and end to end"), subtitle)
    return _bars(rows, band, words, _("tokens per second"), look)


def value_text(figure: Quantity) -> str:
    """The figure's text, with ~ where it rests on an estimate."""
    return f"~{figure_text(figure)}" if ESTIMATED in figure.marks else figure_text(figure)


def _first_tokens(lane: ResultLane) -> list[Bar] | str:
    first, answer = lane.figures["ttft_ms"], lane.figures["ttfat_ms"]
    if isinstance(first, Unavailable):
        return _why(lane, first)
    first_ms, answer_ms = float(first.value), number(answer)
    if answer_ms is not None and isinstance(answer, Quantity) and abs(answer_ms - first_ms) > _ALIKE_MS:
        to_answer = _("{time} first answer token").format(time=figure_text(answer))
        return [Bar(first_ms, _("{time} first token").format(time=figure_text(first))),
                Bar(answer_ms, to_answer, thin=True)]  # fmt: skip
    return [Bar(first_ms, figure_text(first))]


def _rates(lane: ResultLane) -> list[Bar] | str:
    decode, overall = lane.figures["decode_tok_s"], lane.figures["e2e_tok_s"]
    bars = []
    if isinstance(decode, Quantity):
        bars.append(Bar(float(decode.value), value_text(decode)))
    if isinstance(overall, Quantity):
        bars.append(
            Bar(float(overall.value), _("{rate} end to end").format(rate=value_text(overall)), thin=True)
        )
    return bars or _why(lane, decode)


def _why(lane: ResultLane, figure: Figure) -> str:
    if lane.has_failed:
        return lane.outcome
    return figure.reason if isinstance(figure, Unavailable) else ""


def _in_seconds(bar: Bar) -> Bar:
    return Bar(bar.value / 1000, bar.text, bar.thin)


def _bars(
    rows: _Rows,
    band: Band | None,
    words: Words,
    axis: str,
    look: Look,
    per_s: float = 0.0,
) -> drawing.Figure | None:
    """`per_s`: units of a time axis in a second, 0 when the axis is not time."""
    values = [bar.value for _lane, bars in rows if isinstance(bars, list) for bar in bars]
    if not values:
        return None
    log = look.is_log(values)
    placed = _Placed(look, top=float(LINE_PX if band else 0))
    for lane, bars in rows:
        placed.add(lane, bars)
    sheet = drawing.Sheet(look, math.ceil(placed.top))
    base = _base(values, band, log)
    time = TimeAxis(base, max(values), per_s, log, _room_px(rows)) if per_s else None
    offset = strip_px(time) if time else 0
    x = _axis(values, band, log, axis, room_px=_room_px(rows), base=base, offset=offset)
    if band:
        _draw_band(sheet, band, x)
    if time:
        draw_limits(sheet, x, "value", time)
    placed.draw(sheet, x, base)
    spoken = "; ".join(f"{lane.label}: {_spoken(bars)}" for lane, bars in rows)
    return sheet.finished(Words(words.title, words.subtitle, f"{words.title}. {spoken}. {words.subtitle}"))


class _Placed:
    """Rows placed one under the other while they are added."""

    def __init__(self, look: Look, top: float) -> None:
        self.top = top
        self._look = look
        self._captions: list[dict[str, Any]] = []
        self._bars: list[dict[str, Any]] = []
        self._values: list[dict[str, Any]] = []
        self._reasons: list[dict[str, Any]] = []
        self._how: list[Facts] = []

    def add(self, lane: ResultLane, bars: list[Bar] | str) -> None:
        """Place one lane: its caption, then its bars or the reason why there is none."""
        colours = self._look.colours
        self._captions.append({"y": self.top + LINE_PX / 2, "text": lane.label, "ink": colours.text})
        self.top += LINE_PX + 2
        if isinstance(bars, str):
            ink = colours.failed if lane.has_failed else colours.quiet
            self._reasons.append({"y": self.top + BAR_PX / 2, "text": bars, "ink": ink})
            self.top += BAR_PX
        for bar in bars if isinstance(bars, list) else []:
            self._place(lane, bar)
        self.top += GAP_PX

    def _place(self, lane: ResultLane, bar: Bar) -> None:
        colours, height = self._look.colours, THIN_PX if bar.thin else BAR_PX
        slot = LINE_PX - 2
        middle = self.top + slot / 2
        origin = lane.backend.origin
        self._bars.append({
            "y": middle - height / 2, "y2": middle + height / 2, "value": bar.value, "origin": origin.value,
            "colour": colours.lane(lane.index), "fill": drawing.fill_of(origin) * (0.5 if bar.thin else 1),
            "lane": lane.label, "text": bar.text, **how_fields(lane.how),
        })  # fmt: skip
        self._how.append(lane.how)
        ink = colours.quiet if bar.thin else colours.text
        self._values.append({"y": middle, "value": bar.value, "text": bar.text, "ink": ink, "thin": bar.thin})
        self.top += slot + 2

    def draw(self, sheet: drawing.Sheet, x: alt.X, base: float) -> None:
        """Draw everything placed; bars begin at `base`."""
        left = alt.value(0)
        tooltip = value_tooltip(self._how)
        bars = sheet.rows(self._bars).mark_bar(strokeWidth=1.5).encode(
            x=x, x2=alt.X2Datum(base), y=sheet.down("y"), y2=alt.Y2(field="y2"), tooltip=tooltip,
            color=drawing.own_colour(), stroke=alt.Stroke(field="colour", type="nominal", scale=None),
            fillOpacity=alt.FillOpacity(field="fill", type="quantitative", scale=None), strokeDash=drawing.dash_of(),
        )  # fmt: skip
        sheet.draw(bars)
        sheet.write(self._captions, left, halo=True)
        sheet.write(self._reasons, left, halo=True)
        sheet.write(
            [value for value in self._values if not value["thin"]], x, halo=True, dx=7, fontWeight=600
        )
        sheet.write([value for value in self._values if value["thin"]], x, halo=True, dx=7)


def _base(values: Sequence[float], band: Band | None, log: bool) -> float:
    """Where bars begin: 0, or on a logarithmic scale the power of ten below everything drawn."""
    if not log:
        return 0.0
    least = min([value for value in values if value > 0] + ([band.low] if band else []))
    return float(10.0 ** math.floor(math.log10(least)))


def _axis(
    values: Sequence[float], band: Band | None, log: bool, title: str, *, room_px: float, base: float, offset: int
) -> alt.X:
    most = max([*values, *([band.high] if band else [])])
    scale = alt.Scale(
        type="log" if log else "linear", domain=[base, most], nice=False, clamp=True,
        rangeMax=alt.ExprRef(f"max(60, width - {room_px:.0f})"),
    )  # fmt: skip
    begin = _("bars begin at {base}").format(base=numbers.whole(base) if base >= 1 else numbers.plain(base))
    powers = [10.0**power for power in range(-3, 7) if base <= 10.0**power <= most]
    ticks = {"values": powers} if log else {"tickCount": 4}
    axis = alt.Axis(title=f"{drawing.titled(title, log)}, {begin}" if log else title, format=",~r", **ticks,
                    titleAnchor="start", labelFlush=False, offset=offset)  # fmt: skip
    return alt.X(field="value", type="quantitative", scale=scale, axis=axis)


def _room_px(rows: _Rows) -> float:
    longest = max(
        (len(bar.text) for _lane, bars in rows if isinstance(bars, list) for bar in bars), default=0
    )
    return longest * drawing.CHARACTER_PX + 16


def _draw_band(sheet: drawing.Sheet, band: Band, x: alt.X) -> None:
    colours = sheet.look.colours
    row = {"value": band.low, "high": band.high, "y": LINE_PX, "y2": sheet.height}
    downwards = {"y": sheet.down("y"), "y2": alt.Y2(field="y2")}
    area = (
        sheet.rows([row])
        .mark_rect(color=colours.reader_band)
        .encode(x=x, x2=alt.X2(field="high"), **downwards)
    )
    at = sheet.rows([{"value": band.at, "y": LINE_PX / 2, "y2": sheet.height}])
    sheet.draw(area, at.mark_rule(color=colours.reader, strokeWidth=2).encode(x=x, **downwards))
    label = {"value": band.at, "y": LINE_PX / 2, "text": band.text, "ink": colours.reader}
    sheet.write([label], x, dx=6, fontWeight=600)


def _spoken(bars: list[Bar] | str) -> str:
    return bars if isinstance(bars, str) else ", ".join(bar.text for bar in bars)
