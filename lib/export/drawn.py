"""SVG and PNG without a browser, in the sans of the pages: vl-convert with Source Sans Pro from its package.

Characters that font does not have come from the fonts of the machine.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import vl_convert

FONT_PACKAGE = "font_source_sans_pro"


def svg_of(spec: dict[str, Any]) -> str:
    """The Vega-Lite specification as an SVG document."""
    _fonts()
    return str(vl_convert.vegalite_to_svg(spec))


def png_of(svg: str, scale: float = 1.0) -> bytes:
    """The SVG document as PNG, `scale` pixels for one of its own."""
    _fonts()
    return bytes(vl_convert.svg_to_png(svg, scale=scale))


@cache
def _fonts() -> None:
    """Make the packaged fonts known, once per process."""
    found = find_spec(FONT_PACKAGE)
    if found is not None and found.origin is not None:
        vl_convert.register_font_directory(str(Path(found.origin).parent / "files"))
