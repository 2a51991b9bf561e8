"""The player in a real browser, over a real WebSocket: what node's tests cannot see. Waits for states only."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from aiohttp import web
from playwright.sync_api import Browser, Page, sync_playwright

from tests.player_harness.scenarios import messages
from tests.player_harness.server import application

pytestmark = pytest.mark.browser
LANES = "document.getElementById('host').shadowRoot.querySelectorAll('.tr-lane:not(.tr-person)')"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The harness on a free port of loopback."""
    loop = asyncio.new_event_loop()
    runner = web.AppRunner(application(), shutdown_timeout=0)
    started = threading.Event()

    async def start() -> None:
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        started.set()

    thread = threading.Thread(target=lambda: (loop.run_until_complete(start()), loop.run_forever()))
    thread.start()
    started.wait()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[Browser]:
    """Headless Chromium."""
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium_path, args=arguments)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A tab in which any script error, or any request that leaves loopback, fails the test."""
    wrong: list[str] = []
    opened = browser.new_page(viewport={"width": 1440, "height": 900})
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("request", lambda request: _note_foreign(wrong, request.url))
    yield opened
    opened.close()
    assert wrong == []


def _note_foreign(wrong: list[str], url: str) -> None:
    if urlsplit(url).hostname != "127.0.0.1":
        wrong.append(url)


def _sent(scenario: str, lane: int) -> str:
    rows = (row for message in messages(scenario) for row in message.get("d", []) if row[0] == lane)
    return "".join("".join(pairs[1::2]) for _, _, pairs in rows)


def _shown(page: Page, lane: int) -> str:
    blocks = f"[...{LANES}[{lane}].querySelectorAll('.tr-block')].map((block) => block.textContent).join('')"
    return str(page.evaluate(blocks))


def _wait(page: Page, state: str) -> None:
    page.wait_for_function(state, timeout=60_000)


def test_every_character_arrives_once_though_every_connection_is_cut(page: Page, address: str) -> None:
    page.goto(f"{address}/?scenario=four&drop=25&done=1")
    _wait(page, "window.fired?.length > 0")
    for lane in range(4):
        assert _shown(page, lane) == _sent("four", lane)
    assert [name for name, _ in page.evaluate("window.fired")] == ["finished"]


def test_thinking_code_and_tool_calls_are_shown_whole(page: Page, address: str) -> None:
    page.goto(f"{address}/?scenario=thinking&done=1")
    _wait(page, "window.fired?.length > 0")
    for lane in range(4):
        assert _shown(page, lane) == _sent("thinking", lane)
    assert page.evaluate(f"{LANES}[3].querySelectorAll('.tr-code').length") > 0


def test_the_text_stays_where_a_person_scrolled_until_asked_to_follow(page: Page, address: str) -> None:
    page.goto(f"{address}/?scenario=four")
    text = f"{LANES}[0].querySelector('.tr-text')"
    page.locator(".tr-text").nth(1).wait_for()
    _wait(page, f"{text}.scrollTop > 100")
    page.locator(".tr-text").nth(1).hover()
    page.mouse.wheel(0, -5000)
    _wait(page, f"{text}.scrollTop === 0")
    height = page.evaluate(f"{text}.scrollHeight")
    _wait(page, f"{text}.scrollHeight > {height}")
    assert page.evaluate(f"{text}.scrollTop") == 0
    page.locator(".tr-to-tail").nth(1).click()
    _wait(page, f"{text}.scrollTop > 0")


def test_focus_shows_one_lane_and_the_reader_and_escape_returns(page: Page, address: str) -> None:
    page.goto(f"{address}/?scenario=four&done=1")
    page.locator(".tr-focus").nth(2).click()
    assert page.locator(".tr-lane:visible").count() == 2
    assert page.locator(".tr-person .tr-ahead").inner_text() == "reads GPT-5.6 Sol standard"
    page.keyboard.press("Escape")
    assert page.locator(".tr-lane:visible").count() == 5


def test_stop_names_its_lane(page: Page, address: str) -> None:
    page.goto(f"{address}/?scenario=four")
    page.get_by_role("button", name="Stop GPT-4-class cloud").click()
    assert page.evaluate("window.fired") == [["command", {"kind": "stop", "lane": 1, "n": 1}]]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_is_that_of_the_page_behind_it(page: Page, address: str, theme: str) -> None:
    page.goto(f"{address}/?scenario=two&idle=1&theme={theme}")
    assert page.locator(".tr").get_attribute("data-theme") == theme


def test_nothing_above_the_lanes_moves_them_from_before_the_race_to_after(page: Page, address: str) -> None:
    page.goto(f"{address}/?scenario=four&idle=1&done=1")
    top = "document.getElementById('host').shadowRoot.querySelector('.tr-grid').getBoundingClientRect().top"
    _wait(page, "window.start")
    before = page.evaluate(top)
    page.evaluate("window.start()")
    _wait(page, "window.fired?.length > 0")
    assert page.evaluate(top) == before


def test_a_refresh_keeps_the_reader_where_time_has_brought_it(page: Page, address: str) -> None:
    page.goto(f"{address}/?scenario=two&id=kept")
    playhead = "window.__tokenrace?.player.shownAt"
    _wait(page, f"{playhead} > 2500 && Object.keys(sessionStorage).length > 0")
    before = page.evaluate(f"({playhead}) - performance.now() - performance.timeOrigin")
    page.reload()
    _wait(page, f"{playhead} > 2500")
    after = page.evaluate(f"({playhead}) - performance.now() - performance.timeOrigin")
    assert abs(after - before) < 500


def test_a_race_that_has_ended_can_be_played_again_on_the_same_stage(page: Page, address: str) -> None:
    page.goto(f"{address}/?scenario=four&done=1")
    _wait(page, "window.fired?.length > 0")
    verdict = page.locator(".tr-headline").inner_text()
    page.get_by_role("button", name="Play this race again").click()
    assert page.locator(".tr-replay").is_visible()
    page.keyboard.press("Home")
    page.keyboard.press("f")
    assert page.locator(".tr-verdict").count() == 0
    page.get_by_role("button", name="Leave the replay").click()
    page.locator(".tr-verdict").wait_for()
    assert page.locator(".tr-headline").inner_text() == verdict
    assert not page.locator(".tr-replay").is_visible()
    assert [name for name, _ in page.evaluate("window.fired")] == ["finished"]
