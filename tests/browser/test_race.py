"""The race as a visitor lives it: real app, real streams, headless Chromium."""

from __future__ import annotations

import json
import re
import urllib.request

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import App

pytestmark = pytest.mark.browser
LANES = ".tr-grid > .tr-lane:not(.tr-person)"
ENDED = re.compile("done|stopped|failed|incomplete|interrupted")


def answer(page: Page, place: int) -> str:
    return page.locator(LANES).nth(place).locator(".tr-text").evaluate("element => element.textContent")


def start(page: Page) -> None:
    page.locator(".st-key-start button").click()


def until_text(page: Page, place: int) -> None:
    expect(page.locator(LANES).nth(place)).to_have_attribute("data-phase", re.compile("answering|done"))


def until_over(page: Page) -> None:
    expect(page.locator(".st-key-start button")).to_be_visible()
    for place in range(page.locator(LANES).count()):
        expect(page.locator(LANES).nth(place)).to_have_attribute("data-phase", ENDED)


def test_a_first_visit_is_ready_to_race(app: App, page: Page) -> None:
    page.goto(app.url)
    expect(page.locator(".st-key-start button")).to_be_enabled()
    expect(page.locator("textarea").first).to_have_value(re.compile("lighthouse"))
    expect(page.locator(LANES)).to_have_count(4)
    expect(page.locator(".tr-person")).to_be_visible()
    words = page.locator(f"{LANES} .tr-badge").all_inner_texts()
    assert [word.split()[-1] for word in words][1:] == ["simulated"] * 3


def test_one_press_of_start_streams_every_lane_and_ends_in_a_verdict(app: App, page: Page) -> None:
    page.goto(app.line_up("quick", "steady"))
    start(page)
    for place in range(2):
        until_text(page, place)
    until_over(page)
    expect(page.locator(".tr-headline")).to_contain_text("a person needs")
    first = page.locator(LANES).first
    assert float(first.locator(".tr-number").inner_text()) == pytest.approx(400, rel=0.1)
    expect(first.locator(".tr-place")).to_have_text("1st")
    expect(page.locator(LANES).nth(1).locator(".tr-place")).to_have_text("2nd")
    expect(page.locator("canvas").first).to_be_visible()
    expect(page.get_by_text("TTFT", exact=False).first).to_be_visible()


def test_a_refresh_a_second_tab_and_a_page_switch_lose_nothing(app: App, page: Page) -> None:
    page.goto(app.line_up("endless", "steady"))
    start(page)
    until_text(page, 0)
    page.wait_for_url("**run=*")
    before = answer(page, 0)
    page.reload()
    until_text(page, 0)
    assert answer(page, 0).startswith(before)
    second = page.context.new_page()
    second.goto(page.url)
    until_text(second, 0)
    assert answer(second, 0).startswith(before)
    second.close()
    page.get_by_role("link", name="How it is measured").click()
    expect(page.get_by_role("heading", name="How it is measured")).to_be_visible()
    page.get_by_role("link", name="Race").click()
    until_text(page, 0)
    assert answer(page, 0).startswith(before)
    page.locator(".st-key-stop button").click()
    until_over(page)


def test_stop_ends_every_lane_and_keeps_the_text(app: App, page: Page) -> None:
    page.goto(app.line_up("endless", "endless"))
    start(page)
    until_text(page, 1)
    page.locator(".st-key-stop button").click()
    until_over(page)
    assert page.locator(LANES).nth(0).get_attribute("data-phase") == "stopped"
    assert len(answer(page, 0)) > 0


def test_one_lane_is_stopped_and_run_again(app: App, page: Page) -> None:
    page.goto(app.line_up("endless", "quick"))
    start(page)
    until_text(page, 0)
    page.locator(LANES).nth(0).get_by_role("button", name="Stop").click()
    expect(page.locator(LANES).nth(0)).to_have_attribute("data-phase", "stopped")
    until_over(page)
    page.locator(LANES).nth(1).get_by_role("button", name="again").first.click()
    expect(page.locator(".st-key-stop button")).to_be_visible()
    until_over(page)
    assert page.locator(LANES).nth(1).get_attribute("data-phase") == "done"


def test_focus_shows_one_lane_and_escape_returns(app: App, page: Page) -> None:
    page.goto(app.line_up("quick", "steady"))
    start(page)
    until_over(page)
    page.locator(LANES).nth(1).get_by_role("button", name=re.compile("large")).click()
    expect(page.locator(LANES).nth(0)).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator(LANES).nth(0)).to_be_visible()


def test_a_failing_lane_says_what_happened_and_touches_no_other(app: App, page: Page) -> None:
    page.goto(app.line_up("broken", "refusing", "quick"))
    start(page)
    until_over(page)
    broken, refusing, quick = (page.locator(LANES).nth(place) for place in range(3))
    expect(broken.locator(".tr-failure-title")).to_have_text("Connection cut")
    assert len(answer(page, 0)) > 20
    expect(refusing.locator(".tr-failure-title")).to_have_text("Server error")
    expect(refusing.locator(".tr-failure-advice")).not_to_be_empty()
    expect(quick).to_have_attribute("data-phase", "done")


def test_model_output_stays_text_and_nothing_is_fetched_for_it(app: App, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(app.line_up("f107-html-and-script", "f105-two-dollar-amounts"))
    start(page)
    until_over(page)
    assert "<script>" in answer(page, 0) or "<img" in answer(page, 0)
    assert "$" in answer(page, 1)
    with urllib.request.urlopen(f"{app.replay_url}/_log") as response:
        assert not [entry for entry in json.load(response) if entry.get("beacon")]
    assert not [url for url in asked if "beacon" in url]
    assert page.evaluate("window.replayed") is None


def test_a_key_from_the_settings_is_nowhere_in_the_page(app: App, page: Page) -> None:
    frames: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(str(frame))))
    page.goto(app.line_up("f58-error-object-first-with-200", "quick"))
    start(page)
    until_over(page)
    assert "sk-browser-secret" not in page.content() + "".join(frames)


def test_the_same_backend_races_itself_in_eight_lanes(app: App, page: Page) -> None:
    page.goto(app.line_up(*["quick"] * 8))
    expect(page.locator(LANES)).to_have_count(8)
    start(page)
    until_over(page)
    assert len(set(page.locator(f"{LANES} .tr-place").all_inner_texts())) == 8


def test_a_backend_is_added_removed_and_typed_in(app: App, page: Page) -> None:
    page.goto(app.line_up("quick", "steady"))
    page.get_by_role("button", name="+ backend").click()
    page.get_by_label("Base URL").fill("127.0.0.1:9/v1/")
    page.get_by_label("Model", exact=True).fill("my-model")
    page.get_by_label("Key", exact=True).fill("sk-typed-secret-1234")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(LANES)).to_have_count(3)
    page.keyboard.press("Escape")
    start(page)
    until_over(page)
    expect(page.locator(LANES).nth(2).locator(".tr-failure-title")).to_have_text("No connection")
    assert "sk-typed-secret" not in page.content()
    page.get_by_role("button", name="Remove my-model").click()
    expect(page.get_by_role("button", name="Remove my-model")).to_have_count(0)
    start(page)
    expect(page.locator(LANES)).to_have_count(2)
    until_over(page)


@pytest.mark.parametrize("width", [390, 768, 1440, 2560])
def test_the_page_fits_every_width(app: App, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(app.line_up("quick", "steady", "thinker"))
    start(page)
    until_over(page)
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    inside = page.locator("[data-testid=stMain]").evaluate(
        "element => element.scrollWidth - element.clientWidth"
    )
    assert inside <= 0


def test_thinking_is_shown_apart_from_the_answer(app: App, page: Page) -> None:
    page.goto(app.line_up("thinker", "quick"))
    start(page)
    until_over(page)
    assert page.locator(LANES).first.locator(".tr-thinking").count() >= 1
    assert page.locator(LANES).first.locator(".tr-answer").count() >= 1


def test_a_figure_says_how_it_was_measured_to_the_pointer_and_to_the_keyboard(app: App, page: Page) -> None:
    page.goto(app.line_up("quick", "steady"))
    start(page)
    until_over(page)
    box, first = page.locator(".tr-how"), page.locator(LANES).first
    first.locator(".tr-figure-ttft").hover()
    expect(box).to_contain_text("usage of the server")
    expect(box).to_contain_text(re.compile(r"\d ms, measured on this screen"))
    page.mouse.move(2, 2)
    expect(box).not_to_be_visible()
    first.locator(".tr-hero").focus()
    expect(box).to_contain_text("exact decode rate")
    page.keyboard.press("Escape")
    expect(box).not_to_be_visible()
    line = page.locator("details.how")
    line.locator("summary").click()
    expect(line).to_contain_text(re.compile(r"\d ms, on the screen that showed it"))
    expect(line.locator("dl")).to_have_count(2)
