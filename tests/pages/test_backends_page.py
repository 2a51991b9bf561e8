"""The Backends page as a script: adding, changing, copying and removing a backend, and trying it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lib.server_process import Ready
from lib.ui import wiring

PAGE = str(Path(__file__).resolve().parents[2] / "pages" / "backends.py")


@pytest.fixture(scope="module", autouse=True)
def simulator_url() -> Iterator[str]:
    wiring.services()
    wiring.catalogue().wait(30)
    state = wiring.catalogue().simulator.state
    assert isinstance(state, Ready)
    yield state.base_url
    wiring.close()


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_file(PAGE, default_timeout=60).run()


def add(page: AppTest, url: str, model: str = "gpt-5.6-sol-ultrafast", key: str = "") -> AppTest:
    page.text_input(key="form_url").input(url)
    page.text_input(key="form_model").input(model)
    page.text_input(key="form_key").input(key)
    return page.button(key="form_add").click().run()


def texts(page: AppTest) -> str:
    shown = [*page.markdown, *page.caption, *page.info, *page.warning]
    return "\n".join(element.value for element in shown)


def test_the_page_stands(page: AppTest) -> None:
    assert not page.exception
    assert "Models on this machine" in texts(page)


def test_a_backend_is_added_probed_changed_copied_and_removed(page: AppTest, simulator_url: str) -> None:
    page = add(page, simulator_url + "/", key="sk-page-secret-123456")
    assert not page.exception
    (own,) = page.session_state["own_backends"]
    assert own.backend.base_url == simulator_url
    page.button(key=f"probe_{own.backend.id}").click().run()
    assert "can race" in page.status[0].label
    assert "sk-page-secret" not in texts(page)
    page.button(key=f"edit_{own.backend.id}").click().run()
    page.text_input(key="form_name").input("Renamed")
    page.button(key="form_add").click().run()
    (changed,) = page.session_state["own_backends"]
    assert (changed.backend.name, changed.key) == ("Renamed", own.key)
    page.button(key=f"copy_{own.backend.id}").click().run()
    assert len(page.session_state["own_backends"]) == 2
    page.button(key=f"race_{own.backend.id}").click().run()
    assert own.backend.id in page.session_state["lineup"]
    page.button(key=f"remove_{own.backend.id}").click().run()
    assert own.backend.id not in page.session_state["lineup"]
    assert not page.exception


def test_a_backend_that_cannot_race_says_what_to_do(page: AppTest) -> None:
    page = add(page, "http://127.0.0.1:9/v1")
    (own,) = page.session_state["own_backends"]
    page.button(key=f"probe_{own.backend.id}").click().run()
    assert "cannot race yet" in page.status[0].label
    assert not page.exception


def test_what_is_typed_wrongly_is_said(page: AppTest) -> None:
    page = add(page, "http://", model="m")
    assert "address" in texts(page)
    assert "own_backends" not in page.session_state


def test_a_preset_fills_the_form(page: AppTest) -> None:
    page.selectbox(key="form_preset").select("groq").run()
    assert page.text_input(key="form_url").value.startswith("https://api.groq.com")
    assert not page.exception


def test_models_are_listed_by_the_server(page: AppTest, simulator_url: str) -> None:
    page.text_input(key="form_url").input(simulator_url)
    page.button(key="form_list").click().run()
    assert "gpt4-tier-cloud" in page.selectbox(key="form_picked").options
    assert "listed" in texts(page)


def test_the_settings_of_what_was_typed_leave_the_key_out(page: AppTest, simulator_url: str) -> None:
    page = add(page, simulator_url, key="sk-page-secret-123456")
    assert "[backends." in page.code[0].value
    assert "sk-page-secret" not in page.code[0].value
