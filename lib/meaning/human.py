"""How fast people take in a language: reading silently or aloud, skimming, listening.

Silent and aloud speeds are of studies, by language. Skimming and listening were found for English only; in
other languages they are estimated from the silent speed by the English ratio, and say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lib.i18n import _
from lib.metrics.quantity import Unavailable
from lib.reading import Unit, aloud_speed, speed

_BASELINES = {"skim": "skim", "listen": "speech"}  # ids of human_baselines.csv


class Way(StrEnum):
    """A way to take in a text."""

    SILENT = "silent"
    ALOUD = "aloud"
    SKIM = "skim"
    LISTEN = "listen"


@dataclass(frozen=True, slots=True)
class Pace:
    """Units per minute of one way; `is_estimate` where no study of this language gives it."""

    way: Way
    unit: Unit
    per_min: float
    is_estimate: bool
    source: str


def pace(lang: str, way: Way) -> Pace | Unavailable:
    """How fast people take in a language in one way; a reason where nothing is known."""
    silent = speed(lang)
    if way is Way.SILENT:
        return Pace(way, silent.unit, silent.per_min, "estimate" in silent.source.lower(), silent.source)
    if way is Way.ALOUD:
        aloud = aloud_speed(lang)
        if aloud is None:
            return Unavailable(_("No study of reading aloud in this language was found."))
        return Pace(way, aloud.unit, aloud.per_min, False, aloud.source)
    english = speed(_BASELINES[way])
    per_min = silent.per_min * english.per_min / speed("en").per_min
    told = english.source if lang == "en" else _("the English ratio to silent reading; {source}").format(
        source=english.source)  # fmt: skip
    return Pace(way, silent.unit, per_min, lang != "en", told)


def times_human(units_per_s: float, pace_there: Pace) -> float:
    """How many times as fast as that person: units/s / (units/min / 60)."""
    return units_per_s / (pace_there.per_min / 60)
