"""The person reading, in the units of the charts: tok/s of the texts at hand, and a line over time."""

from __future__ import annotations

from collections.abc import Sequence

from lib import numbers
from lib.i18n import _
from lib.metrics.quantity import number
from lib.ui.bar_charts import Band
from lib.ui.result_lanes import ResultLane


def band_of(lanes: Sequence[ResultLane]) -> Band | None:
    """The reading speed in o200k_base tokens per second of these answers, with the span of most adults.

    Tokens of all answers / seconds to read all of them; None when no answer can be read.
    """
    readable = [
        (lane, number(lane.figures["time_to_read_s"]), lane.measured.counts.answer) for lane in lanes
    ]
    known = [(lane, seconds, tokens) for lane, seconds, tokens in readable if seconds and tokens]
    if not known:
        return None
    tps = sum(tokens for _lane, _s, tokens in known) / sum(seconds for _lane, seconds, _t in known)
    speed = known[0][0].speed
    low, high = tps * speed.lo / speed.per_min, tps * speed.hi / speed.per_min
    text = _("a person reading: {rate} of this text").format(rate=numbers.rate(tps))
    return Band(low, tps, high, text)
