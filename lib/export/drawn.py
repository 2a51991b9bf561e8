"""SVG and PNG without a browser: vl-convert in a process of its own, in Source Sans Pro from its package.

Characters that font does not have come from the fonts of the machine. Every text is freed of characters that XML
does not have before it gets there: the converter ends its process at some of them.
"""

from __future__ import annotations

import base64
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from lib.server_process import environment

LIMIT_S = 120.0
_ROOT = Path(__file__).resolve().parents[2]
_NOT_XML = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
Spec = dict[str, Any]


class DrawingError(RuntimeError):
    """The pictures could not be drawn; the message says why."""


def svgs_of(specs: Sequence[Spec]) -> list[str]:
    """The Vega-Lite specifications as SVG documents. Raises DrawingError."""
    return [drawn.decode() for drawn in _draw([{"spec": spec} for spec in specs])]


def pngs_of(specs: Sequence[Spec], scale: float) -> list[bytes]:
    """The Vega-Lite specifications as PNG, `scale` pixels for one of their own. Raises DrawingError."""
    return _draw([{"spec": spec, "scale": scale} for spec in specs])


def pictures_of(svgs: Sequence[str], scale: float) -> list[bytes]:
    """The SVG documents as PNG, `scale` pixels for one of their own. Raises DrawingError."""
    return _draw([{"svg": svg, "scale": scale} for svg in svgs])


def png_of(svg: str, scale: float = 1.0) -> bytes:
    """The SVG document as PNG, `scale` pixels for one of its own. Raises DrawingError."""
    return pictures_of([svg], scale)[0]


def drawable_text(text: str) -> str:
    """The text with a replacement character for each that XML does not have (controls, halves of characters)."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _draw(jobs: list[dict[str, Any]]) -> list[bytes]:
    if not jobs:
        return []
    command = [sys.executable, "-m", "lib.export.converter"]
    try:
        done = subprocess.run(  # noqa: S603
            command, input=orjson.dumps(_drawable(jobs)), capture_output=True, cwd=_ROOT, env=environment(),
            timeout=LIMIT_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DrawingError(f"the pictures could not be drawn: {type(error).__name__}") from error
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise DrawingError(f"the pictures could not be drawn: {''.join(last) or done.returncode}")
    return [base64.b64decode(result) for result in orjson.loads(done.stdout)]


def _drawable(value: Any) -> Any:
    if isinstance(value, str):
        return drawable_text(value)
    if isinstance(value, dict):
        return {key: _drawable(item) for key, item in value.items()}
    return [_drawable(item) for item in value] if isinstance(value, list | tuple) else value
