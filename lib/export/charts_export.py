"""The charts of a result as PNG and SVG files: the page's own charts, on the page's own surface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from lib.charts import drawing
from lib.charts.drawing import Look
from lib.charts.limit_marks import sources_in
from lib.charts.palette import Theme
from lib.charts.result_charts import figures_of
from lib.charts.result_lanes import key_of, lanes_of
from lib.domain.run import Run
from lib.export.chart_foot import with_foot
from lib.export.drawn import pictures_of, svgs_of
from lib.provenance import footer
from lib.reading import ReadingSpeed

FileFormat = Literal["png", "svg"]
FORMATS: tuple[FileFormat, ...] = ("png", "svg")
WIDTH_PX = 800
MARGIN_PX = 20
PNG_SCALE = 2.0


def chart_files(
    run: Run, format: FileFormat = "png", *, speed: ReadingSpeed | None = None, theme: Theme = "light"
) -> dict[str, bytes]:
    """Every chart of the run that has something to draw: {"ttft.png": bytes, …}; PNG has two pixels for one.

    Raises lib.export.drawn.DrawingError.
    """
    look = Look(theme)
    figures = chart_figures(run, speed, look)
    how = footer(run, [lane.measured for lane in lanes_of(run, speed)])
    return files_of(figures, how, look, format)


def files_of(
    figures: Mapping[str, drawing.Figure], how: str, look: Look, format: FileFormat = "png"
) -> dict[str, bytes]:
    """These charts as files, `how` their figures came about at the foot. Raises lib.export.drawn.DrawingError."""
    specs = [framed(figure, WIDTH_PX, look) for figure in figures.values()]
    feet = [" · ".join(part for part in (how, sources_in(figure)) if part) for figure in figures.values()]
    svgs = [with_foot(svg, foot, look.colours) for svg, foot in zip(svgs_of(specs), feet, strict=True)]
    made = [svg.encode() for svg in svgs] if format == "svg" else pictures_of(svgs, PNG_SCALE)
    return {f"{name}.{format}": drawn for name, drawn in zip(figures, made, strict=True)}


def chart_figures(run: Run, speed: ReadingSpeed | None, look: Look) -> dict[str, drawing.Figure]:
    """The charts by name, in the order of the page; a chart with nothing to draw is not there."""
    figures = figures_of(key_of(run, speed), look)
    named = {name: getattr(figures, name) for name in figures.__slots__}
    return {name: figure for name, figure in named.items() if figure is not None}


def framed(figure: drawing.Figure, width_px: int, look: Look) -> dict[str, Any]:
    """The specification at a fixed width, on the surface of the theme, with a margin."""
    config = {**figure.spec["config"], "background": look.colours.surface}
    return {**figure.spec, "width": width_px, "padding": MARGIN_PX, "config": config}
