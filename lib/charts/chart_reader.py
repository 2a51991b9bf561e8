"""The person reading, in the unit of the throughput chart: tokens per second of the text at hand."""

from __future__ import annotations

from collections.abc import Sequence

from lib import numbers
from lib.charts.bar_charts import Band
from lib.charts.result_lanes import ResultLane
from lib.i18n import _
from lib.metrics.quantity import number


def first_to_answer(lanes: Sequence[ResultLane]) -> ResultLane | None:
    """The lane whose answer began first on the run's clock: the one the reader follows on the live track."""
    answered = [lane for lane in lanes if lane.measured.time.answer_chunks]
    return min(answered, key=lambda lane: lane.measured.time.answer_chunks[0].at_ns, default=None)


def band_of(lanes: Sequence[ResultLane]) -> Band | None:
    """The reading speed in o200k_base tokens per second of the text the reader follows, with most adults' span."""
    lane = first_to_answer(lanes)
    tps = number(lane.figures["reader_tok_s"]) if lane else None
    if lane is None or not tps:
        return None
    speed = lane.speed
    text = _("a person reading: {rate} of this text").format(rate=numbers.rate(tps))
    return Band(tps * speed.lo / speed.per_min, tps, tps * speed.hi / speed.per_min, text)
