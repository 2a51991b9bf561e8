"""A lane of a recorded run as a speed and a text to begin with."""

from __future__ import annotations

from dataclasses import dataclass

from lib.domain.run import Run
from lib.i18n import _
from lib.metrics.measurement import measure
from lib.metrics.quantity import Unavailable
from lib.metrics.rates import decode_rate


@dataclass(frozen=True, slots=True)
class KeptSpeed:
    """What one lane said, and how fast: in its own tokens, and in those of o200k_base."""

    name: str
    text: str
    own_tps: float
    tps: float


def kept_speed(run: Run, lane: int) -> KeptSpeed | Unavailable:
    """The decode rate of a lane x (tokens of its visible text by o200k_base / its own count of them), and its answer.

    A reason when the lane has no decode rate or no answer text.
    """
    measured = measure(run.generations[lane], run.backends[lane])
    rate = decode_rate(measured)
    if isinstance(rate, Unavailable):
        return rate
    if not measured.answer.strip():
        return Unavailable(_("No answer text came."))
    own, normalised = measured.visible_tokens, measured.counts.visible
    factor = normalised / own if own and normalised else 1.0
    return KeptSpeed(run.backends[lane].name, measured.answer, float(rate.value), float(rate.value) * factor)
