"""Why it is fast, as a visitor sees it: every picture drawn, a pair run live, a sweep measured and stopped."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PICTURES, App
from tests.browser.test_race import ENDED, LANES

pytestmark = pytest.mark.browser
PICTURES_ON_THE_PAGE = 8
LIVE_MS = 120_000  # two local models may have to be converted first, and run one after the other
CHARTS = "[data-testid=stMain] .vega-embed:not(.st-key-limits_measured_lanes *)"  # that one only with a kept race


def opened(app: App, page: Page) -> None:
    page.goto(f"{app.url}/speed_limits")
    expect(page.get_by_role("heading", name="Why it is fast")).to_be_visible()
    expect(page.locator(CHARTS)).to_have_count(PICTURES_ON_THE_PAGE)


def test_every_picture_is_drawn_and_a_slider_moves_its_sentence(app: App, page: Page) -> None:
    opened(app, page)
    expect(page.get_by_text("6 guesses at once are best")).to_be_visible()
    slider = page.get_by_role("slider", name="Share of guesses that are right")
    slider.focus()
    slider.press("Home")
    expect(page.get_by_text("guessing only costs time")).to_be_visible()


def test_a_formula_tells_its_source_and_its_end(app: App, page: Page) -> None:
    opened(app, page)
    page.get_by_text("Formula, source, and where it stops being true").first.click()
    expect(page.get_by_text("Scaling Book, chapter on inference").first).to_be_visible()
    expect(page.get_by_text("Stops being true").first).to_be_visible()


def test_a_pair_runs_live_and_says_what_it_showed(app: App, page: Page) -> None:
    opened(app, page)
    page.locator(".st-key-limits_pair_width button").click()
    for place in range(2):
        expect(page.locator(LANES).nth(place)).to_have_attribute("data-phase", ENDED, timeout=LIVE_MS)
    expect(page.get_by_text("the speed of SmolLM2 135M F32")).to_be_visible()
    expect(page.get_by_text("Gaps between").first).to_be_attached()
    expect(page.locator(CHARTS)).to_have_count(PICTURES_ON_THE_PAGE + 2)


def test_a_sweep_is_measured_up_to_64_users_and_finds_its_knee(app: App, page: Page) -> None:
    opened(app, page)
    page.locator(".st-key-limits_sweep_start button").click()
    expect(page.get_by_text(re.compile(r"from 1 user to 64 users"))).to_be_visible(timeout=LIVE_MS)
    expect(page.get_by_text(re.compile("The knee is at (16|32) users"))).to_be_visible()


def test_a_stopped_sweep_says_so(app: App, page: Page) -> None:
    opened(app, page)
    page.locator(".st-key-limits_sweep_start button").click()
    page.locator(".st-key-limits_sweep_stop button").click()
    expect(page.get_by_text("Stopped; the levels measured until then stay.")).to_be_visible()
    expect(page.locator(".st-key-limits_sweep_start button")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_the_page_without_scrolling_sideways(app: App, browser: Browser, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": 390, "height": 844},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page = context.new_page()
    opened(app, page)
    main = page.locator("[data-testid='stMain']")
    assert main.evaluate("element => element.scrollWidth - element.clientWidth") <= 0
    PICTURES.mkdir(exist_ok=True)
    page.screenshot(path=str(PICTURES / f"speed-limits-390-{scheme}.png"))
    context.close()
