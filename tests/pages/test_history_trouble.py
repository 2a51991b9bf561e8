"""While nothing is kept, every page says so, why, and what to do; when all is well no page says anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lib.store.keeper import Keeper
from lib.store.trouble import Trouble
from lib.ui import wiring

ROOT = Path(__file__).resolve().parents[2]
FRAME = str(ROOT / "lib" / "ui" / "frame.py")
PAGES = ["pages/race.py", "pages/trials.py", "pages/agent_loop.py", "pages/history.py"]


@pytest.fixture(scope="module", autouse=True)
def services() -> Iterator[None]:
    wiring.services()
    wiring.catalogue().wait(30)
    yield
    wiring.close()


def warnings(page: str, address: dict[str, str] | None = None) -> list[str]:
    shown = AppTest.from_file(FRAME, default_timeout=30)
    for name, value in (address or {}).items():
        shown.query_params[name] = value
    shown.run()
    if page != PAGES[0]:
        shown.switch_page(str(ROOT / page)).run()
    assert not shown.exception
    return [one.value for one in shown.warning]


@pytest.mark.parametrize("page", PAGES)
def test_a_full_disk_is_told_on_every_page_with_what_to_do(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not any("history" in told for told in warnings(page))
    monkeypatch.setattr(Keeper, "trouble", Trouble.FULL)
    told = warnings(page)
    assert [one for one in told if "disk is full" in one and "Make room" in one]


def test_a_run_that_is_not_in_the_history_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Keeper, "is_lost", lambda _keeper, run_id: run_id == "lost-one")
    assert any("recording" in told for told in warnings(PAGES[0], {"run": "lost-one"}))
    assert not any("recording" in told for told in warnings(PAGES[0], {"run": "kept-one"}))
