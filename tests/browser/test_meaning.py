"""The page "What it means" in a real browser: the strip plays, and a pasted text is text wherever it stands."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import App
from tests.browser.test_race import LANES

pytestmark = pytest.mark.browser
HOSTILE = '<img src=x onerror="document.title=\'taken\'"> **not bold** $x$ :red[no]'


def test_the_strip_plays_from_its_button_and_its_lanes_end_in_the_order_of_their_speeds(page: Page, app: App) -> None:
    page.goto(f"{app.url}/meaning?text=story-en")
    expect(page.locator(LANES)).to_have_count(6)
    page.get_by_role("button", name="Play from the start").click()
    expect(page.get_by_text("of 6 finished")).to_be_visible()
    page.wait_for_function("document.body.innerText.length && window.__tokenrace.player.replay.playhead.playing")
    ends = page.evaluate("window.__tokenrace.player.race.lanes.map((lane) => lane.latest.end.t)")
    assert ends == sorted(ends, reverse=True)


def test_a_pasted_text_stays_text_under_every_tokenizer(page: Page, app: App) -> None:
    page.goto(f"{app.url}/meaning?speed=60")
    box = page.get_by_label("The text itself: type or paste your own")
    box.fill(HOSTILE)
    box.press("Control+Enter")
    cards = page.locator(".tr-tokens .text")
    expect(cards.first).to_have_text(HOSTILE)
    assert cards.count() >= 4
    assert page.locator(".tr-tokens img, .tr-lane img").count() == 0
    assert page.title() != "taken"
    borders = cards.first.locator(".token").first.evaluate("(token) => getComputedStyle(token).borderInlineEndStyle")
    assert borders == "solid"
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".meaning-speed")).to_have_text("60 tok/s")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
