"""The History page as a script: finding, opening, noting, comparing, deleting and bringing back kept races."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lib.domain.run import Prompt, Run
from lib.store.store import Store
from lib.ui import wiring
from lib.ui.state import component_key
from tests.metrics.building import backend, run, steady

PAGE = str(Path(__file__).resolve().parents[2] / "pages" / "history.py")


@pytest.fixture(scope="module", autouse=True)
def store() -> Iterator[Store]:
    wiring.services()
    known = wiring.store()
    assert known is not None
    for number in range(3):
        known.save(kept(f"kept-{number}", 1 + number))
    yield known
    wiring.close()


def kept(id_: str, speed: int) -> Run:
    lanes = [(backend("Sol"), steady(60, each_ms=10)), (backend("Ultra"), steady(60, each_ms=speed))]
    return replace(run(lanes), id=id_, started_at=f"2026-11-30T0{speed}:00:00+00:00")


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_file(PAGE, default_timeout=60).run()


def listed(page: AppTest) -> int:
    return len(page.dataframe[0].value)


def test_kept_races_are_listed_newest_first(page: AppTest) -> None:
    assert not page.exception
    assert listed(page) >= 3
    assert page.dataframe[0].value["Date (UTC)"].is_monotonic_decreasing


def test_a_search_that_finds_nothing_says_so(page: AppTest) -> None:
    page.text_input(key="history_text").input("zebra crossing").run()
    assert "No race fits." in page.info[0].value


def test_a_filter_that_leaves_fewer_pages_shows_the_first_of_them(page: AppTest, store: Store) -> None:
    many = [f"many-{number}" for number in range(60)]
    for number, id_ in enumerate(many):
        store.save(kept(id_, 1))
        store.tag(id_, ["few"] if number < 30 else ["others"])
    page.session_state["history_page"] = 3
    page.run()
    page.selectbox(key="history_tag").select("few").run()
    assert (listed(page), page.session_state["history_page"], bool(page.exception)) == (25, 1, False)
    for id_ in many:
        store.delete(id_)


def test_a_race_is_opened_noted_and_left(page: AppTest, store: Store) -> None:
    page.session_state["history_opened"] = "kept-0"
    page.run()
    assert not page.exception
    page.text_input(key="kept_notes").input("shown to the board").run()
    assert store.row("kept-0").notes == "shown to the board"
    page.button(key="kept_back").click().run()
    assert listed(page) >= 3


def test_a_race_that_is_gone_is_told(page: AppTest) -> None:
    page.query_params["kept"] = "never-was"
    page.run()
    assert not page.exception
    assert "not in the history" in page.warning[0].value


def test_races_are_compared(page: AppTest) -> None:
    page.session_state["history_compared"] = ("kept-0", "kept-1")
    page.run()
    assert not page.exception
    assert len(page.dataframe[1].value) == 4


def test_a_deletion_can_be_undone(page: AppTest, store: Store) -> None:
    before = store.page().total
    store.delete("kept-2")
    page.session_state["history_undo"] = ("kept-2",)
    page.run()
    assert store.page().total == before - 1
    beside = [[one.key for one in column.button] for column in page.columns if column.button or column.info]
    assert beside[0] == ["history_undo_button"]  # left of what it undoes, where no tool of the table covers it
    page.button(key="history_undo_button").click().run()
    assert store.page().total == before
    assert not page.exception


def test_what_was_chosen_is_not_carried_over_to_other_rows(page: AppTest, store: Store) -> None:
    def table() -> str:
        return str(page.run().dataframe[0].proto.id)

    before = table()
    assert table() == before
    store.delete("kept-1")
    after = table()
    store.restore("kept-1")
    assert (after != before, table() == before) == (True, True)


def test_a_comparison_of_runs_with_different_prompts_says_so(page: AppTest, store: Store) -> None:
    told = "These runs answered different prompts"
    other = kept("other-prompt", 4)
    store.save(replace(other, prompt=replace(other.prompt, text="Quite another question")))
    for ids, is_told in ((("kept-0", "kept-1"), False), (("kept-0", "other-prompt"), True)):
        page.session_state["history_compared"] = ids
        page.run()
        assert any(told in one.value for one in page.caption) == is_told


def test_a_comparison_says_how_each_lane_was_measured_when_it_is_asked(page: AppTest) -> None:
    page.session_state["history_compared"] = ("kept-0", "kept-1")
    page.run()
    assert not any("Display lag" in one.value for one in page.markdown)
    page.session_state["compare_how"] = True
    page.run()
    told = [one.value for one in page.markdown if "Display lag" in one.value]
    assert not page.exception
    assert len(told) >= 2
    assert all("Token source" in one and "Versions" in one for one in told)


def test_the_runs_of_one_prompt_are_found_from_one_of_them(page: AppTest, store: Store) -> None:
    text = "Why is the sea salt?\nTwo lines."
    for number in range(2):
        store.save(replace(kept(f"salt-{number}", 1), prompt=Prompt(text), started_at="2026-11-30T09:00:00+00:00"))
    store.save(replace(kept("salt-more", 1), prompt=Prompt(text + " And warm?"), started_at="2026-11-30T09:01:00+00:00"))
    page.run()
    others = listed(page)
    page.text_area(key="history_prompt").input(text).run()
    assert not page.exception
    assert (listed(page), others > 2) == (2, True)


@pytest.mark.parametrize("id_", ["kept__0", "___", "a_-__-_b"])
def test_a_run_opens_whatever_signs_its_id_has(page: AppTest, store: Store, id_: str) -> None:
    store.save(kept(id_, 1))
    page.session_state["history_opened"] = id_
    page.run()
    assert not page.exception
    assert "__" not in component_key(f"metrics-{id_}")
