"""The colours of lanes, reader and page for charts, from the one table the browser's renderer also reads.

No chart is made here, and no colour is invented here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from lib.domain.run import Origin

Theme = Literal["light", "dark"]
PALETTE_FILE = Path(__file__).parents[1] / "data" / "palette.json"
DASHES: dict[Origin, list[float]] = {
    Origin.LIVE: [1, 0],
    Origin.SIMULATED: [6, 3],
    Origin.RECORDED: [1.5, 2.5],
}
FONT = '"Source Sans", "Source Sans 3", "Source Sans Pro", sans-serif'


@dataclass(frozen=True, slots=True)
class Palette:
    """One theme's colours as CSS texts."""

    lanes: tuple[str, ...]
    reader: str
    reader_band: str
    failed: str
    surface: str
    text: str
    quiet: str
    hairline: str

    def lane(self, index: int) -> str:
        """The colour of the lane with this place in the run; the ninth lane begins anew."""
        return self.lanes[index % len(self.lanes)]


@cache
def palette(theme: Theme) -> Palette:
    """The colours of one theme."""
    table = json.loads(PALETTE_FILE.read_text(encoding="utf-8"))
    named = {name: table[name][theme] for name in Palette.__slots__ if name != "lanes"}
    return Palette(lanes=tuple(lane[theme] for lane in table["lanes"]), **named)


def lane_colours(place: int) -> tuple[str, str]:
    """The colour of a lane in the light and in the dark theme."""
    return palette("light").lane(place), palette("dark").lane(place)
