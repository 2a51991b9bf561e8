"""Model output is data: whatever a model says, the page shows it, runs none of it and fetches nothing for it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_race import LANES, answer, start, until_over
from tests.collector.wire_server import WireServer
from tests.hostile.app import OwnApp, own_app, settings_of
from tests.hostile.outputs import OUTPUTS, fetched, said_by, speaking

pytestmark = pytest.mark.browser
RACES = [list(OUTPUTS)[:8], list(OUTPUTS)[8:]]
RESPONSIVE_S = 5.0  # a page that hangs needs minutes; a busy machine needs a second
DEEP = """
selector => {
  const found = [];
  const walk = root => {
    found.push(...root.querySelectorAll(selector));
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot) walk(element.shadowRoot);
  };
  walk(document);
  return found.map(element => element.outerHTML.slice(0, 200));
}
"""


@pytest.fixture(scope="module")
def speaker() -> Iterator[WireServer]:
    with speaking() as server:
        yield server


@pytest.fixture(scope="module")
def hostile_app(speaker: WireServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnApp]:
    addresses = {name: f"http://{speaker.address}/{name}/v1" for name in OUTPUTS}
    with own_app(tmp_path_factory.mktemp("hostile"), settings_of(addresses, "none")) as app:
        yield app
    assert "Traceback" not in app.said(), app.said()


def asked_elsewhere(page: Page, app: OwnApp) -> list[str]:
    """Collects the page's requests that do not go to the app."""
    elsewhere: list[str] = []

    def look(url: str) -> None:
        if not url.startswith((app.url, app.url.replace("http", "ws"), "data:", "blob:")):
            elsewhere.append(url)

    page.on("request", lambda request: look(request.url))
    return elsewhere


def on_stage(text: str) -> str:
    """Text as the DOM can hold it."""
    return re.sub("[\x00\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)


def answer_time_s(page: Page) -> float:
    began_s = time.monotonic()
    page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    return time.monotonic() - began_s


@pytest.mark.parametrize("names", RACES, ids=["first", "second"])
def test_whatever_is_said_is_shown_and_neither_run_nor_fetched(
    names: list[str], hostile_app: OwnApp, speaker: WireServer, page: Page
) -> None:
    elsewhere = asked_elsewhere(page, hostile_app)
    page.goto(hostile_app.line_up(names))
    start(page)
    until_over(page)
    for place, name in enumerate(names):
        said = on_stage(said_by(name, speaker).text)
        shown = on_stage(answer(page, place))
        assert said[:1000] in shown, name
        assert said.strip()[-200:] in shown, name
    assert answer_time_s(page) < RESPONSIVE_S
    expect(page.get_by_role("heading", name="Answers")).to_be_visible()
    pills = page.locator("[data-testid=stButtonGroup] button").filter(has_text=re.compile(", live"))
    for pill in pills.all()[4:]:
        pill.click()
    expect(page.locator("[data-testid=stButtonGroup] button").filter(has_text=", live").last).to_be_visible()
    page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget]')")
    assert answer_time_s(page) < RESPONSIVE_S
    assert page.evaluate("window.hit") is None
    in_answers = "[data-testid=stMarkdown] "
    assert page.evaluate(DEEP, f"{in_answers}img, {in_answers}script, {in_answers}iframe, {in_answers}svg[onload], "
                               f"{in_answers}.katex, {in_answers}video, {in_answers}object") == []  # fmt: skip
    assert page.evaluate(DEEP, "a[href^='javascript' i], a[href^='data' i], a[href^='vbscript' i]") == []
    assert page.evaluate(DEEP, f".tr-lane img, .tr-lane script, .tr-lane a, {LANES} iframe") == []
    assert page.evaluate(DEEP, ".tr-metrics img, .tr-metrics script, .tr-metrics a") == []
    page.get_by_text("as it came").click()
    expect(page.locator("[data-testid=stCode]").first).to_be_visible()
    assert page.evaluate("window.hit") is None
    assert elsewhere == []
    assert fetched(speaker) == []


def test_the_policy_stops_a_picture_from_elsewhere_even_when_markup_asks_for_it(
    hostile_app: OwnApp, speaker: WireServer, page: Page
) -> None:
    page.goto(hostile_app.url)
    expect(page.locator(".st-key-start button")).to_be_visible()
    directive = page.evaluate(
        """url => new Promise(done => {
          addEventListener("securitypolicyviolation", event => done(event.effectiveDirective));
          const picture = new Image();
          picture.src = url;
          document.body.append(picture);
        })""",
        f"http://{speaker.address}/direct.png",
    )
    assert directive == "img-src"
    assert "GET /direct.png HTTP/1.1" not in fetched(speaker)
