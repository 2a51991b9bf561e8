"""The charts of a task: valid Vega-Lite, every stretch of time drawn, failed rows told apart."""

from __future__ import annotations

import altair as alt
import pytest

from lib.charts.drawing import Figure, Look, Words
from lib.charts.palette import Theme
from lib.charts.waterfall import (
    KINDS,
    GainRow,
    Stretch,
    TimeRow,
    gains_chart,
    kind_colours,
    steps_chart,
    strips_chart,
)

ROWS = [
    TimeRow("A, live", tuple(Stretch(kind, n, n + 1.0, "1 search") for n, kind in enumerate(KINDS)), "7.0 s"),
    TimeRow("B, simulated", (), "failed", has_failed=True),
]
GAINS = [GainRow("A", 0, ((1.0, 1.0), (14.0, 3.0), (1000.0, 3.4)), "at most 3.4×")]
WORDS = Words("Where the time goes", "all on one clock", "A: 7.0 s; B: failed")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_chart_is_valid_and_speaks(theme: Theme) -> None:
    look = Look(theme)
    figures = strips_chart(ROWS, WORDS, look), steps_chart(ROWS, WORDS, look), gains_chart(GAINS, WORDS, look)
    for figure in figures:
        alt.LayerChart.from_dict(figure.spec)
        assert figure.alt == "A: 7.0 s; B: failed"


def rows(figure: Figure, field: str) -> list[object]:
    return [row[field] for its in figure.spec["datasets"].values() for row in its if field in row]


def test_every_stretch_is_drawn_with_its_time() -> None:
    figure = strips_chart(ROWS, WORDS, Look())
    drawn = [row for its in figure.spec["datasets"].values() for row in its if "kind" in row]
    assert [row["start"] for row in drawn] == [float(n) for n in range(len(KINDS))]
    assert [row["time"] for row in drawn] == ["1.0 s"] * len(KINDS)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_red_is_what_failed_amber_is_a_person_and_no_two_kinds_look_alike(theme: Theme) -> None:
    look = Look(theme)
    colours = kind_colours(look)
    assert (colours["retry"], colours["human"]) == (look.colours.failed, look.colours.reader)
    assert len(set(colours.values())) == len(KINDS)
    assert look.colours.failed in rows(strips_chart(ROWS, WORDS, look), "ink")


def test_the_legend_names_each_kind_though_the_limits_are_drawn_first() -> None:
    layers = strips_chart(ROWS, WORDS, Look()).spec["layer"]
    colours = [layer["encoding"]["color"] for layer in layers if "color" in layer["encoding"]]
    assert colours[0]["legend"]["orient"] == "top"
    assert len(colours[0]["scale"]["domain"]) == len(KINDS)
