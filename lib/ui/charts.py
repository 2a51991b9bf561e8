"""The look all charts share: titles, axes, bars in rows of fixed height, texts with a halo.

Charts are placed in pixels downwards (a row is a caption and what stands under it), so that every label has
room at any width and eight lanes fit. Horizontal positions are data. What is drawn is in `bar_charts.py`,
`curve_chart.py` and `gap_charts.py`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from lib.domain.run import Origin
from lib.i18n import _
from lib.ui.palette import DASHES, FONT, Palette, Theme, palette

TEXT_PX = 13
LINE_PX = 18
SUBTITLE_COLUMNS = 50  # characters of a subtitle line that fit into a phone's width
LOG_RATIO = 20.0  # above this between largest and smallest bar the scale is logarithmic
Rows = Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Look:
    """How a chart is drawn: the theme, and whether a scale was chosen (None: by the ratio)."""

    theme: Theme = "light"
    log: bool | None = None

    @property
    def colours(self) -> Palette:
        """The colours of the theme."""
        return palette(self.theme)

    def is_log(self, values: Sequence[float]) -> bool:
        """Whether these values are drawn on a logarithmic scale."""
        above = [value for value in values if value > 0]
        if self.log is not None:
            return self.log and bool(above)
        return bool(above) and max(above) / min(above) > LOG_RATIO


@dataclass(frozen=True, slots=True)
class Words:
    """What a chart says about itself: title, subtitle (mode and token source), and a text for screen readers."""

    title: str
    subtitle: str
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart ready to be shown, with its text for those who cannot see it."""

    chart: alt.LayerChart
    alt: str


def finished(layers: Sequence[alt.Chart], words: Words, look: Look, height: int) -> Figure:
    """The layers as one chart in the common look, as wide as its place."""
    colours = look.colours
    title = alt.TitleParams(
        text=words.title, subtitle=textwrap.wrap(words.subtitle, SUBTITLE_COLUMNS),
        anchor="start", frame="group", fontSize=15, fontWeight=600, subtitleFontSize=TEXT_PX, offset=12,
        color=colours.text, subtitleColor=colours.quiet, subtitleLineHeight=LINE_PX, subtitlePadding=4,
    )  # fmt: skip
    chart = alt.layer(*layers).properties(
        width="container", height=height, title=title, padding={"left": 2, "right": 4, "top": 4, "bottom": 4},
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
    )  # fmt: skip
    chart = (
        chart.configure(font=FONT, background="transparent")
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=colours.quiet, titleColor=colours.quiet, labelFontSize=TEXT_PX, titleFontSize=TEXT_PX,
            titleFontWeight="normal", gridColor=colours.hairline, domainColor=colours.hairline,
            tickColor=colours.hairline, labelPadding=4, titlePadding=8,
        )
    )  # fmt: skip
    return Figure(chart, words.alt or f"{words.title}. {words.subtitle}")


def rows_of(rows: Rows) -> alt.Chart:
    """A chart of these rows, whatever is drawn of them."""
    return alt.Chart(alt.InlineData(values=list(rows)))


def down(field: str, height: int) -> alt.Y:
    """A position in pixels from the top."""
    return alt.Y(f"{field}:Q", scale=alt.Scale(domain=[0, height], range=[0, height], nice=False), axis=None)


def texts(rows: Rows, height: int, x: Any, look: Look, *, halo: bool = False) -> list[alt.Chart]:
    """Texts at (x, `y`): fields `text`, `ink` (a colour), and for all rows alike `align`, `dx`, `weight`."""
    if not rows:
        return []
    first = rows[0]
    mark = {
        "align": first.get("align", "left"), "dx": first.get("dx", 0), "baseline": "middle",
        "fontSize": first.get("size", TEXT_PX), "fontWeight": first.get("weight", "normal"), "limit": 0,
    }  # fmt: skip
    place = rows_of(rows).encode(x=x, y=down("y", height), text="text:N")
    written = place.mark_text(**mark).encode(color=alt.Color("ink:N", scale=None))
    if not halo:
        return [written]
    behind = place.mark_text(**mark, stroke=look.colours.surface, strokeWidth=4, strokeJoin="round", opacity=0.85)
    return [behind.encode(color=alt.value(look.colours.surface)), written]


def dash_of(field: str = "origin") -> alt.StrokeDash:
    """Solid is live, dashed simulated, dotted recorded."""
    origins = list(DASHES)
    scale = alt.Scale(domain=[o.value for o in origins], range=[DASHES[o] for o in origins])
    return alt.StrokeDash(f"{field}:N", scale=scale, legend=None)


def fill_of(origin: Origin) -> float:
    """How opaque a bar is: full for what was really measured, lighter for simulated and recorded."""
    return 0.9 if origin is Origin.LIVE else 0.3


def scale_note(log: bool) -> str:
    """What an axis title adds about its scale."""
    return _("logarithmic scale") if log else ""


def titled(text: str, log: bool) -> str:
    """An axis title, with the scale where it is not linear."""
    return f"{text} ({scale_note(log)})" if log else text
