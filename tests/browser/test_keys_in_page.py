"""A known key, from the settings and typed in by a visitor: the page, its streams and the log hold no piece of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_race import LANES, start, until_over
from tests.collector.wire_server import WireServer
from tests.hostile.app import OwnApp, own_app, settings_of
from tests.hostile.echoing import PLAIN, SHAPED, echoing, left_of

pytestmark = pytest.mark.browser
RACED = ["401", "429", "error-in-stream", "headers", "names", "reports", "texts", "broken-frame"]
TYPED = SHAPED
WHOLE_DOM = """
() => {
  const parts = [];
  const walk = root => {
    parts.push(root.innerHTML ?? "");
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot) walk(element.shadowRoot);
  };
  walk(document.documentElement);
  return parts.join("\\n") + JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie;
}
"""


@pytest.fixture(scope="module")
def echo() -> Iterator[WireServer]:
    with echoing() as server:
        yield server


@pytest.fixture(scope="module")
def keyed_app(echo: WireServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnApp]:
    addresses = {name: f"http://{echo.address}/{name}/v1" for name in RACED}
    folder = tmp_path_factory.mktemp("keyed")
    with own_app(folder, settings_of(addresses, PLAIN), "--logger.level", "debug") as app:
        yield app


def heard(page: Page) -> list[str]:
    """Everything the page receives: bodies of replies and frames of WebSockets."""
    texts: list[str] = []

    def frame(payload: str | bytes) -> None:
        texts.append(payload if isinstance(payload, str) else payload.decode("utf-8", "replace"))

    page.on("websocket", lambda socket: socket.on("framereceived", frame))
    page.on("requestfinished", lambda request: texts.append(request.url))
    page.on("console", lambda message: texts.append(message.text))
    return texts


def started_processes(pid: int) -> str:
    """Arguments and environments of all that this process started."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split():
        found += [Path(f"/proc/{child}/{part}").read_bytes().decode("utf-8", "replace")
                  for part in ("cmdline", "environ")]  # fmt: skip
    return "\n".join(found)


def test_a_key_of_the_settings_is_nowhere_although_every_server_repeats_it(
    keyed_app: OwnApp, page: Page
) -> None:
    texts = heard(page)
    page.goto(keyed_app.line_up(RACED))
    start(page)
    until_over(page)
    expect(page.locator(LANES).nth(6).locator(".tr-text")).to_contain_text("Yours is [key hidden]")
    expect(page.get_by_role("heading", name="Answers")).to_be_visible()
    assert left_of(PLAIN, page.evaluate(WHOLE_DOM) + page.url) == []
    assert left_of(PLAIN, "\n".join(texts)) == []
    assert "Running script" in keyed_app.said(), "the log is not as talkative as this test supposes"
    assert left_of(PLAIN, keyed_app.said()) == []


def test_a_typed_key_stays_with_the_visitor_who_typed_it(
    keyed_app: OwnApp, echo: WireServer, page: Page, browser: Browser
) -> None:
    texts = heard(page)
    page.goto(keyed_app.line_up(["401", "texts"]))
    page.get_by_role("button", name="+ backend").click()
    page.get_by_label("Base URL").fill(f"http://{echo.address}/error-in-stream/v1")
    page.get_by_label("Model", exact=True).fill("my-model")
    page.get_by_label("Key", exact=True).fill(TYPED)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(LANES)).to_have_count(3)
    page.keyboard.press("Escape")
    start(page)
    until_over(page)
    expect(page.locator(LANES).nth(2).locator(".tr-failure-title")).to_be_visible()
    assert [r for r in echo.requests if r.headers.get("authorization") == f"Bearer {TYPED}"]
    assert left_of(TYPED, page.evaluate(WHOLE_DOM) + page.url + "\n".join(texts)) == []
    assert left_of(TYPED, keyed_app.said()) == []
    assert left_of(TYPED, started_processes(keyed_app.pid)) == []
    other = browser.new_context().new_page()
    theirs = heard(other)
    other.goto(page.url)
    expect(other.locator(LANES).nth(2).locator(".tr-failure-title")).to_be_visible()
    assert left_of(TYPED, other.evaluate(WHOLE_DOM) + "\n".join(theirs)) == []
    other.context.close()
