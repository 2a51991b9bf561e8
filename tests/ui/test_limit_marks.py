"""Response-time limits on the charts: on every axis of time that reaches them, nowhere else, never in the way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.charts.bar_charts import ttft_chart
from lib.charts.drawing import Figure, Look
from lib.charts.limit_charts import Axis, Curve, line_chart
from lib.charts.limit_marks import TimeAxis, _place_labels, _row, _shown, strip_px
from lib.charts.result_charts import figures_of
from lib.charts.result_lanes import key_of, lanes_of
from lib.charts.waterfall import Stretch, TimeRow, Words, steps_chart, strips_chart
from lib.response_limits import response_limits
from tests.ui.made_runs import answered, backend, run_of

ANSWER = "a lighthouse keeper trimmed the wick each night and wrote the hour into the log " * 8
CHARACTER_PX, WIDTHS = 5.6, {"text": 480, "short": 300}
WORDS = Words("Where the time goes", "x")


def marks(figure: Figure | None) -> list[str]:
    """The names of the limits that a chart draws, each once."""
    assert figure is not None
    rows = [row for its in figure.spec["datasets"].values() for row in its if "meaning" in row]
    assert all(row["source"] for row in rows)
    return sorted({str(row["label"]) for row in rows})


def figures(first_ms: int, gap_ms: int = 20) -> Any:
    run = run_of([backend("A"), backend("B")], [answered(0, ANSWER, first_ms=first_ms, gap_ms=gap_ms),
                                                answered(1, ANSWER, first_ms=first_ms // 2, gap_ms=gap_ms)])  # fmt: skip
    return figures_of(key_of(run, None), Look())


def labels(*ids: str) -> list[str]:
    return sorted(limit.label for limit in response_limits() if limit.id in ids)


def test_a_chart_of_times_has_the_limits_it_reaches_and_no_more() -> None:
    assert marks(figures(90).ttft) == []
    assert marks(figures(150).ttft) == labels("instant")
    assert marks(figures(900).ttft) == labels("instant", "voice-turn")
    assert marks(figures(12_000).ttft) == labels("instant", "voice-turn", "flow", "attention")
    assert marks(figures(90).arrivals) == labels("instant", "voice-turn", "flow")
    assert marks(figures(90).curves) == labels("instant", "voice-turn", "flow")
    assert marks(figures(90, gap_ms=700).gaps) == labels("voice-turn")
    assert marks(figures(900).throughput) == []


@pytest.mark.parametrize("seconds", [0.05, 0.5, 3.0, 40.0])
def test_the_clock_of_a_task_has_them_as_well(seconds: float) -> None:
    rows = [TimeRow("A, live", (Stretch("answer", 0.0, seconds, "1"),), "")]
    reached = [limit.label for limit in response_limits() if limit.lo_s < seconds]
    assert marks(strips_chart(rows, WORDS, Look())) == marks(steps_chart(rows, WORDS, Look())) == sorted(reached)


def test_an_axis_of_time_that_goes_up_has_them_and_other_axes_do_not() -> None:
    curve = Curve("TTFT", [(1.0, 90.0), (64.0, 1500.0)], 0)
    assert marks(line_chart([curve], Axis("users"), Axis("ms", per_s=1000.0), WORDS, Look())) == labels(
        "instant", "voice-turn", "flow"
    )
    assert marks(line_chart([curve], Axis("users"), Axis("tokens per second"), WORDS, Look())) == []


def test_no_mark_makes_an_axis_longer() -> None:
    chart = ttft_chart(lanes_of(run_of([backend("A")], [answered(0, ANSWER, first_ms=640)]), None), "", Look())
    assert chart is not None
    ends = {tuple(layer["encoding"]["x"]["scale"]["domain"]) for layer in chart.spec["layer"]
            if "scale" in layer["encoding"].get("x", {})}  # fmt: skip
    assert ends == {(0.0, 640.0)}
    rows = [row for its in chart.spec["datasets"].values() for row in its if "meaning" in row]
    assert all(max(row["value"], row.get("high", 0.0)) <= 640.0 for row in rows)


AXES = st.builds(
    TimeAxis,
    low=st.just(0.0),
    high=st.floats(0.05, 500.0),
    per_s=st.just(1.0),
    room_px=st.floats(0.0, 200.0),
) | st.builds(
    TimeAxis, low=st.sampled_from([0.001, 0.01, 0.1]), high=st.floats(0.5, 500.0), per_s=st.just(1.0), log=st.just(True)
)


@given(AXES, st.sampled_from([0, 112]))
def test_names_never_meet_and_never_leave_a_plot_of_the_width_they_are_made_for(axis: TimeAxis, left_px: int) -> None:
    rows = [_row(limit, axis, "at") for limit in _shown(axis)]
    _place_labels(rows, axis, "at", left_px)
    for key, width_px in WIDTHS.items():
        free = 0.0
        for row in rows:
            begin = axis.share(row["at"]) * (width_px - left_px - axis.room_px)
            assert not row[key] or begin >= free
            free = begin + len(row[key]) * CHARACTER_PX if row[key] else free
        assert free <= width_px - left_px


@given(AXES)
def test_the_axis_moves_away_only_for_names_that_are_there(axis: TimeAxis) -> None:
    assert bool(strip_px(axis)) == bool(_shown(axis))
    assert not _shown(replace(axis, high=max(0.09, axis.low), low=0.0, log=False))
