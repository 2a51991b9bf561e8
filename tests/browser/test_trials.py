"""A series of trials as a visitor lives it: real app, real requests, headless Chromium."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import App

pytestmark = pytest.mark.browser
CHARTS = "[data-testid=stMain] .vega-embed"


def opened(app: App, page: Page, *lanes: str, rounds: int = 3) -> None:
    page.goto(f"{app.url}/trials?lineup={','.join(lanes)}")
    field = page.get_by_label("Rounds")
    field.fill(str(rounds))
    field.press("Enter")
    expect(field).to_have_value(str(rounds))


def start(page: Page) -> None:
    page.locator(".st-key-start button").click()
    expect(page.locator(".st-key-stop button")).to_be_visible()


def until_over(page: Page) -> None:
    expect(page.get_by_role("button", name="Try again")).to_be_visible(timeout=90_000)


def test_a_series_runs_and_says_only_what_it_showed(app: App, page: Page) -> None:
    opened(app, page, "quick", "steady", "refusing")
    start(page)
    expect(page.get_by_text(re.compile(r"Round 1 of 3 · \d+ of 12 requests"))).to_be_visible()
    until_over(page)
    expect(
        page.get_by_role("heading", name=re.compile(r"Quick is 2\.\d+× Steady .*3 rounds"))
    ).to_be_visible()
    expect(page.get_by_text("Refusing and Quick: too few trials to compare").first).to_be_visible()
    expect(page.locator(CHARTS)).to_have_count(4)
    expect(page.get_by_text("3 of 3", exact=True).first).to_be_visible()


def test_a_series_goes_on_while_other_pages_are_looked_at(app: App, page: Page) -> None:
    opened(app, page, "quick", "steady")
    start(page)
    page.get_by_role("link", name="How it is measured").click()
    expect(page.get_by_text("What each number means")).to_be_visible()
    page.get_by_role("link", name="Trials").click()
    until_over(page)
    expect(page.get_by_role("heading", name=re.compile("3 rounds"))).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name=re.compile("3 rounds"))).to_be_visible()


def test_stop_answers_at_once_and_what_came_stays(app: App, page: Page) -> None:
    opened(app, page, "quick", "endless", rounds=9)
    start(page)
    expect(page.get_by_text(re.compile("asking Endless"))).to_be_visible()
    page.locator(".st-key-stop button").click()
    until_over(page)
    expect(page.get_by_text(re.compile(r"Stopped after \d+ of 20 requests"))).to_be_visible()


def test_a_claim_is_set_against_the_trials(app: App, page: Page) -> None:
    opened(app, page, "quick", "steady")
    start(page)
    until_over(page)
    maximum = page.locator(".st-key-claim_B02")
    expect(maximum).to_contain_text("not shown yet")
    expect(maximum).to_contain_text("do not refute a maximum")
    expect(page.locator(".st-key-claim_A01")).to_contain_text("stays a rumour")


@pytest.mark.parametrize("width", [390, 1440])
def test_the_page_fits_every_width(app: App, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    opened(app, page, "quick", "steady")
    start(page)
    until_over(page)
    expect(page.locator(CHARTS)).to_have_count(4)
    over = "element => element.scrollWidth - element.clientWidth"
    assert page.locator("html").evaluate(over) <= 0
    assert page.locator("[data-testid=stMain]").evaluate(over) <= 0
