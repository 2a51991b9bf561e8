"""The look all charts share: titles, axes, bars in rows of fixed height, texts with a halo.

Charts are placed in pixels downwards (a row is a caption and what stands under it), so that every label has
room at any width and eight lanes fit. Horizontal positions are data. What is drawn is in `bar_charts.py`,
`curve_chart.py` and `gap_charts.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from lib.charts.lines import lines
from lib.charts.palette import DASHES, FONT, Palette, Theme, palette
from lib.domain.run import Origin
from lib.i18n import _

TEXT_PX = 13
LINE_PX = 18
CHARACTER_PX = 6.6  # mean width of a text's character, for what must be known before drawing
SUBTITLE_COLUMNS = 54  # characters of a subtitle line that fit into a phone's width
TITLE_COLUMNS = 46  # of a title: a longer one would take a phone's plot its width
LOG_RATIO = 20.0  # above this between largest and smallest bar the scale is logarithmic
Rows = Sequence[dict[str, Any]]
WITHIN = alt.ExprRef("width")  # no text is longer than the plot is wide


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
    """A Vega-Lite specification ready to be shown, with its text for those who cannot see it."""

    spec: dict[str, Any]
    alt: str


class Sheet:
    """One chart while it is made: the rows of its layers, and the layers in drawing order.

    Rows are kept beside the layers and named, since Altair copies everything inside a layer many times.
    """

    def __init__(self, look: Look, height: int) -> None:
        self.look = look
        self.height = height
        self._layers: list[alt.Chart] = []
        self._rows: dict[str, list[dict[str, Any]]] = {}

    def rows(self, rows: Rows) -> alt.Chart:
        """A chart of these rows, whatever is drawn of them."""
        name = f"rows{len(self._rows)}"
        self._rows[name] = list(rows)
        return alt.Chart(alt.NamedData(name=name))

    def draw(self, *layers: alt.Chart) -> None:
        """Put layers on top."""
        self._layers.extend(layers)

    def down(self, field: str) -> alt.Y:
        """A position in pixels from the top."""
        scale = alt.Scale(domain=[0, self.height], range=[0, self.height], nice=False)
        return alt.Y(field=field, type="quantitative", scale=scale, axis=None)

    def write(
        self, rows: Rows, x: Any, y: Any = None, *, halo: bool = False,
        tooltip: Sequence[alt.Tooltip] = (), **mark: Any,
    ) -> None:  # fmt: skip
        """Texts at (x, y): fields `text` and `ink` (a colour); `y` None is the field `y` in pixels.

        `mark` are properties of the text mark; a `text` or a `color` among them takes the place of the field.
        """
        if not rows:
            return
        y = self.down("y") if y is None else y
        style = {"align": "left", "baseline": "middle", "fontSize": TEXT_PX, "limit": WITHIN, **mark}
        place = self.rows(rows).encode(x=x, y=y)
        if tooltip:
            place = place.encode(tooltip=list(tooltip))
        if "text" not in mark:
            place = place.encode(text=alt.Text(field="text", type="nominal"))
        if halo:
            surface = self.look.colours.surface
            behind = style | {"color": surface, "stroke": surface, "strokeWidth": 4, "strokeJoin": "round"}
            self.draw(place.mark_text(**behind))
        drawn = place.mark_text(**style)
        self.draw(drawn if "color" in mark else drawn.encode(color=own_colour("ink")))

    def finished(self, words: Words) -> Figure:
        """The chart in the common look, as wide as its place.

        Altair makes the layers; its own joining and validation cost ten times the rest, so the layers are joined
        here and the tests validate every chart.
        """
        colours = self.look.colours
        subtitle = [
            line for part in words.subtitle.splitlines() for line in lines(part, SUBTITLE_COLUMNS)
        ]
        title = {
            "text": _title_lines(words.title), "subtitle": subtitle, "anchor": "start", "frame": "bounds", "fontSize": 15,
            "fontWeight": 600, "subtitleFontSize": TEXT_PX, "offset": 12, "color": colours.text,
            "subtitleColor": colours.quiet, "subtitleLineHeight": LINE_PX, "subtitlePadding": 4,
        }  # fmt: skip
        spec = {
            "$schema": alt.SCHEMA_URL, "title": title, "width": "container", "height": self.height,
            "padding": {"left": 2, "right": 4, "top": 4, "bottom": 4},
            "autosize": {"type": "fit-x", "contains": "padding"},
            "layer": [_layer(layer) for layer in self._layers],
            "datasets": self._rows, "config": _config(colours),
        }  # fmt: skip
        return Figure(spec, words.alt or f"{words.title}. {words.subtitle}")


def _title_lines(title: str) -> list[str]:
    """The title in lines that fit into a phone's width; a number stays with its per cent."""
    return lines(title.replace(" %", "\N{NO-BREAK SPACE}%"), TITLE_COLUMNS)


def _layer(chart: alt.Chart) -> dict[str, Any]:
    """The parts of a layer; on hover it says its tooltip or nothing, never the bare fields of its row."""
    parts = chart.to_dict(validate=False)
    layer: dict[str, Any] = {name: parts[name] for name in ("data", "mark", "encoding") if name in parts}
    if "tooltip" not in layer.get("encoding", {}):
        mark = layer["mark"]
        layer["mark"] = {**({"type": mark} if isinstance(mark, str) else mark), "tooltip": None}
    return layer


def own_colour(field: str = "colour") -> alt.Color:
    """The colour is in the row itself."""
    return alt.Color(field=field, type="nominal", scale=None, legend=None)


def _config(colours: Palette) -> dict[str, Any]:
    quiet, line = colours.quiet, colours.hairline
    axis = {
        "labelColor": quiet, "titleColor": quiet, "labelFontSize": TEXT_PX, "titleFontSize": TEXT_PX,
        "titleFontWeight": "normal", "gridColor": line, "domainColor": line, "tickColor": line,
        "labelPadding": 4, "titlePadding": 8, "domain": False, "ticks": False,
    }  # fmt: skip
    return {"font": FONT, "background": "transparent", "view": {"stroke": None}, "axis": axis}


def dash_of(field: str = "origin") -> alt.StrokeDash:
    """Solid is live, dashed simulated, dotted recorded."""
    origins = list(DASHES)
    scale = alt.Scale(domain=[o.value for o in origins], range=[DASHES[o] for o in origins])
    return alt.StrokeDash(field=field, type="nominal", scale=scale, legend=None)


def fill_of(origin: Origin) -> float:
    """How opaque a bar is: full for what was really measured, lighter for simulated and recorded."""
    return 0.9 if origin is Origin.LIVE else 0.3


def scale_note(log: bool) -> str:
    """What an axis title adds about its scale."""
    return _("logarithmic scale") if log else ""


def titled(text: str, log: bool) -> str:
    """An axis title, with the scale where it is not linear."""
    return f"{text} ({scale_note(log)})" if log else text
