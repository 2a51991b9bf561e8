"""The charts of the speed models: valid Vega-Lite, nothing hidden under the names, words for those who cannot see."""

from __future__ import annotations

from itertools import pairwise

import altair as alt
import pytest

from lib.charts.drawing import Figure, Look, Words
from lib.charts.limit_charts import DASHED, Axis, Bar, Curve, Mark, bar_chart, line_chart

WORDS = Words("Speed", "of a machine")
CURVES = [
    Curve("each", [(1, 200), (64, 50)], 0, has_points=True),
    Curve("all", [(1, 200), (64, 3200)], 1, DASHED),
]


def texts(figure: Figure) -> list[str]:
    return [row["text"] for rows in figure.spec["datasets"].values() for row in rows if "text" in row]


@pytest.mark.parametrize("log", [True, False])
def test_a_line_chart_is_valid_and_names_its_curves_and_marks(log: bool) -> None:
    figure = line_chart(
        CURVES, Axis("users", log), Axis("tok/s", log), WORDS, Look("dark"), [Mark(8, "knee")]
    )
    assert figure is not None
    alt.Chart.from_dict(figure.spec)
    assert "━━ each" in texts(figure)
    assert "╍╍ all" in texts(figure)
    assert "knee" in texts(figure)


@pytest.mark.parametrize("log", [True, False])
def test_names_stand_above_every_point(log: bool) -> None:
    figure = line_chart(CURVES, Axis("users", True), Axis("tok/s", log), WORDS, Look(), [Mark(8, "knee")])
    assert figure is not None
    levels = {row["level"] for rows in figure.spec["datasets"].values() for row in rows if "level" in row}
    assert min(levels) > 3200
    assert all(above > below for below, above in pairwise(sorted(levels)))


def test_every_layer_of_a_line_chart_has_the_same_upward_scale() -> None:
    figure = line_chart(CURVES, Axis("users"), Axis("tok/s"), WORDS, Look(), [Mark(8, "knee")])
    assert figure is not None
    scales = [layer["encoding"]["y"]["scale"] for layer in figure.spec["layer"]]
    assert all(scale == scales[0] for scale in scales)


def test_a_bar_chart_is_valid_and_becomes_logarithmic_when_the_ratio_asks_for_it() -> None:
    bars = [Bar("slow", 4, "4 tok/s"), Bar("fast", 400, "400 tok/s", ideal=500, is_assumed=True)]
    figure = bar_chart(bars, "tok/s", WORDS, Look(), [Mark(750, "wanted")])
    assert figure is not None
    alt.Chart.from_dict(figure.spec)
    assert "logarithmic" in str(figure.spec)
    assert "slow: 4 tok/s; fast: 400 tok/s" in figure.alt


def test_nothing_to_draw_is_no_chart() -> None:
    assert line_chart([], Axis("x"), Axis("y"), WORDS, Look()) is None
    assert line_chart([Curve("none", [], 0)], Axis("x"), Axis("y"), WORDS, Look()) is None
    assert bar_chart([], "x", WORDS, Look()) is None
