"""A kept race as a visitor lives it: found, opened, replayed, tagged, compared, deleted, brought back, handed on."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from lib.server_process import Ready, ServerProcess
from tests.browser.app_with_settings import AppWithSettings, app_with_settings
from tests.browser.test_present import lane, tables, text

pytestmark = pytest.mark.browser
ENDED = re.compile("done|stopped|failed|incomplete|interrupted")
MARKS = (f"zebra{number}" for number in itertools.count())  # a word of its own in every race's prompt
ROW_PX = 33  # of the table, its head too
TICK_PX = 18  # from the left: where a row is chosen


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppWithSettings]:
    folder = tmp_path_factory.mktemp("history")
    simulator = ServerProcess("lib.simulator")
    simulator.start()
    ready = simulator.wait(30)
    assert isinstance(ready, Ready)
    environment = {"TOKENRACE_DATA": str(folder)}
    try:
        with app_with_settings(folder, tables(ready.base_url), environment=environment) as running:
            yield running
    finally:
        simulator.close()


def race(app: AppWithSettings, page: Page, query: str) -> None:
    page.goto(f"{app.url}/?{query}")
    page.locator(".st-key-start button").click()
    expect(page.locator(".tr-verdict")).to_be_visible()
    expect(page.locator(".st-key-start button")).to_be_visible()


def history(page: Page) -> None:
    page.get_by_role("link", name="History").click()
    expect(page.get_by_role("heading", name="History")).to_be_visible()
    expect(table(page)).to_be_visible()


def table(page: Page) -> Locator:
    return page.locator("[data-testid=stDataFrame] canvas").first


def choose(page: Page, row: int) -> None:
    box = table(page).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + TICK_PX, box["y"] + ROW_PX * (row + 1.5))


def search(page: Page, words: str) -> None:
    page.get_by_role("textbox", name="Search").fill(words)
    page.keyboard.press("Enter")


def count(page: Page) -> Locator:
    return page.get_by_text(re.compile(r"^\d+ (entry|entries)$"))


def scrub(page: Page, share: float) -> None:
    page.locator(".tr-replay-slider").evaluate(
        "(slider, share) => { slider.value = share * slider.max; slider.dispatchEvent(new Event('input')); }",
        share,
    )


@dataclass(frozen=True, slots=True)
class Opened:
    """A race that was just run, open in the history: its mark, and its answers as they were live."""

    page: Page
    mark: str
    answers: tuple[str, str]


@pytest.fixture
def kept(app: AppWithSettings, page: Page) -> Opened:
    mark = next(MARKS)
    race(app, page, f"lineup=swift,steady&max_tokens=300&prompt=Why%20stripes,%20{mark}%3F")
    answers = (text(page, 0), text(page, 1))
    history(page)
    search(page, mark)
    expect(count(page)).to_have_text("1 entry")
    choose(page, 0)
    page.locator(".st-key-history_open button").click()
    expect(page.get_by_role("button", name="Back to the list")).to_be_visible()
    expect(page.locator(".tr-replay")).to_be_visible()
    return Opened(page, mark, answers)


@pytest.fixture
def opened(kept: Opened) -> Page:
    return kept.page


def test_a_race_is_found_opened_and_shown_as_it_ended(kept: Opened) -> None:
    opened = kept.page
    expect(opened.locator(".tr-verdict")).to_contain_text("Swift")
    assert (text(opened, 0), text(opened, 1)) == kept.answers
    expect(opened).to_have_url(re.compile("kept="))


def test_the_scrub_bar_moves_the_text_back_and_on(opened: Page) -> None:
    whole = text(opened, 0)
    scrub(opened, 0.2)
    expect(opened.locator(".tr-verdict")).to_be_hidden()
    early = text(opened, 0)
    assert 0 < len(early) < len(whole)
    assert whole.startswith(early)
    scrub(opened, 0)
    assert lane(opened, 0).get_attribute("data-phase") != "done"
    scrub(opened, 1)
    expect(opened.locator(".tr-verdict")).to_be_visible()
    assert text(opened, 0) == whole


def test_a_replay_plays_to_the_end_by_itself(opened: Page) -> None:
    whole = text(opened, 1)
    opened.get_by_role("button", name="Play", exact=True).click()
    expect(opened.locator(".tr-verdict")).to_be_hidden()
    expect(lane(opened, 1)).to_have_attribute("data-phase", "done")
    expect(opened.locator(".tr-verdict")).to_be_visible()
    assert text(opened, 1) == whole


def test_a_tag_and_a_note_stay_and_find_the_race(kept: Opened) -> None:
    opened = kept.page
    opened.get_by_label("Tags").press_sequentially("savanna")
    opened.get_by_role("option", name="savanna").click()
    expect(opened.locator(".st-key-kept_tags")).to_contain_text("savanna")
    opened.get_by_label("Notes").fill("shown on Monday")
    opened.keyboard.press("Tab")
    address = opened.url
    expect(opened.locator(".st-key-kept_tags")).to_contain_text("savanna")
    opened.get_by_role("button", name="Back to the list").click()
    search(opened, f"savanna monday {kept.mark}")
    expect(count(opened)).to_have_text("1 entry")
    opened.goto(address)
    expect(opened.get_by_label("Notes")).to_have_value("shown on Monday")
    expect(opened.locator(".st-key-kept_tags")).to_contain_text("savanna")


def test_two_races_are_compared(app: AppWithSettings, opened: Page) -> None:
    race(app, opened, "lineup=steady,ghost:300:100&max_tokens=200")
    history(opened)
    choose(opened, 0)
    expect(opened.locator(".st-key-history_open button")).to_be_enabled()
    choose(opened, 1)
    opened.locator(".st-key-history_compare button").click()
    expect(opened.get_by_role("heading", name="Compared")).to_be_visible()
    expect(opened.locator("[data-testid=stDataFrame]")).to_have_count(2)


def test_a_deleted_race_is_gone_and_comes_back(kept: Opened) -> None:
    opened = kept.page
    opened.get_by_role("button", name="Back to the list").click()
    search(opened, kept.mark)
    expect(count(opened)).to_have_text("1 entry")
    choose(opened, 0)
    opened.locator(".st-key-history_delete button").click()
    expect(opened.get_by_text("1 race deleted.")).to_be_visible()
    expect(opened.get_by_text("No race fits.")).to_be_visible()
    opened.locator(".st-key-history_undo_button button").click()
    expect(count(opened)).to_have_text("1 entry")
    expect(opened.get_by_text("1 race deleted.")).to_have_count(0)


def test_a_link_opens_the_same_prompt_backends_and_settings_in_another_visit(
    app: AppWithSettings, page: Page
) -> None:
    race(
        app,
        page,
        "lineup=steady,ghost:300:100&max_tokens=120&prompt=Why%3F%20%2B%26&reader=en&mode=one%20by%20one",
    )
    address = page.locator("[data-testid=stCode]").filter(has_text="lineup=").inner_text().strip()
    assert address.startswith(app.url)
    context = page.context.browser.new_context()  # type: ignore[union-attr]
    other = context.new_page()
    other.goto(address)
    expect(other.locator("textarea").first).to_have_value("Why? +&")
    lanes = other.locator(".tr-grid > .tr-lane:not(.tr-person) .tr-name")
    expect(lanes).to_have_text(["Steady", "300 tok/s ghost"])
    expect(other.locator(".st-key-settings_popover")).to_contain_text("one by one · 120 tokens")
    context.close()


def test_a_ghost_is_added_by_hand_and_runs_at_its_speed(app: AppWithSettings, page: Page) -> None:
    page.goto(f"{app.url}/?lineup=swift,steady&max_tokens=400")
    page.get_by_role("button", name="+ backend").click()
    page.get_by_label("Tokens per second").fill("500")
    page.get_by_label("First token after (ms)").fill("150")
    page.get_by_label("First token after (ms)").press("Tab")
    page.get_by_role("button", name="Add ghost").click()
    expect(lane(page, 2).locator(".tr-name")).to_have_text("500 tok/s ghost")
    page.keyboard.press("Escape")
    page.locator(".st-key-start button").click()
    expect(lane(page, 2)).to_have_attribute("data-phase", "done")
    expect(page.locator(".tr-verdict")).to_be_visible()
    expect(lane(page, 2).locator(".tr-badge")).to_contain_text("simulated")
    assert float(lane(page, 2).locator(".tr-number").inner_text()) == pytest.approx(
        500, rel=0.2
    )  # the machine may be busy
    ttft = lane(page, 2).locator(".tr-figure-ttft dd").inner_text()
    assert float(ttft.removesuffix(" ms")) == pytest.approx(150, abs=40)
