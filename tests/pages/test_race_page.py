"""The race page as a script: what stands there, and what its widgets do. Streams are tested in the browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lib.ui import wiring

FRAME = str(Path(__file__).resolve().parents[2] / "lib" / "ui" / "frame.py")


@pytest.fixture(scope="module", autouse=True)
def services() -> Iterator[None]:
    wiring.services()
    wiring.catalogue().wait(30)
    yield
    wiring.close()


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_file(FRAME, default_timeout=30).run()


def chosen(page: AppTest) -> tuple[str, ...]:
    return tuple(page.session_state["lineup"])


def test_a_first_visit_stands_ready(page: AppTest) -> None:
    assert not page.exception
    assert "lighthouse" in page.text_area(key="prompt").value
    assert page.button(key="start").label == "Start"
    assert chosen(page)[1:] == ("gpt4-tier-cloud", "gpt-5.6-sol-standard", "gpt-5.6-sol-ultrafast")
    assert len(chosen(page)) == 4


def test_an_example_fills_the_prompt(page: AppTest) -> None:
    page.button_group(key="example").select("Code").run()
    assert "Python" in page.text_area(key="prompt").value
    assert not page.exception


def test_the_same_backend_may_be_added_twice_and_eight_are_the_most(page: AppTest) -> None:
    for _ in range(6):
        if not page.selectbox(key="add_backend").disabled:
            page.selectbox(key="add_backend").select("gpt-5.6-sol-ultrafast").run()
    assert not page.exception
    assert len(chosen(page)) == 8
    assert chosen(page).count("gpt-5.6-sol-ultrafast") == 5


def test_a_typed_backend_needs_an_address_and_a_model(page: AppTest) -> None:
    page.text_input(key="own_url").input("not an address at all")
    page.text_input(key="own_model").input("m")
    add = next(button for button in page.button if button.label == "Add")
    add.click().run()
    assert "address" in page.warning[0].value
    assert len(chosen(page)) == 4


def test_a_typed_key_is_in_no_widget_after_it_was_taken(page: AppTest) -> None:
    page.text_input(key="own_url").input("127.0.0.1:9/v1")
    page.text_input(key="own_model").input("my-model")
    page.text_input(key="own_key").input("sk-typed-0123456789")
    next(button for button in page.button if button.label == "Add").click().run()
    assert chosen(page)[-1].startswith("own-")
    assert page.text_input(key="own_key").value == ""
    assert "sk-typed" not in repr(page.session_state["own_backends"])


def test_the_reader_can_be_chosen_and_set_by_hand(page: AppTest) -> None:
    page.selectbox(key="reader").select("own").run()
    page.number_input(key="own_speed").set_value(500).run()
    assert not page.exception
    page.selectbox(key="reader").select("zh-Hans").run()
    assert not page.exception


def test_start_begins_a_run_and_stop_ends_it(page: AppTest) -> None:
    page.button(key="start").click().run()
    run = page.query_params["run"]
    run = run[0] if isinstance(run, list) else run
    live = wiring.hub().get(run)
    assert live is not None
    assert len(live.run.backends) == 4
    assert page.button(key="stop").label == "Stop"
    page.button(key="stop").click().run()
    for _ in range(300):
        if live.ended:
            break
        page.run()
    assert live.ended
    page.run()
    assert page.button(key="start").label == "Race again"
    assert not page.exception


def test_an_unknown_run_in_the_address_is_no_error(page: AppTest) -> None:
    page.query_params["run"] = "long-gone"
    page.run()
    assert not page.exception
    assert page.button(key="start").label == "Start"


def test_a_link_can_prepare_the_race() -> None:
    page = AppTest.from_file(FRAME, default_timeout=30)
    page.query_params["lineup"] = "gpt-5.6-sol-ultrafast,gpt-5.6-sol-ultrafast"
    page.query_params["prompt"] = "Say hello."
    page.run()
    assert chosen(page) == ("gpt-5.6-sol-ultrafast",) * 2
    assert page.text_area(key="prompt").value == "Say hello."


def test_the_method_page_explains_every_metric() -> None:
    page = AppTest.from_file(str(Path(FRAME).parents[2] / "pages" / "method.py"), default_timeout=30).run()
    assert not page.exception
    assert any("measured" in header.value for header in page.header)
    assert len(page.dataframe[0].value) > 25
