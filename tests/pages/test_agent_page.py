"""The agent page as a script: read without a run, started, stopped, paused for a person, fed with a trace."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from sqlalchemy.exc import OperationalError
from streamlit.testing.v1 import AppTest

from lib.agents.loop import LoopRun
from lib.agents.set_run import SetRun
from lib.agents.trace import MOST_STEPS
from lib.agents.work import Access
from lib.domain.run import Limits
from lib.store.rows import RunRow
from lib.ui import agent_sets, agent_setup, wiring
from lib.ui.agent_setup import desk
from lib.ui.kept_loop import loop_in_list

PAGE = str(Path(__file__).resolve().parents[2] / "pages" / "agent_loop.py")
LINEUP = ("gpt-5.6-sol-standard", "gpt-5.6-sol-ultrafast")


@pytest.fixture(scope="module", autouse=True)
def services() -> Iterator[None]:
    wiring.services()
    yield
    wiring.close()


@pytest.fixture
def page() -> AppTest:
    page = AppTest.from_file(PAGE, default_timeout=60)
    page.session_state["lineup"] = LINEUP
    return page.run()


def words(page: AppTest) -> str:
    """What is written on the page, without the marks that keep it from being Markdown."""
    return " ".join(one.value for one in (*page.markdown, *page.caption)).replace("\\", "")


def six(page: AppTest) -> dict[str, Any]:
    """The table of the six figures as the page hands it on."""
    return table_of(page, 0)


def table_of(page: AppTest, place: int) -> dict[str, Any]:
    """One of the tables on the page, as it is handed on."""
    shown = [one.proto for one in page.get("bidi_component") if one.proto.component_name == "tokenrace_metrics"]
    table: dict[str, Any] = orjson.loads(shown[place].json)
    return table


def kept(loop: LoopRun) -> RunRow:
    """The loop as it is listed when the history has taken it whole."""
    known, pause = wiring.store(), threading.Event()
    assert known is not None
    while (row := known.row(loop.plan.id)).status == "running":
        pause.wait(0.05)
    return row


def test_it_reads_without_a_run(page: AppTest) -> None:
    assert not page.exception
    assert "GPT-5.6 Sol Ultrafast decodes 14.0× as fast as GPT-5.6 Sol standard" in words(page)
    assert "Predicted from published speeds" in words(page)
    assert [row["name"] for row in six(page)["rows"]] == [
        "Steps", "Total time", "Cost", "TTFT (median)", "Tool wait", "Retries per step", "Human review",
    ]  # fmt: skip


def test_the_claims_of_the_announcement_give_their_worked_shares(page: AppTest) -> None:
    assert "11.5 % of the time was not accelerated before, 64.6 % is now, and the ceiling is 8.67×" in words(page)
    page.number_input(key="agent_s").set_value(20.0).run()
    assert "cannot gain more than its faster part" in words(page)


def test_an_unknown_price_stays_unknown_until_somebody_assumes_one(page: AppTest) -> None:
    assert "A price is not published" in words(page)
    page.number_input(key="agent_times").set_value(6.0).run()
    assert "if it were 1 to 6.0× that of GPT-5.6 Sol standard" in words(page)
    assert "it pays up to" in words(page)


def test_another_task_comes_with_its_own_steps(page: AppTest) -> None:
    page.selectbox(key=agent_setup.TRACE).set_value("voice-turn").run()
    assert not page.exception
    assert page.number_input(key=agent_setup.STEPS).value == 3


def test_a_loop_runs_to_its_end_and_is_kept(page: AppTest) -> None:
    page.selectbox(key=agent_setup.TRACE).set_value("voice-turn").run()
    page.button(key="start").click().run()
    loop = desk.get(page.session_state["loop"])
    assert loop is not None
    assert loop.wait(60)
    page.run()
    assert not page.exception
    assert [lane.ended for lane in loop.lanes] == ["complete", "complete"]
    assert "live" not in words(page)
    row = kept(loop)
    assert (row.status, row.tags, len(row.lanes)) == ("complete", ("agent loop",), 6)
    names = "GPT-5.6 Sol standard (simulated), GPT-5.6 Sol Ultrafast (simulated)"
    assert loop_in_list(row) == ("Agent loop, 3 steps", names)
    assert loop_in_list(replace(row, tags=())) is None
    live = wiring.hub().get(loop.plan.id)
    assert live is not None
    assert live.ended
    assert len(live.run.backends) == 2
    measured = six(page)
    desk._work.clear()  # the server was started anew
    page.run()
    assert not page.exception
    assert "From the history" in words(page)
    assert six(page) == measured
    page.button(key="agent_back").click().run()
    assert "Predicted from published speeds" in words(page)


def test_a_kept_loop_whose_history_cannot_be_read_leaves_the_predictions(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(_id: str) -> None:
        raise OperationalError("SELECT", {}, Exception("database is locked"))

    monkeypatch.setattr(agent_setup, "store", lambda: SimpleNamespace(open=locked))
    page.query_params["loop"] = "kept-before"
    page.run()
    assert not page.exception
    assert "Predicted from published speeds" in words(page)


def test_a_prompt_set_goes_through_each_backend_and_is_not_asked_twice(
    page: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_sets, "data_folder", lambda: tmp_path)
    data = b'{"prompt": "One?", "max_tokens": 20}\n{"prompt": "Two?", "max_tokens": 20}\n'
    for resumed in (0, 4):
        page.file_uploader(key=agent_sets.FILE).set_value(("two.jsonl", data, "application/jsonl"))
        page.button(key="set_start").click().run()
        assert not page.exception
        run = agent_sets.desk.get(page.session_state["set"])
        assert run is not None
        assert run.wait(60)
        assert run.resumed == resumed
        page.run()
        answered = table_of(page, -1)["rows"][0]
        assert (answered["name"], [cell[0] for cell in answered["cells"]]) == ("Answered", ["2 / 2", "2 / 2"])


def test_a_set_that_another_page_runs_is_shown_instead_of_asked_twice(
    page: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_sets, "data_folder", lambda: tmp_path)
    page.session_state["lineup"] = LINEUP[1:]
    given = ("one.jsonl", b'{"prompt": "Why?", "max_tokens": 9}', "a/b")
    page.file_uploader(key=agent_sets.FILE).set_value(given)
    page.button(key="set_start").click().run()
    run = agent_sets.desk.get(page.session_state["set"])
    assert run is not None
    assert run.wait(60)
    for key in (page.session_state, page.query_params):
        del key["set"]
    page.run()
    run._ended.clear()  # as if another page had it running
    page.file_uploader(key=agent_sets.FILE).set_value(given)
    page.button(key="set_start").click().run()
    run._ended.set()
    assert not page.exception
    assert page.session_state["set"] == run.plan.id


def test_failed_questions_are_asked_again_with_a_button(
    page: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_sets, "data_folder", lambda: tmp_path)
    page.session_state["lineup"] = LINEUP[:1]
    page.file_uploader(key=agent_sets.FILE).set_value(("one.jsonl", b'{"prompt": "Once?", "max_tokens": 9}', "a/b"))
    page.button(key="set_start").click().run()
    run = agent_sets.desk.get(page.session_state["set"])
    assert run is not None
    assert run.wait(60)
    page.run()
    assert not [one for one in page.button if one.key == "set_again"]
    kept = run.state.read()[0][0]
    run.state.append(replace(kept, status="error", attempts=2))  # as an earlier session would have left it
    run = SetRun(run.plan, Access([""], [Limits()]), run.state)
    run._ended.set()
    agent_sets.desk._work[page.session_state["set"]] = run
    page.run()
    page.button(key="set_again").click().run()
    assert not page.exception
    again = agent_sets.desk.get(page.session_state["set"])
    assert again is not None
    assert again.wait(60)
    assert [(one.status, one.attempts) for one in again.outcomes(0)] == [("complete", 3)]


def test_a_set_with_a_fault_is_refused_with_its_line(page: AppTest) -> None:
    page.file_uploader(key=agent_sets.FILE).set_value(("bad.jsonl", b'{"prompt": "x"}\n{"p": 1}', "application/jsonl"))
    page.button(key="set_start").click().run()
    assert any("Line 2" in one.value for one in page.warning)


def test_a_trace_with_a_fault_is_refused_with_its_line(page: AppTest) -> None:
    page.file_uploader(key=agent_setup.UPLOAD).set_value(("own.jsonl", b"{}", "application/jsonl")).run()
    assert not page.exception
    assert any("Line 1" in one.value for one in page.warning)


@pytest.mark.parametrize("steps", [1, MOST_STEPS])
def test_an_own_trace_is_named_as_its_file_says_and_comes_with_all_its_steps(page: AppTest, steps: int) -> None:
    name = "<b>Build</b> $x$ [now](http://a.example)"
    data = orjson.dumps({"trace": name}) + b"\n" + b'{"output_tokens": 9}\n' * steps
    page.file_uploader(key=agent_setup.UPLOAD).set_value(("own.jsonl", data, "application/jsonl")).run()
    assert not page.exception
    chosen = page.selectbox(key=agent_setup.TRACE)
    assert name in chosen.options
    assert page.number_input(key=agent_setup.STEPS).value == steps
