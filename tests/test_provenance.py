"""Every figure says how it came about: eight facts, the same wherever it is read, in every file that leaves."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from lib.charts.drawing import Look
from lib.charts.metric_table import table_of
from lib.charts.result_lanes import lanes_of
from lib.domain import events as ev
from lib.domain.codec import decode_run
from lib.domain.run import Mode, Origin, Run
from lib.export.card import card_svg
from lib.export.charts_export import chart_figures, chart_files
from lib.export.html import replay_html
from lib.export.markdown_table import markdown_table
from lib.export.recording import recording_json
from lib.export.run_tables import deltas_csv, lanes_csv
from lib.export.view_messages import merged_messages, view_messages
from lib.metrics.measurement import measure
from lib.provenance import (
    Conditions,
    common_facts,
    counted_by,
    figure_facts,
    footer,
    in_lines,
    shared_facts,
    warmth_words,
)
from tests.ui.made_runs import answered, backend, run_of

ANSWER = "a lighthouse keeper trimmed the wick each night " * 6
NAMES = ["Token source", "Cold or warm", "Trials", "Requests", "Measured", "Versions", "Clock late by at most",
         "Display lag (95 %)"]  # fmt: skip


def warm(generation: ev.Generation, setup_ms: float | None, cached: int | None) -> ev.Generation:
    """The same answer over a new or an open connection, with what the server says of its prompt cache."""
    usage = {"prompt_tokens": 9, "completion_tokens": 40}
    told = usage if cached is None else usage | {"prompt_tokens_details": {"cached_tokens": cached}}
    events = [replace(e, values=told) if isinstance(e, ev.Usage) else e for e in generation.events]
    return replace(generation, events=(events[0], ev.Connected(0, setup_ms), *events[1:]))


@pytest.fixture
def run() -> Run:
    made = run_of(
        [backend("Sol"), backend("Terra", Origin.LIVE)],
        [warm(answered(0, ANSWER), 34.0, 4), answered(1, ANSWER, usage=False)],
    )
    return replace(made, versions={"tokenrace": "0.1.0", "openai": "3.57"}, display_lag_ms=28.0, mode=Mode.ONE_BY_ONE)


def facts_in(text: str) -> list[str]:
    """What each file must hold of the run above, however it is written."""
    plain = " ".join(re.sub(r"<[^>]*>", "", unescape(text)).replace("\\", "").split())
    return [fact for fact in (
        "usage of the server", "estimated (o200k_base)", "new connection (34 ms", "4 of 9 tokens of the prompt cached",
        "warm connection", "one per lane", "one by one", "2026-11-30 00:00 UTC", "Tokenrace 0.1.0, openai 3.57",
        "0.40 ms", "28 ms",
    ) if fact not in plain]  # fmt: skip


def rows_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


WRITTEN: dict[str, Callable[[Run], str]] = {
    "page": lambda run: replay_html(run).decode(),
    "markdown": lambda run: markdown_table(run).decode(),
    "deltas": lambda run: deltas_csv(run).decode(),
    "card": lambda run: card_svg(run),
    "chart": lambda run: min((svg.decode() for svg in chart_files(run, "svg").values()), key=lambda s: -len(facts_in(s))),
    "view messages": lambda run: "".join(view_messages(run)) + "28 ms",  # the lag of a screen is the screen's own
    "recording": lambda run: "".join(in_lines(lane.how) for lane in lanes_of(decode_run(recording_json(run)), None)),
    "table": lambda run: json.dumps(table_of(lanes_of(run, None), "light"), ensure_ascii=False),
    "hover of a chart": lambda run: json.dumps(chart_figures(run, None, Look())["ttft"].spec, ensure_ascii=False),
}


@pytest.mark.parametrize("file", WRITTEN)
def test_every_file_and_every_hover_says_how_all_figures_came_about(run: Run, file: str) -> None:
    assert facts_in(WRITTEN[file](run)) == []


def test_the_table_of_lanes_has_a_column_for_each_fact(run: Run) -> None:
    first, second = rows_of(lanes_csv(run, None))
    assert (first["token_source"], second["token_source"]) == ("usage", "estimated (o200k_base)")
    assert (first["trials"], first["mode"], first["started_at"]) == ("1", "one by one", "2026-11-30T00:00:00Z")
    assert (first["clock_health_ms"], first["display_lag_ms"]) == ("0.4", "28.0")
    assert first["versions"] == "tokenrace 0.1.0; openai 3.57"
    assert (first["cold_or_warm"], second["cold_or_warm"]) == tuple(
        warmth_words(measure(*pair)) for pair in zip(run.generations, run.backends, strict=True)
    )


def test_each_lane_of_the_deltas_says_it_once(run: Run) -> None:
    rows = rows_of(deltas_csv(run))
    said = [(row["lane"], row["how"]) for row in rows if row["how"]]
    assert [lane for lane, _how in said] == ["1", "2"]
    assert len({how for _lane, how in said}) == 2


def test_the_facts_have_the_same_names_in_the_same_order_for_every_figure(run: Run) -> None:
    for generation, one in zip(run.generations, run.backends, strict=True):
        names = [name for name, text in figure_facts(run, measure(generation, one)) if text]
        assert names == ["What it is", *NAMES]


def test_what_nobody_knows_is_said_to_be_unknown() -> None:
    facts = dict(shared_facts(Conditions(Mode.ALL_AT_ONCE, trials="3 rounds", condition="cold prompt")))
    assert facts["Cold or warm"] == "cold prompt"
    assert facts["Versions"] == facts["Clock late by at most"] == "not recorded"
    assert facts["Measured"] == "date not recorded"
    assert facts["Display lag (95 %)"].startswith("not known")


def test_lanes_that_agree_say_a_fact_once_and_others_by_their_number() -> None:
    assert common_facts([(("a", "x"), ("b", "1")), (("a", "x"), ("b", "2")), (("a", "x"), ("b", "1"))]) == (
        ("a", "x"), ("b", "lanes 1, 3: 1; lane 2: 2"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("estimated", "words"),
    [
        ([], "none counted"),
        ([False, False], "usage of the server"),
        ([True], "estimated (o200k_base)"),
        ([True, False, False], "usage of the server, 1 of 3 estimated (o200k_base)"),
    ],
)
def test_who_counted_is_said_of_one_answer_and_of_many(estimated: list[bool], words: str) -> None:
    assert counted_by(estimated) == words


def test_the_facts_of_a_merged_race_are_those_of_the_races_its_lanes_are_of(run: Run) -> None:
    other = replace(run, started_at="2026-11-29T10:00:00Z", mode=Mode.ALL_AT_ONCE)
    messages = [json.loads(message) for message in merged_messages([(run, 0), (other, 1)])]
    assert messages[0]["run"]["how"] == messages[-1]["result"]["how"] == []
    told = {lane: dict(figures["how"]) for m in messages for lane, figures in m.get("f", ())}
    assert (told[0]["Measured"], told[1]["Measured"]) == ("2026-11-30 00:00 UTC", "2026-11-29 10:00 UTC")
    assert (told[0]["Requests"], told[1]["Requests"]) == ("one by one", "all at once")


def test_the_footer_of_many_different_lanes_stays_one_line_of_bounded_length(run: Run) -> None:
    generations = [warm(answered(0, ANSWER), 10.0 + n, n) for n in range(40)]
    told = footer(run, [measure(one, run.backends[0]) for one in generations])
    assert "\n" not in told
    assert len(told) < 1500


def test_a_card_of_eight_different_lanes_says_when_it_was_measured_and_how_good_the_clock_was(run: Run) -> None:
    lanes = [backend(f"Lane {n}") for n in range(8)]
    full = run_of(lanes, [warm(answered(n, ANSWER), 10.0 + n, n) for n in range(8)])
    told = re.sub(r"<[^>]*>", "", card_svg(replace(full, clock_health_ms=7.0)))
    assert "Clock late by at most: 7.0 ms" in told
    assert "Display lag" in told


def test_a_chart_file_keeps_its_picture_above_the_foot(run: Run, tmp_path: Path) -> None:
    for name, svg in chart_files(run, "svg").items():
        text = svg.decode()
        height = float(re.search(r'height="([\d.]+)"', text)[1])  # type: ignore[index]
        lines = [float(y) for y in re.findall(r'<text x="20" y="([\d.]+)"', text)]
        assert lines, name
        assert max(lines) < height


def test_a_chart_file_names_the_sources_of_the_limits_it_draws_and_of_no_others(run: Run) -> None:
    svgs = {name: " ".join(re.sub(r"<[^>]*>", "", svg.decode()).split()) for name, svg in chart_files(run, "svg").items()}
    assert "Stivers" in svgs["ttft.svg"]
    assert "Nielsen" in svgs["ttft.svg"]
    assert "Response-time" not in svgs["throughput.svg"]
