"""All charts of one run, made once and remembered: the page and every export draw these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from altair.utils.schemapi import debug_mode

from lib.charts import drawing
from lib.charts.bar_charts import throughput_chart, ttft_chart
from lib.charts.chart_reader import band_of
from lib.charts.curve_chart import curve_chart
from lib.charts.drawing import Look
from lib.charts.gap_charts import arrival_chart, gap_chart
from lib.charts.result_lanes import KEPT, ResultKey, ResultLane, lanes_of
from lib.domain.run import Run
from lib.i18n import _
from lib.provenance import mode_words


def subtitle_of(run: Run, lanes: Sequence[ResultLane]) -> str:
    """Mode and token source, for every chart."""
    counted = {lane.measured.is_estimated for lane in lanes if lane.measured.output_tokens is not None}
    sources = {
        frozenset({False}): _("tokens: usage of the servers"),
        frozenset({True}): _("tokens: estimated from the text"),
    }
    source = sources.get(frozenset(counted), _("usage of the servers, ~ estimated"))
    return f"{mode_words(run.mode)} · {source}"


@dataclass(frozen=True, slots=True)
class Figures:
    """The charts of a result; None where there is nothing to draw."""

    ttft: drawing.Figure | None
    throughput: drawing.Figure | None
    curves: drawing.Figure | None
    arrivals: drawing.Figure | None
    gaps: drawing.Figure | None


@lru_cache(KEPT)
def figures_of(key: ResultKey, look: Look) -> Figures:
    """All charts of a run, built without Altair's validation (the tests validate them)."""
    run, lanes = key.run, lanes_of(key.run, key.reading)
    subtitle = subtitle_of(run, lanes)
    with debug_mode(False):
        return Figures(
            ttft_chart(lanes, subtitle, look),
            throughput_chart(lanes, band_of(lanes), subtitle, look),
            curve_chart(lanes, subtitle, look),
            arrival_chart(lanes, subtitle, look),
            gap_chart(lanes, subtitle, look),
        )
