"""The Trials page as a script: what stands there, what its widgets do, and what claims say to trials."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lib.claim_book import claims
from lib.domain.run import Limits, Origin, Prompt
from lib.store.keeper import Keeper
from lib.trials.keeping import Keeping
from lib.trials.plan import Plan
from lib.trials.runner import Access, Series
from lib.ui import trials_setup, wiring
from tests.trials.made_trials import backend, plan
from tests.trials.test_keeping import Shipping
from tests.trials.test_runner import Clock, StandIn
from tests.ui.made_runs import answered, failed

PAGE = str(Path(__file__).resolve().parents[2] / "pages" / "trials.py")
LONG = "The keeper climbed the stairs each evening and trimmed the wick before dusk. " * 4


@pytest.fixture(scope="module", autouse=True)
def services() -> Iterator[None]:
    wiring.services()
    wiring.catalogue().wait(30)
    yield
    wiring.close()


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOKENRACE_DATA", str(tmp_path))
    return tmp_path


def opened(series: Series | None = None) -> AppTest:
    page = AppTest.from_file(PAGE, default_timeout=60)
    if series is not None:
        page.query_params["series"] = series.plan.id
    page.run()
    assert not page.exception
    return page


def carried_out(asked: Plan, stand_in: StandIn) -> Series:
    """A series made at once; the desk holds it like any other."""
    asked = replace(asked, id=secrets.token_hex(8))
    one = Series(asked, Access([""] * 3, [Limits()] * 3), lambda: nullcontext(stand_in), Clock())
    trials_setup.desk.start(one)
    assert one.wait(30)
    return one


@pytest.fixture(scope="module")
def finished() -> Series:
    stand_in = StandIn()
    stand_in.answers = {
        "fast": answered(0, LONG, first_ms=100, gap_ms=4),
        "slow": answered(0, LONG, first_ms=400, gap_ms=40),
        "broken": failed(0),
    }
    asked = plan(backend("Fast"), backend("Slow", Origin.SIMULATED), backend("Broken"), rounds=5)
    return carried_out(asked, stand_in)


def texts(page: AppTest) -> str:
    shown = [*page.markdown, *page.caption, *page.info, *page.warning]
    return "\n".join(str(element.value).replace("\\", "") for element in shown)


def test_a_first_visit_stands_ready_with_the_line_up_of_the_race() -> None:
    page = opened()
    assert page.button(key="start").label == "Start"
    assert page.number_input(key="trials_rounds").value == 5
    assert len(page.session_state["lineup"]) == 4
    assert "in random order" in texts(page)


def test_the_sentence_is_by_rule_and_the_broken_backend_stays_in_sight(finished: Series) -> None:
    told = texts(opened(finished))
    assert "### Fast is " in told
    assert "Slow (simulated) from request to last token (95 %: " in told
    assert "Broken and Fast: too few trials to compare (both completed 0 rounds, 3 are needed)." in told


def test_every_figure_prints_mode_condition_rounds_and_date(finished: Series) -> None:
    page = opened(finished)
    specs = [str(chart.proto.spec) for chart in page.get("vega_lite_chart")]
    assert len(specs) == 4
    for part in ("one request at a time per server", "cold prompt", "5 rounds", "2026-11-30 03:20 UTC"):
        assert [spec for spec in specs if part not in spec] == []


def test_every_trial_is_in_the_table_warm_ups_and_failures_too(finished: Series) -> None:
    table = opened(finished).dataframe[-2].value
    assert len(table) == 18
    assert list(table["Outcome"]).count("Too many requests") == 6
    assert list(table["Round"]).count("warm-up") == 3


def test_a_simulated_lane_shows_no_claim_and_a_rumour_stays_one() -> None:
    fast = backend("GPT-5.6 Sol Ultrafast", Origin.SIMULATED)
    one = carried_out(
        plan(fast, backend("GPT-5.6 Sol standard", Origin.SIMULATED), rounds=3, started_at=""), StandIn()
    )
    told = texts(opened(one))
    assert "holds**" not in told
    assert told.count("GPT-5.6 Sol Ultrafast is simulated") >= 2


def test_an_own_claim_is_judged_by_the_trials_and_can_be_deleted(finished: Series) -> None:
    page = opened(finished)
    page.text_input(key="claim_text").input("up to 100 tok/s")
    page.number_input(key="claim_number").set_value(100.0)
    next(
        button for button in page.button if button.label == "Keep" and "claim" in str(button.form_id)
    ).click().run()
    assert not page.exception
    own = claims()[0]
    assert (own.claim, own.is_own) == ("up to 100 tok/s", True)
    assert "● **holds** · One run is enough for a maximum" in texts(page)
    page.button(key=f"delete_{own.id}").click().run()
    assert not claims()[0].is_own


def test_a_claim_without_a_number_is_told_and_not_kept(finished: Series) -> None:
    page = opened(finished)
    page.text_input(key="claim_text").input("very fast")
    next(
        button for button in page.button if button.label == "Keep" and "claim" in str(button.form_id)
    ).click().run()
    assert "The number must be above 0." in texts(page)
    assert not claims()[0].is_own


def test_start_begins_a_series_that_stop_ends_and_what_came_stays() -> None:
    page = AppTest.from_file(PAGE, default_timeout=60)
    page.query_params["lineup"] = "gpt4-tier-cloud,gpt-5.6-sol-standard"
    page.run()
    page.button(key="start").click().run()
    assert not page.exception
    series = trials_setup.desk.get(page.session_state["series"])
    assert series is not None
    assert page.button(key="stop").label == "Stop"
    page.button(key="stop").click().run()
    assert series.wait(60)
    page.run()
    assert not page.exception
    assert "Stopped after" in texts(page)
    assert page.button(key="start").label == "Try again"


def test_an_unknown_series_in_the_address_is_no_error() -> None:
    page = AppTest.from_file(PAGE, default_timeout=60)
    page.query_params["series"] = "long-gone"
    page.run()
    assert not page.exception
    assert page.button(key="start").label == "Start"


def test_a_kept_series_opens_again_when_this_server_has_forgotten_it() -> None:
    known = wiring.store()
    assert known is not None
    word = secrets.token_hex(4)
    asked = replace(
        plan(backend("Fast"), backend("Slow"), rounds=3), id=f"kept-{word}", prompt=Prompt(f"Forgotten {word}.")
    )
    carry = Shipping()
    with closing(Keeper(known)) as keeper:
        keeping = Keeping(asked, keeper, clock_ns=lambda: 0)
        one = Series(asked, Access([""] * 2, [Limits()] * 2), lambda: nullcontext(carry), keeping=keeping)
        one.carry_out()
    page = opened(one)
    assert page.session_state["series"] == asked.id
    assert "cannot be told apart with 3 rounds" in texts(page)
    assert page.button(key="start").label == "Try again"
    history = AppTest.from_file(PAGE.replace("trials.py", "history.py"), default_timeout=60).run()
    history.text_input(key="history_text").input(word).run()
    assert list(history.dataframe[0].value["What"]) == ["Trials, 3 rounds, cold prompt"]
