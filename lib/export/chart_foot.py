"""The foot of a chart in a file: how its figures came about, in small lines under the picture."""

from __future__ import annotations

import re

from lib.charts.palette import Palette
from lib.export.card_text import Piece, flow

FOOT_PX = 11
LINE_PX = 15
EDGE_PX = 20
MOST_LINES = 12
_SIZE = re.compile(r'<svg [^>]*?\bwidth="([\d.]+)" height="([\d.]+)" viewBox="0 0 [\d.]+ [\d.]+"')


def with_foot(svg: str, how: str, colours: Palette) -> str:
    """The SVG made higher by the lines of `how`; the same where it has no size of its own."""
    found = _SIZE.search(svg)
    if found is None:
        return svg
    width, height = float(found[1]), float(found[2])
    lines = flow([Piece(how, colours.quiet)], EDGE_PX, height - 8, width - 2 * EDGE_PX, FOOT_PX, most=MOST_LINES)
    whole = height + LINE_PX * len(lines) + EDGE_PX - 8
    ground = f'<rect y="{height - 1:g}" width="{width:g}" height="{whole - height + 1:g}" fill="{colours.surface}"/>'
    sized = found[0].replace(f'height="{found[2]}"', f'height="{whole:g}"')
    sized = re.sub(r'viewBox="0 0 ([\d.]+) [\d.]+"', rf'viewBox="0 0 \1 {whole:g}"', sized)
    return svg.replace(found[0], sized, 1).removesuffix("</svg>") + ground + "".join(lines) + "</svg>"
