"""The charts of trials: every point is drawn, what has none is told, and each figure says how it was made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import pytest

from lib import numbers
from lib.charts.drawing import Figure, Look
from lib.domain.events import Status
from lib.domain.run import Origin
from lib.trials.goodput import Goals
from lib.trials.summary import compare, figure_summary
from lib.trials.trial import Trial
from lib.ui.trial_charts import StripLane, forest_chart, strip_chart
from lib.ui.trial_table import table_of
from tests.trials.made_trials import backend, made, plan

KEY = "normalised_e2e_tok_s"
BACKENDS = (backend("Live"), backend("Sim", Origin.SIMULATED), backend("Down"))


def lanes(trials: Sequence[Trial]) -> list[StripLane]:
    return [
        StripLane(place, one.name, one, figure_summary([t for t in trials if t.turn.place == place], KEY),
                  "2 failed" if place == 2 else "", place == 2)
        for place, one in enumerate(BACKENDS)
    ]  # fmt: skip


def some(rates: Sequence[float] = (100.0, 110.0, 105.0), times: float = 1.5) -> list[Trial]:
    live = [made(0, n, rate) for n, rate in enumerate(rates, 1)]
    simulated = [made(1, n, rate * times) for n, rate in enumerate(rates, 1)]
    return [*live, *simulated, made(2, 1, status=Status.ERROR), made(2, 2, status=Status.ERROR)]


def strip(trials: Sequence[Trial], theme: Any = "light") -> Figure:
    figure = strip_chart(lanes(trials), "Rate", "tokens per second", "cold prompt", numbers.rate, Look(theme))
    assert figure is not None
    return figure


def rows(figure: Figure) -> list[dict[str, Any]]:
    return [row for rows_ in figure.spec["datasets"].values() for row in rows_]


def points(figure: Figure) -> list[dict[str, Any]]:
    return [row for row in rows(figure) if "fill" in row]


def test_every_point_is_drawn_and_none_hides_another() -> None:
    alike = points(strip(some((100.0, 100.0, 100.0))))
    assert sorted(row["value"] for row in alike) == pytest.approx([100.0] * 3 + [150.0] * 3)
    assert len({(row["value"], row["y"]) for row in alike}) == 6


def test_live_points_are_full_and_simulated_ones_hollow() -> None:
    assert {(row["origin"], row["fill"] > 0) for row in points(strip(some()))} == {
        ("live", True),
        ("simulated", False),
    }


def test_a_row_says_its_median_and_range_and_a_broken_one_how_many_failed() -> None:
    told = [row["text"] for row in rows(strip(some())) if "text" in row]
    assert "median 105 tok/s (100 tok/s to 110 tok/s), 3 trials" in told
    assert "2 failed" in told
    assert "Sim, simulated" in told


def test_red_is_for_failures_alone() -> None:
    stopped = [made(0, 1, 100.0), made(1, 1, status=Status.STOPPED)]
    lane = StripLane(1, "Sim", BACKENDS[1], figure_summary(stopped[1:], KEY), "1 stopped")
    failed_ink = Look().colours.failed
    assert [r["text"] for r in rows(strip(some())) if r.get("ink") == failed_ink] == ["2 failed"]
    halted = strip_chart([lanes(stopped)[0], lane], "Rate", "", "", numbers.rate, Look())
    assert halted is not None
    assert [r["text"] for r in rows(halted) if r.get("ink") == failed_ink] == []


def test_what_the_chart_shows_is_also_said() -> None:
    assert "Live, live: median 105 tok/s" in strip(some()).alt
    assert "cold prompt" in strip(some()).alt


def test_without_a_point_there_is_no_chart() -> None:
    assert strip_chart(lanes([]), "Rate", "", "", numbers.rate, Look()) is None
    assert forest_chart([compare([], 1, 0, KEY)], lanes([]), "", Look()) is None


def test_a_ratio_above_twenty_is_drawn_on_a_logarithmic_scale_and_says_so() -> None:
    assert "logarithmic scale" in str(strip(some(times=21)).spec)
    assert "logarithmic scale" not in str(strip(some()).spec)


def test_the_forest_holds_each_interval_and_the_rule_at_one() -> None:
    trials = some((100.0, 140.0, 90.0))
    trials[4] = made(1, 2, 150.0)
    found = [compare(trials, 1, 0, KEY), compare(trials, 2, 0, KEY)]
    figure = forest_chart(found, lanes(trials), "cold prompt", Look())
    assert figure is not None
    shown = [row for row in rows(figure) if "high" in row and "low" in row]
    assert shown[0]["high"] == found[0].interval.high  # type: ignore[union-attr]
    assert {"value": 1.0} in rows(figure)
    assert "rates from request to last token" in " ".join(figure.spec["title"]["text"])
    told = " ".join(str(row.get("text", "")) for row in rows(figure))
    assert "cannot be told apart" in told
    assert "too few trials: 0 rounds, 3 are needed" in told


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_charts_are_valid_and_finite(theme: Any) -> None:
    trials = some()
    forest = forest_chart([compare(trials, 1, 0, KEY)], lanes(trials), "cold prompt", Look(theme))
    for figure in (strip(trials, theme), forest):
        assert figure is not None
        alt.LayerChart.from_dict(figure.spec, validate=True)
        numbers_drawn = [value for row in rows(figure) for value in row.values() if isinstance(value, float)]
        assert all(math.isfinite(value) for value in numbers_drawn)


def test_the_table_says_why_a_percentile_is_absent_and_what_is_good_enough() -> None:
    data = table_of(plan(*BACKENDS), some(), ["Live", "Sim", "Down"], Goals(), "light")
    named = {row["name"]: row for row in data["rows"]}
    dash, note, reason, _chips = named["Decode rate, p90"]["cells"][0]
    assert (dash, reason) == ("–", "p90 needs 10 trials.")
    assert data["notes"][note - 1] == reason
    assert [cell[0] for cell in named["Complete"]["cells"]] == ["3 of 3", "3 of 3", "0 of 2"]
    assert named["Failed, throttled"]["cells"][2][0] == "2, 0"
    assert named["Good enough"]["cells"][0][0] == "3 of 3 (95 %: 44 % to 100 %)"
    assert named["Good enough"]["cells"][2][0] == "0 of 2 (95 %: 0 % to 66 %)"
    assert named["Good enough"]["help"].startswith("no failure, TTFAT at most 1.0 s")


def test_a_percentile_from_ten_trials_is_told_to_be_an_indication() -> None:
    trials = [made(0, n, 100.0 + n) for n in range(1, 11)]
    data = table_of(plan(BACKENDS[0]), trials, ["Live"], Goals(), "light")
    cell = next(row for row in data["rows"] if row["name"] == "Decode rate, p90")["cells"][0]
    assert cell[0] == "109 tok/s"
    assert "reliable from 50 trials" in cell[2]
