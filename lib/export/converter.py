"""The process that draws: JSON jobs on stdin, JSON results on stdout; `lib/export/drawn.py` starts it.

A process of its own since the converter holds the interpreter for seconds (no live race may stand still for an
export) and ends its process at texts it cannot take.
"""

from __future__ import annotations

import base64
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import orjson
import vl_convert

FONT_PACKAGE = "font_source_sans_pro"


def main() -> None:
    """Draw every job: `{"spec"}` or `{"svg"}`, as SVG, or as PNG when there is a `scale`."""
    found = find_spec(FONT_PACKAGE)
    if found is not None and found.origin is not None:
        vl_convert.register_font_directory(str(Path(found.origin).parent / "files"))
    results = [base64.b64encode(_draw(job)).decode() for job in orjson.loads(sys.stdin.buffer.read())]
    sys.stdout.buffer.write(orjson.dumps(results))


def _draw(job: dict[str, Any]) -> bytes:
    svg = job["svg"] if "svg" in job else str(vl_convert.vegalite_to_svg(job["spec"]))
    return bytes(vl_convert.svg_to_png(svg, scale=job["scale"])) if "scale" in job else svg.encode()


if __name__ == "__main__":
    main()
