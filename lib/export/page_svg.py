"""A chart's SVG made fit to stand in a page: small, in the page's own font, its colours following the theme.

Hundreds of equal strokes become a few paths that look the same; what a screen reader gets is one sentence.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from html import escape

from lib.charts.palette import palette

_LINES = re.compile(r'(?:<line transform="translate\([^"]*\)" x2="0" y2="[^"]*"[^>]*/>)+')
_LINE = re.compile(r'<line transform="translate\(([-\d.]+),([-\d.]+)\)" x2="0" y2="([-\d.]+)"([^>]*)/>')
_DROPPED = re.compile(
    r' (?:aria-[\w-]+|role|pointer-events|font-family|stroke-miterlimit|class)="[^"]*"| opacity="1"'
)
_EMPTY = re.compile(r'<path(?: d="")? display="none"/>|<path d="M0,0h0v0h0Z"/>|<g/>')
_EMPTY_GROUP = re.compile(r"<g(?: [^<>]*)?></g>")
_LONG_NUMBER = re.compile(r"(\d+\.\d\d)\d+")
_OPACITY = re.compile(r' opacity="([\d.]+)"')
_TAG = re.compile(r"<[^>]+>")
_COUNTS_APART = 6  # strokes on one place beyond this look alike


def page_svg(svg: str, name: str, alt: str, css_class: str) -> str:
    """The SVG of a light chart for a page with the palette as CSS variables; `name` keeps its ids apart."""
    body = _DROPPED.sub("", svg)
    body = _LINES.sub(lambda found: _strokes(found[0]), body)
    body = _TAG.sub(lambda tag: _coloured(_LONG_NUMBER.sub(r"\1", tag[0])), body)
    body = re.sub(r"\bclip(\d+)", rf"{name}-clip\1", body)
    body = _without_empty(body)
    start = body.index(">") + 1
    size = re.search(r'viewBox="([^"]*)"', body[:start])
    box = size[1] if size else "0 0 560 300"
    return f'<svg class="{css_class}" viewBox="{box}" role="img" aria-label="{escape(alt)}">{body[start:]}'


def _strokes(lines: str) -> str:
    """Upright lines of one style as one path for each number of lines that share a place (half a pixel)."""
    places: dict[str, Counter[tuple[float, str, str]]] = defaultdict(Counter)
    for x, y, height, style in _LINE.findall(lines):
        places[style][round(float(x) * 2) / 2, y, height] += 1
    return "".join(_paths(style, counted) for style, counted in places.items())


def _paths(style: str, counted: Counter[tuple[float, str, str]]) -> str:
    by_count: dict[int, list[str]] = defaultdict(list)
    for (x, y, height), count in counted.items():
        by_count[min(count, _COUNTS_APART)].append(f"M{x:g} {y}v{height}")
    return "".join(
        f'<path d="{"".join(steps)}"{_stacked(style, count)}/>' for count, steps in sorted(by_count.items())
    )


def _stacked(style: str, count: int) -> str:
    """The style of `count` strokes over each other: opacity 1 - (1 - a)^count."""
    return _OPACITY.sub(lambda found: f' opacity="{1 - (1 - float(found[1])) ** count:.2f}"', style)


def _coloured(tag: str) -> str:
    for colour, variable in _variables().items():
        tag = tag.replace(f'"{colour}"', f'"var({variable})"')
    return tag


def _variables() -> dict[str, str]:
    light = palette("light")
    named = {
        light.text: "--tr-text", light.quiet: "--tr-quiet", light.hairline: "--tr-hairline",
        light.surface: "--tr-surface", light.reader: "--tr-reader", light.reader_band: "--tr-reader-band",
        light.failed: "--tr-failed",
    }  # fmt: skip
    return named | {colour: f"--tr-lane-{index}" for index, colour in enumerate(light.lanes)}


def _without_empty(body: str) -> str:
    while True:
        less = _EMPTY_GROUP.sub("", _EMPTY.sub("", body))
        if less == body:
            return body
        body = less
