"""A loop as files: each speaks of backends and their tasks, not of single requests, and holds no private address."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from dataclasses import replace

import orjson
import pytest

from lib.agents import files
from lib.agents.card import card_svg
from lib.agents.record import run_of
from lib.agents.tasks import kept_tasks
from lib.domain.run import Run
from lib.export.tables import BOM
from tests.agents.test_loop import HERE, SIM, Clock, StandIn, loop_of

LOCAL = replace(HERE, id="lan", name="On the | LAN", base_url="http://192.168.7.9:1/v1")


def kept(outcomes: tuple[str, ...] = ()) -> Run:
    clock = Clock()
    loop = loop_of(StandIn(clock, outcomes), clock, backends=(SIM, LOCAL))
    loop.carry_out()
    run = run_of(loop)
    assert run is not None
    return run


@pytest.fixture(scope="module")
def run() -> Run:
    return kept(("", "", "server_error"))


def test_the_replay_has_a_lane_for_each_backend_and_no_private_address(run: Run) -> None:
    page = files.replay(run).decode()
    data = orjson.loads(re.search(r'<script type="application/json" id="race">(.*?)</script>', page, re.S)[1])  # type: ignore[index]
    assert [lane["name"] for lane in data["lanes"]] == ["Sim", "On the | LAN"]
    assert data["messages"][0]["run"]["task"] == 3
    assert "result" in data["messages"][-1]
    assert "192.168.7.9" not in page
    assert page.count("<figure") == 4  # time, two tasks step by step, gains
    assert "Human review" in page


def test_pieces_are_all_of_the_time_of_each_task(run: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(files.pieces(run).decode().removeprefix(BOM))))
    for task in kept_tasks(run)[0]:
        own = [float(row["seconds"]) for row in rows if row["backend"] == task.name]
        assert sum(own) == pytest.approx(task.seconds - task.own_s, abs=1e-4)
    assert {row["spent_on"] for row in rows} == {"connection", "wait", "answer", "tool", "human", "retry"}


def test_the_table_has_a_row_for_each_backend_and_says_why_a_figure_is_absent() -> None:
    text = files.markdown(kept(("", "auth"))).decode()
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 2
    assert re.search(r"of 3 steps.*failed", text)
    assert re.search(r"<sup>\d</sup> Total time: \d of 3 steps were done", text)
    assert r"On the \| LAN" in text


def test_the_card_draws_every_tasks_time_and_its_sentence(run: Run) -> None:
    drawn = card_svg(run)
    pieces = sum(len(step.pieces) for task in kept_tasks(run)[0] for step in task.times)
    assert drawn.count("<rect") >= pieces + 1
    assert "a person" in drawn
    assert files.card(run).startswith(b"\x89PNG")


def test_charts_come_as_pictures_and_as_drawings(run: Run) -> None:
    names = zipfile.ZipFile(io.BytesIO(files.charts(run))).namelist()
    assert sorted(names) == sorted(f"{name}.{kind}" for name in ("time", "steps-1", "steps-2", "gains")
                                   for kind in ("png", "svg"))  # fmt: skip
