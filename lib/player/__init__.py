"""The one renderer of a race (live page and replay file): ES modules here, joined into one inline script.

Not a bundler: the modules import each other by name only, so joining them is dropping those lines. Colours
come from `lib/data/palette.json`, the words from `lib/player/words.py`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

_HERE = Path(__file__).parent
PALETTE_PATH = _HERE.parent / "data" / "palette.json"
MODULES = (
    "words", "format", "reader", "estimate", "lane_model", "task_model", "clock", "stream", "elements", "text_pane",
    "lane_text", "cursor", "failure_box", "lane_words", "lane_foot", "lane_view", "reader_view", "track_scale",
    "track_values", "track_pen", "track_choices", "track_limits", "track", "theme", "headline", "how_box",
    "how_words", "stage", "replay", "replay_bar", "replay_control", "presenting", "player", "mount",
)  # fmt: skip

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./\w+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default\b)", re.MULTILINE)


def source() -> tuple[str, str]:
    """The player as (javascript, css); the script's only export is the component's default function."""
    parts = (_module(name) for name in MODULES)
    return "\n".join(parts), palette_css() + (_HERE / "player.css").read_text("utf-8")


def palette_css() -> str:
    """The palette as CSS variables of `.tr`, one block for each theme."""
    palette = json.loads(PALETTE_PATH.read_text("utf-8"))
    return "".join(_theme_css(palette, theme) for theme in ("light", "dark"))


def _theme_css(palette: dict[str, object], theme: str) -> str:
    lanes = palette["lanes"]
    assert isinstance(lanes, list)
    rows = [f"--tr-lane-{index}: {lane[theme]};" for index, lane in enumerate(lanes)]
    for name, pair in palette.items():
        if isinstance(pair, dict):
            rows.append(f"--tr-{name.replace('_', '-')}: {pair[theme]};")
    return f'.tr[data-theme="{theme}"] {{\n  ' + "\n  ".join(rows) + "\n}\n"


def _module(name: str) -> str:
    text = (_HERE / f"{name}.js").read_text("utf-8")
    return _EXPORT.sub("", _IMPORT.sub("", text))
