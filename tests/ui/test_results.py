"""What a person finds below the stage after a race: charts, table, answers, and words where there is nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import altair as alt
import pytest
from streamlit.testing.v1 import AppTest

from lib.charts import drawing
from lib.charts.chart_reader import band_of
from lib.charts.drawing import Look
from lib.charts.gap_charts import gap_words
from lib.charts.metric_table import DASH, table_of
from lib.charts.palette import palette
from lib.charts.result_charts import Figures, figures_of
from lib.charts.result_lanes import key_of, lanes_of, names_apart
from lib.domain import events as ev
from lib.domain.run import Origin, Run
from lib.metrics.quantity import Quantity, Unavailable, number
from tests.ui.made_runs import answered, backend, failed, run_of

WORDS = "The keeper climbed the stairs each evening and trimmed the wick before dusk. " * 4


def a_race() -> Run:
    """Live, simulated, recorded, failed, stopped, and a second backend of the same name that thinks."""
    backends = [
        backend("Real", Origin.LIVE),
        backend("Cloud"),
        backend("Tape", Origin.RECORDED),
        backend("Broken"),
        backend("Halted"),
        backend("Cloud"),
    ]
    generations = [
        answered(0, WORDS),
        answered(1, WORDS, gap_ms=5, usage=False),
        answered(2, WORDS, gap_ms=30),
        failed(3),
        answered(4, WORDS[:60], status=ev.Status.STOPPED, usage=False),
        answered(5, WORDS, thinking="Let me think about it first."),
    ]
    return run_of(backends, generations)


def the_charts(run: Run, look: Look | None = None) -> dict[str, drawing.Figure]:
    figures = figures_of(key_of(run, None), look or Look())
    return {name: figure for name in Figures.__slots__ if (figure := getattr(figures, name)) is not None}


def texts_of(figure: drawing.Figure) -> list[str]:
    rows = [row for sheet in figure.spec["datasets"].values() for row in sheet]
    return [str(row["text"]) for row in rows if "text" in row]


def marks_of(figure: drawing.Figure, mark: str) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    for layer in figure.spec["layer"]:
        if layer["mark"]["type"] == mark:
            yield layer, figure.spec["datasets"][layer["data"]["name"]]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("log", [None, False, True])
def test_every_chart_is_a_valid_vega_lite_specification(theme: Any, log: bool | None) -> None:
    for figure in the_charts(a_race(), Look(theme, log)).values():
        alt.LayerChart.from_dict(figure.spec, validate=True)


def test_every_chart_names_the_mode_and_the_token_source() -> None:
    for figure in the_charts(a_race()).values():
        assert "all at once · usage of the servers, ~ estimated" in " ".join(figure.spec["title"]["subtitle"])


def test_every_lane_is_named_with_its_badge_in_every_chart_it_appears_in() -> None:
    for name, figure in the_charts(a_race()).items():
        told = " | ".join(texts_of(figure))
        for label in ("Real, live", "Cloud, simulated", "Tape, recorded", "Cloud (2), simulated"):
            assert label in told, (name, label)


def test_a_bar_is_as_long_as_its_figure_and_starts_at_zero() -> None:
    run = a_race()
    figure = the_charts(run)["throughput"]
    ((layer, rows),) = marks_of(figure, "bar")
    expected = [
        number(lane.figures[key]) for lane in lanes_of(run, None) for key in ("decode_tok_s", "e2e_tok_s")
    ]
    assert [row["value"] for row in rows] == [value for value in expected if value is not None]
    assert (layer["encoding"]["x2"]["datum"], layer["encoding"]["x"]["scale"]["type"]) == (0, "linear")


def test_a_failed_lane_says_its_reason_in_red_where_its_bar_would_be() -> None:
    figure = the_charts(a_race())["ttft"]
    rows = [row for sheet in figure.spec["datasets"].values() for row in sheet]
    assert [row["ink"] for row in rows if row.get("text") == "Too many requests"] == [palette("light").failed]


def test_a_scale_is_logarithmic_when_the_ratio_exceeds_twenty_and_the_axis_says_so() -> None:
    run = run_of(
        [backend("A"), backend("B")], [answered(0, WORDS, gap_ms=4), answered(1, WORDS, gap_ms=200)], "far"
    )
    layer, _rows = next(marks_of(the_charts(run)["throughput"], "bar"))
    assert layer["encoding"]["x"]["scale"]["type"] == "log"
    assert layer["encoding"]["x"]["axis"]["title"] == "tokens per second (logarithmic scale), bars begin at 1"


def test_thinking_gives_a_second_bar_to_the_first_answer_token() -> None:
    assert [text for text in texts_of(the_charts(a_race())["ttft"]) if "first answer token" in text] == [
        "420 ms first answer token", "420 ms first answer token"
    ]  # fmt: skip


def test_bars_are_solid_dashed_or_dotted_by_origin() -> None:
    _layer, rows = next(marks_of(the_charts(a_race())["ttft"], "bar"))
    assert {row["lane"]: row["origin"] for row in rows}["Tape, recorded"] == "recorded"
    encoding = _layer["encoding"]["strokeDash"]["scale"]
    assert encoding["domain"] == ["live", "simulated", "recorded"]
    assert len({str(dash) for dash in encoding["range"]}) == 3


def test_the_reading_speed_in_tokens_is_the_figure_of_the_lane_that_answered_first() -> None:
    lanes = lanes_of(a_race(), None)
    band = band_of(lanes)
    assert band is not None
    assert band.at == number(lanes[0].figures["reader_tok_s"])
    assert band.low < band.at < band.high


def test_the_last_point_of_a_curve_is_the_whole_text_at_its_last_arrival() -> None:
    run = a_race()
    ((_layer, rows),) = [
        pair for pair in marks_of(the_charts(run)["curves"], "line") if "origin" in pair[1][0]
    ]
    lane = lanes_of(run, None)[0]
    last = [row for row in rows if row["index"] == 0][-1]
    assert (last["n"], last["s"] * 1000) == (
        lane.measured.counts.visible, pytest.approx(number(lane.figures["whole_ms"])),
    )  # fmt: skip


def test_gaps_are_between_tokens_only_where_each_chunk_is_known_to_hold_one() -> None:
    one_each = lanes_of(run_of([backend("A")], [answered(0, WORDS)], "one"), None)
    words = lanes_of(run_of([backend("A")], [answered(0, WORDS, usage=False)], "est"), None)
    assert (gap_words(one_each), gap_words(words)) == ("Gaps between tokens", "Gaps between chunks")


def test_the_second_of_a_name_is_numbered() -> None:
    assert names_apart((backend("A"), backend("B"), backend("A"))) == ["A", "B", "A (2)"]


def test_every_absent_figure_is_a_dash_with_a_numbered_reason_below() -> None:
    run = a_race()
    lanes = lanes_of(run, None)
    table = table_of(lanes, "light")
    by_name = {row["name"]: row["cells"] for row in table["rows"]}
    text, note, hint, _chips = by_name["Decode rate"][3]
    figure = lanes[3].figures["decode_tok_s"]
    assert isinstance(figure, Unavailable)
    assert (text, hint, table["notes"][note - 1]) == (DASH, figure.reason, figure.reason)


def test_every_dash_in_the_table_has_a_reason_but_the_token_source() -> None:
    run = a_race()
    table = table_of(lanes_of(run, None), "light")
    unexplained = {
        row["name"]
        for row in table["rows"]
        for text, note, _hint, _chips in row["cells"]
        if text == DASH and not note
    }
    assert unexplained <= {"Token source"}


def test_an_estimate_wears_a_tilde_and_a_note() -> None:
    run = a_race()
    table = table_of(lanes_of(run, None), "light")
    cells = {row["name"]: row["cells"] for row in table["rows"]}["Output tokens (N)"]
    assert cells[1][0].startswith("~")
    assert "o200k_base" in cells[1][2]


def test_every_warning_is_a_chip_whose_number_leads_to_its_sentence() -> None:
    run = a_race()
    lanes = lanes_of(run, None)
    table = table_of(lanes, "light")
    chips = table["rows"][0]["cells"][4][3]
    assert [words for words, _note, _sentence in chips] == ["tokens estimated", "stopped"]
    assert [table["notes"][note - 1] for _words, note, _sentence in chips] == [
        s for _code, s in lanes[4].warnings
    ]


def test_the_same_run_is_computed_once() -> None:
    run = a_race()
    assert lanes_of(run, None) is lanes_of(run, None)


def test_a_lane_that_was_run_anew_is_computed_anew() -> None:
    before = run_of([backend("A")], [answered(0, WORDS)], "again")
    after = run_of([backend("A")], [answered(0, WORDS, first_ms=900)], "again")
    assert number(lanes_of(before, None)[0].figures["ttft_ms"]) == 300
    assert number(lanes_of(after, None)[0].figures["ttft_ms"]) == 900


def test_every_figure_of_every_lane_is_a_quantity_or_a_reason() -> None:
    kinds = {type(figure) for lane in lanes_of(a_race(), None) for figure in lane.figures.values()}
    assert kinds == {Quantity, Unavailable}


def shown(run: Run) -> AppTest:
    """The results as a script of their own."""

    def script(run):  # its source alone is run: no names of this module
        from lib.ui.results import show_results  # noqa: PLC0415 (the script is run apart from this module)

        show_results(run, None)

    return AppTest.from_function(script, kwargs={"run": run}).run()


def test_a_race_is_shown_without_an_exception() -> None:
    page = shown(a_race())
    assert [error.value for error in page.exception] == []
    assert len(page.get("vega_lite_chart")) == 5


def test_a_run_without_any_text_gives_words_and_no_chart() -> None:
    page = shown(run_of([backend("A"), backend("B")], [failed(0), failed(1, "auth", "no")], "dead"))
    assert len(page.get("vega_lite_chart")) == 0
    assert "Key refused" in page.markdown[2].value


def test_an_empty_run_gives_words() -> None:
    page = shown(run_of([backend("A")], [ev.Generation(0)], "empty"))
    assert page.markdown[0].value == "No lane gave any text, so there is nothing to chart."


def test_the_raw_answer_is_one_switch_away() -> None:
    text = "Costs $5 and <b>more</b>"
    page = shown(run_of([backend("A")], [answered(0, text)], "raw"))
    page.toggle[0].set_value(True).run()
    assert [block.value for block in page.code] == [text + " "]
