"""A run written to files and read back: nothing lost, nothing invented."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.domain import events as ev
from lib.domain.codec import decode_run
from lib.domain.run import Backend, Origin, Prices, Run
from lib.export.names import file_name
from lib.export.recording import recording_json
from lib.export.run_tables import deltas_csv, lanes_csv
from lib.export.tables import restored
from lib.metrics.catalogue import CATALOGUE, compute_all
from lib.metrics.measurement import measure
from lib.metrics.quantity import Quantity
from lib.reading import speed, speed_for
from tests.metrics.building import generation, steady
from tests.ui.made_runs import answered, backend, failed, run_of

PRICED = replace(backend("Sol"), prices=Prices(Decimal("1.5"), Decimal("6")))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@pytest.fixture
def run() -> Run:
    made = run_of(
        [PRICED, backend("Terra", Origin.RECORDED), backend("=cmd()", Origin.LIVE)],
        [steady(120), answered(1, "A few words of an answer.", usage=False), failed(2, message="-1: wait")],
        "run-id-that-is-secret",
    )
    return replace(made, versions={"tokenrace": "0.1.0", "openai": "3.57"})


def rows_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_every_figure_of_the_catalogue_is_a_number_or_has_its_reason(run: Run) -> None:
    for row, gen, back in zip(rows_of(lanes_csv(run, None)), run.generations, run.backends, strict=True):
        measured = measure(gen, back)
        figures = compute_all(measured, speed_for(measured.answer, None))
        for metric in CATALOGUE:
            figure = figures[metric.key]
            if isinstance(figure, Quantity):
                assert float(row[metric.key]) == pytest.approx(float(figure.value), abs=1e-6)
                assert row[f"{metric.key}_reason"] == ""
            else:
                assert row[metric.key] == ""
                assert restored(row[f"{metric.key}_reason"]) == figure.reason != ""


def test_a_lane_says_where_its_figures_come_from(run: Run) -> None:
    first, second, third = rows_of(lanes_csv(run, speed("en")))
    assert (first["origin"], second["origin"], third["origin"]) == ("simulated", "recorded", "live")
    assert (first["token_source"], second["token_source"], third["token_source"]) == (
        "usage", "estimated (o200k_base)", "")  # fmt: skip
    assert first["mode"] == "all at once"
    assert first["started_at"] == "2026-11-30T00:00:00Z"
    assert first["versions"] == "tokenrace 0.1.0; openai 3.57"
    assert first["clock_health_ms"] == "0.4"
    assert (first["reader"], float(first["reader_per_min"])) == ("en", 238)
    assert first["cost_currency"] == "USD"
    assert "output_tokens: estimated" in second["marks"]
    assert (third["status"], third["error_kind"], third["http_status"]) == ("error", "rate_limited", "429")
    assert (third["name"], third["error_message"]) == ("'=cmd()", "'-1: wait")


def test_a_table_never_holds_nan_or_infinity(run: Run) -> None:
    frame = pd.read_csv(io.BytesIO(lanes_csv(run, None)), keep_default_na=False, dtype=str)
    words = {str(value).lower() for value in frame.to_numpy().ravel()}
    assert words & {"nan", "inf", "-inf", "infinity", "none"} == set()
    assert math.isfinite(float(frame["ttft_ms"][0]))


def test_deltas_carry_the_text_and_count_from_their_own_request(run: Run) -> None:
    rows = rows_of(deltas_csv(run))
    for lane, gen in enumerate(run.generations):
        own = [row for row in rows if row["lane"] == str(lane + 1)]
        assert "".join(restored(row["text"]) for row in own) == "".join(d.text for d in gen.of(ev.Delta))
    assert (rows[0]["at_ms"], rows[0]["channel"], rows[0]["read"]) == ("200.0", "answer", "0")


@given(st.lists(TEXTS, min_size=1, max_size=5), TEXTS)
def test_any_text_survives_every_export(texts: list[str], name: str) -> None:
    lane = generation([(10.0 + at, text) for at, text in enumerate(texts)])
    run = run_of([Backend("b", name, "http://127.0.0.1:9/v1", name)], [lane])
    rows = rows_of(deltas_csv(run))
    assert [restored(row["text"]) for row in rows] == texts
    assert {restored(row["name"]) for row in rows} == {name}
    assert restored(rows_of(lanes_csv(run, None))[0]["model"]) == name
    assert [delta.text for delta in decode_run(recording_json(run)).generations[0].of(ev.Delta)] == texts


def test_the_recording_is_read_back_as_the_same_run(run: Run) -> None:
    assert decode_run(recording_json(run)) == run


def test_the_recording_is_strict_json(run: Run) -> None:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    json.loads(recording_json(run), parse_constant=refuse)


def test_a_file_name_holds_the_moment_and_nothing_anyone_wrote(run: Run) -> None:
    name = file_name(run, ".json")
    assert name.startswith("tokenrace-2026-11-30T0000-")
    assert len(name) == len("tokenrace-2026-11-30T0000-abcd.json")
    assert "secret" not in name
    strange = replace(run, started_at="../../etc/passwd", id="../x")
    assert file_name(strange, "-lanes.csv").startswith("tokenrace-undated-")
    assert "/" not in file_name(strange, "-lanes.csv")


def test_a_moment_elsewhere_is_told_in_utc(run: Run) -> None:
    assert "2026-11-30T0031" in file_name(replace(run, started_at="2026-11-30T02:31:00+02:00"), ".json")
