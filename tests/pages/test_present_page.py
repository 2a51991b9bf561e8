"""The Present page as a script: whatever its address says, it shows something and says what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lib.own_lines import data_folder
from lib.ui import wiring
from tests.store import test_series as series

PAGE = str(Path(__file__).resolve().parents[2] / "pages" / "present.py")
SCRIPT = '[[act]]\ntitle = "One"\nkept = "gone"\n[[act]]\ntitle = "Two"\nkept = "gone too"\n'


@pytest.fixture(scope="module", autouse=True)
def script() -> Iterator[None]:
    wiring.services()
    file = data_folder() / "two-acts.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(SCRIPT, "utf-8")
    yield
    file.unlink()
    wiring.close()


def opened(**query: str) -> AppTest:
    page = AppTest.from_file(PAGE, default_timeout=60)
    for name, value in query.items():
        page.query_params[name] = value
    return page.run()


@pytest.mark.parametrize("name", ["a\0.toml", "never-was.toml", "x" * 5000 + ".toml"])
def test_a_script_that_cannot_be_opened_is_told(name: str) -> None:
    page = opened(acts=name)
    assert not page.exception
    assert "There is no script of acts" in page.warning[0].value


@pytest.mark.parametrize(("asked", "place"), [("2", 1), ("3", 0), ("0", 0), ("9" * 5000, 0), ("-1", 0), ("x", 0)])
def test_the_address_opens_an_act_or_the_first(asked: str, place: int) -> None:
    page = opened(acts="two-acts.toml", act=asked)
    assert not page.exception
    assert page.session_state["show"].place == place


def test_a_series_of_trials_is_no_kept_race_that_could_be_played_but_each_of_its_rounds_is() -> None:
    known = wiring.store()
    assert known is not None
    series.keep(known, [series.round_of(number) for number in range(2)])
    for id_, told in (("series", 1), ("series-1", 0)):
        file = data_folder() / "of-trials.toml"
        file.write_text(f'[[act]]\ntitle = "One"\nkept = "{id_}"\n', "utf-8")
        page = opened(acts=file.name)
        file.unlink()
        assert (len(page.warning), bool(page.exception)) == (told, False)
    known.delete("series")
