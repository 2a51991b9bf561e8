"""The agent page in Chromium: read without a run, a loop run live, approved by a person, stopped, on a phone."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import App

pytestmark = pytest.mark.browser
LANES = ".tr-lane:not(.tr-person)"
KEPT = "Kept in the history like a race"
CHART = "[data-testid='stVegaLiteChart'] canvas, [data-testid='stVegaLiteChart'] svg"


def opened(app: App, page: Page, *lanes: str) -> None:
    page.goto(f"{app.url}/agents?lineup={','.join(lanes)}")
    expect(page.locator(".st-key-start button")).to_be_enabled()


def choose(page: Page, task: str) -> None:
    page.locator(".st-key-agent_trace [data-baseweb='select'], .st-key-agent_trace input").first.click()
    page.get_by_role("option", name=task).click()
    expect(page.get_by_text(f"{task}:")).to_be_visible()


def test_it_reads_without_a_run_and_fits_a_phone(app: App, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    opened(app, page, "gpt-5.6-sol-standard", "gpt-5.6-sol-ultrafast")
    expect(page.get_by_role("heading", name=re.compile("decodes 14.0× as fast"))).to_be_visible()
    expect(page.locator(CHART)).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_loop_runs_live_and_its_recording_is_kept(app: App, page: Page) -> None:
    opened(app, page, "gpt-5.6-sol-ultrafast", "quick")
    choose(page, "Voice turn")
    page.locator(".st-key-start button").click()
    expect(page.locator(LANES)).to_have_count(2)
    expect(page.locator(".tr-turn").first).to_contain_text("Step 1 of 3")
    expect(page.get_by_text(KEPT)).to_be_visible()
    expect(page.locator(".tr-verdict")).to_contain_text("not decoding")
    expect(page.locator(LANES).first).to_contain_text("the whole task, 3 steps")
    loop = parse_qs(urlsplit(page.url).query)["loop"][0]
    page.goto(f"{app.url}/history?kept={loop}")
    expect(page.locator(".tr-verdict")).to_contain_text("not decoding")
    expect(page.locator(LANES)).to_have_count(2)
    page.get_by_role("link", name="Open as a loop").click()
    expect(page.get_by_role("heading", name="The bottleneck moves")).to_be_visible()
    assert parse_qs(urlsplit(page.url).query)["loop"] == [loop]


def test_a_person_is_asked_and_goes_on_with_a_button(app: App, page: Page) -> None:
    opened(app, page, "gpt-5.6-sol-ultrafast", "quick")
    page.get_by_role("button", name="Own trace").click()
    line = b'{"output_tokens": 20, "tool": "approval", "tool_s": 0.1, "review_s": 600}\n'
    trace = {"name": "own.jsonl", "mimeType": "application/jsonl", "buffer": line}
    page.locator(".st-key-agent_upload input[type='file']").set_input_files([trace])
    expect(page.get_by_text("own trace: 1 call;")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator(".st-key-agent_pauses label").click()
    page.locator(".st-key-start button").click()
    for lane in range(2):
        expect(page.locator(LANES).nth(lane)).to_contain_text("a person looks at it")
        page.locator(f".st-key-approve_{lane} button").click()
    expect(page.get_by_text(KEPT)).to_be_visible()


def test_stop_keeps_what_is_there(app: App, page: Page) -> None:
    opened(app, page, "gpt-5.6-sol-ultrafast", "gpt-5.6-sol-standard")
    page.locator(".st-key-start button").click()
    done = re.compile(r"has done [1-9]\d* of 30 steps")
    expect(page.get_by_text(done).first).to_be_visible()
    page.locator(".st-key-stop button").click()
    expect(page.get_by_text(KEPT)).to_be_visible()
    expect(page.locator(".tr-verdict")).to_contain_text(done)
