"""SVG and PNG without a browser, in the sans of the pages: vl-convert with Source Sans Pro from its package.

Characters that font does not have come from the fonts of the machine. Every text is freed of characters that XML
does not have before it gets there: the converter ends the whole process at some of them.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import vl_convert

_NOT_XML = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
FONT_PACKAGE = "font_source_sans_pro"


def svg_of(spec: dict[str, Any]) -> str:
    """The Vega-Lite specification as an SVG document."""
    _fonts()
    return str(vl_convert.vegalite_to_svg(_drawable(spec)))


def png_of(svg: str, scale: float = 1.0) -> bytes:
    """The SVG document as PNG, `scale` pixels for one of its own."""
    _fonts()
    svg = drawable_text(svg)
    return bytes(vl_convert.svg_to_png(svg, scale=scale))


def drawable_text(text: str) -> str:
    """The text with a replacement character for each that XML does not have (controls, halves of characters)."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _drawable(value: Any) -> Any:
    if isinstance(value, str):
        return drawable_text(value)
    if isinstance(value, dict):
        return {key: _drawable(item) for key, item in value.items()}
    return [_drawable(item) for item in value] if isinstance(value, list | tuple) else value


@cache
def _fonts() -> None:
    """Make the packaged fonts known, once per process."""
    found = find_spec(FONT_PACKAGE)
    if found is not None and found.origin is not None:
        vl_convert.register_font_directory(str(Path(found.origin).parent / "files"))
