"""Speeds to begin with: the simulator's profiles and published speeds, each with its source and its date."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lib.simulator.profiles import load_profiles

TABLE = Path(__file__).resolve().parents[1] / "data" / "published_speeds.csv"


@dataclass(frozen=True, slots=True)
class SpeedPreset:
    """A speed in output tokens per second that somebody published, or that a simulated backend has."""

    id: str
    name: str
    tps: float
    date: str  # of the publication: a year, a month or a day
    basis: str
    source: str


@cache
def speed_presets() -> tuple[SpeedPreset, ...]:
    """Profiles of the simulator first, then published speeds from the newest on."""
    profiles = [
        SpeedPreset(one.id, one.label, one.tok_s, one.price_date, one.tok_s_basis, one.source)
        for one in load_profiles()
    ]
    return (*profiles, *sorted(_published(), key=lambda one: one.date, reverse=True))


def speed_preset(id_: str) -> SpeedPreset | None:
    """The preset of that id."""
    return next((one for one in speed_presets() if one.id == id_), None)


def _published() -> list[SpeedPreset]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [
            SpeedPreset(
                f"published-{place}", f"{row['model']}, {row['provider']}", float(row["tok_s"]), row["date"],
                row["kind"], row["source"],
            )
            for place, row in enumerate(csv.DictReader(file))
        ]  # fmt: skip
