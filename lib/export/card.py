"""The result card: one picture of 1200 x 675 for a slide, with verdict, lanes, reader, date and mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lib import numbers
from lib.charts.chart_reader import band_of
from lib.charts.palette import DASHES, Palette, Theme, palette
from lib.charts.result_charts import subtitle_of
from lib.charts.result_lanes import ResultLane, lanes_of
from lib.domain.run import Run
from lib.export.card_text import Piece, cut, flow, text_at, width_of
from lib.export.drawn import png_of
from lib.i18n import _
from lib.metrics.figures import figure_text, figures_of
from lib.metrics.quantity import Quantity
from lib.metrics.verdict import verdict
from lib.player.words import words
from lib.provenance import footer
from lib.reading import ReadingSpeed

MEDIA_TYPE = "image/png"
WIDTH_PX, HEIGHT_PX = 1200, 675
EDGE_PX = 56
INNER_PX = WIDTH_PX - 2 * EDGE_PX
_MOST_IN_A_ROW = 4
_MOST_LANES = 8
_GAP_PX = 28


def card_png(
    run: Run, *, speed: ReadingSpeed | None = None, theme: Theme = "light", scale: float = 1.0
) -> bytes:
    """The card as PNG of 1200 x 675 pixels times `scale`; `speed` None takes the reader of each answer's language."""
    return png_of(card_svg(run, speed=speed, theme=theme), scale)


def card_svg(run: Run, *, speed: ReadingSpeed | None = None, theme: Theme = "light") -> str:
    """The card as an SVG document; lanes beyond the eighth are counted, not drawn."""
    lanes, colours = lanes_of(run, speed), palette(theme)
    return framed(run, colours, [
        *_verdict(run, speed, colours),
        *_lanes(run, speed, lanes[:_MOST_LANES], colours),
        _foot(run, lanes, colours),
    ])  # fmt: skip


def framed(run: Run, colours: Palette, parts: Sequence[str]) -> str:
    """A card as an SVG document: its surface, its head, and what stands on it."""
    size = f'width="{WIDTH_PX}" height="{HEIGHT_PX}" viewBox="0 0 {WIDTH_PX} {HEIGHT_PX}"'
    surface = f'<rect width="{WIDTH_PX}" height="{HEIGHT_PX}" fill="{colours.surface}"/>'
    return "".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', surface, _head(run, colours), *parts, "</svg>"]
    )


def _head(run: Run, colours: Palette) -> str:
    """The product's name and when the run began."""
    when = run.started_at.replace("T", " ")[:16]
    told = f"{when} UTC" if when else ""
    return text_at(EDGE_PX, 62, "Tokenrace", 24, colours.text, weight=600) + text_at(
        WIDTH_PX - EDGE_PX, 62, told, 18, colours.quiet, anchor="end"
    )


def _verdict(run: Run, speed: ReadingSpeed | None, colours: Palette) -> list[str]:
    pieces = [
        Piece(text, colours.reader if mark == "reader" else colours.text)
        for text, mark in verdict(run, speed)
    ]
    big = 34 if len(run.backends) <= _MOST_IN_A_ROW else 28
    return flow(pieces, EDGE_PX, 92, INNER_PX, big, most=4)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where one lane stands, in pixels, and how large it is written."""

    x: float
    y: float
    width: float
    name_px: int
    hero_px: int


def _lanes(
    run: Run, speed: ReadingSpeed | None, lanes: tuple[ResultLane, ...], colours: Palette
) -> list[str]:
    rows = 1 if len(lanes) <= _MOST_IN_A_ROW else 2
    columns = max(1, -(-len(lanes) // rows))
    width = (INNER_PX - _GAP_PX * (columns - 1)) / columns
    top, height, name_px, hero_px = (312.0, 0.0, 24, 72) if rows == 1 else (262.0, 156.0, 20, 38)
    drawn = []
    for place, lane in enumerate(lanes):
        x = EDGE_PX + (place % columns) * (width + _GAP_PX)
        at = _Place(x, top + (place // columns) * height, width, name_px, hero_px)
        drawn += [*_title(lane, colours, at), *_hero(run, speed, lane, colours, at)]
    return drawn


def _title(lane: ResultLane, colours: Palette, at: _Place) -> list[str]:
    dash = ",".join(f"{length * 1.5:g}" for length in DASHES[lane.backend.origin])
    place = _nth(lane.place) if lane.place else ""
    title = cut(lane.name, at.name_px, at.width - (48 if place else 0))
    badge = ", ".join(word for word in (lane.badge, lane.backend.note) if word)
    baseline = at.y + at.name_px + 14
    return [
        f'<line x1="{at.x:g}" y1="{at.y:g}" x2="{at.x + at.width:g}" y2="{at.y:g}" stroke-width="5" '
        f'stroke="{colours.lane(lane.index)}" stroke-dasharray="{dash}"/>',
        text_at(at.x, baseline, title, at.name_px, colours.text, weight=600),
        text_at(at.x + at.width, baseline, place, at.name_px, colours.quiet, anchor="end"),
        text_at(at.x, baseline + 24, cut(badge, 16, at.width), 16, colours.quiet),
    ]


def _hero(run: Run, speed: ReadingSpeed | None, lane: ResultLane, colours: Palette, at: _Place) -> list[str]:
    baseline = at.y + at.name_px + 42 + at.hero_px
    small = text_at(at.x, baseline + 30, cut(_small(lane), 18, at.width), 18, colours.quiet)
    if lane.has_failed:
        told = cut(lane.outcome, 28, at.width)
        return [text_at(at.x, baseline - 10, told, 28, colours.failed, weight=600), small]
    hero = figures_of(run.generations[lane.index], lane.backend, speed)["hero"]
    if not hero["text"]:
        return [text_at(at.x, baseline - 10, cut(hero["reason"], 18, at.width), 18, colours.quiet), small]
    room = at.width - width_of(f"{hero['text']} ", at.hero_px)
    unit = cut(", ".join(word for word in (hero["unit"], hero["note"]) if word), 18, room)
    after = (unit, 18, colours.quiet)
    return [text_at(at.x, baseline, f"{hero['text']} ", at.hero_px, colours.text, after=after), small]


def _small(lane: ResultLane) -> str:
    first, whole = lane.figures["ttft_ms"], lane.figures["whole_ms"]
    told = [_("TTFT {time}").format(time=figure_text(first))] if isinstance(first, Quantity) else []
    if isinstance(whole, Quantity) and not lane.has_failed:
        told.append(_("done in {time}").format(time=figure_text(whole)))
    return " · ".join(told)


def _nth(place: int) -> str:
    named = words()
    return named.get(f"place_{place}", named["place_n"].format(n=place))


def _foot(run: Run, lanes: tuple[ResultLane, ...], colours: Palette) -> str:
    band = band_of(lanes)
    more = len(lanes) - _MOST_LANES
    conditions = subtitle_of(run, lanes) + (
        f" · {_('{n} more lanes').format(n=numbers.whole(more))}" if more > 0 else ""
    )
    y = HEIGHT_PX - 98
    line = (
        f'<line x1="{EDGE_PX}" y1="{y}" x2="{WIDTH_PX - EDGE_PX}" y2="{y}" stroke="{colours.reader}" '
        'stroke-width="2"/>'
    )
    reader = text_at(EDGE_PX, y + 28, band.text if band else "", 18, colours.reader, weight=600)
    told = text_at(WIDTH_PX - EDGE_PX, y + 28, conditions, 18, colours.quiet, anchor="end")
    how = Piece(footer(run, [lane.measured for lane in lanes]), colours.quiet)
    return line + reader + told + "".join(flow([how], EDGE_PX, y + 44, INNER_PX, 12, most=3))
