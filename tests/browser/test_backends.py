"""Backends as people bring them: from the environment, typed, found; on a server of one's own and on a shared one."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, WebSocket, expect

from lib.backends.discovery import known_ports
from tests.backends.small_server import Asked, Handler, Server, counting, models, serving
from tests.browser.app_with_settings import AppWithSettings, app_with_settings
from tests.browser.test_keys_in_page import WHOLE_DOM, heard
from tests.browser.test_race import LANES, answer, start, until_over, until_text

pytestmark = pytest.mark.browser
KEY, TYPED = "key-of-the-environment-4711", "key-typed-by-a-visitor-0815"
MODEL = "stand-in-large"
TYPING_MS = 40  # between keys: the editor draws itself anew after each
COUNT_CLICKS = "window.clicks = 0; addEventListener('click', event => { window.clicks += event.isTrusted }, true);"
TWO_LANES = "first,second"
SHARED = ("--server.address", "0.0.0.0")
REFUSED = {
    "http://127.0.0.1:{port}/v1": "127.0.0.1 leads to 127.0.0.1, which is this machine itself",
    "http://localhost:{port}/v1": "localhost leads to",
    "http://2130706433:{port}/v1": "2130706433",
    "http://10.0.0.1/v1": "not public",
    "http://169.254.169.254/v1": "169.254.169.254 is a metadata service",
    "http://metadata.google.internal/v1": "metadata.google.internal",
    "http://somebody:secret@93.184.216.34/v1": "user name",
}


@dataclass(frozen=True, slots=True)
class Place:
    """An app and the servers it may race."""

    app: AppWithSettings
    first: Server
    second: Server

    def open(self, page: Page, path: str = "") -> None:
        page.goto(f"{self.app.url}/{path}")


def stand_in(stack: ExitStack, **options: Any) -> Server:
    """An OpenAI-like server that counts to eight, and knows three models."""
    routes: dict[str, Callable[[Handler, Asked], None]] = {
        "GET /v1/models": models(MODEL, "stand-in-small", "stand-in-old"),
        "POST /v1/chat/completions": counting,
    }
    return stack.enter_context(serving(routes, **options))


def tables(first: Server, second: Server) -> str:
    return "\n".join(
        f'[backends.{name}]\nbase_url = "{server.base_url}"\nmodel = "{MODEL}"\nname = "{name.title()}"\n'
        for name, server in (("first", first), ("second", second))
    )


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A server on this machine alone, with a key in its environment for a third stand-in's address."""
    with ExitStack() as stack:
        first, second = stand_in(stack), stand_in(stack)
        keyed = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": first.base_url + "/", "OPENAI_MODEL": "stand-in-small"}
        app = stack.enter_context(
            app_with_settings(tmp_path_factory.mktemp("here"), tables(first, second), environment=keyed)
        )
        yield Place(app, first, second)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A server that others reach, whose operator allows no addresses of visitors."""
    with ExitStack() as stack:
        first, second = stand_in(stack), stand_in(stack)
        folder = tmp_path_factory.mktemp("shared")
        yield Place(
            stack.enter_context(app_with_settings(folder, tables(first, second), *SHARED)), first, second
        )


@pytest.fixture(scope="module")
def open_to_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A server that others reach, whose operator allows public addresses, and has a provider's key."""
    with ExitStack() as stack:
        first, second = stand_in(stack), stand_in(stack)
        folder = tmp_path_factory.mktemp("open")
        settings = "[tokenrace]\ncustom_addresses = true\n" + tables(first, second)
        keyed = {"VLLM_API_KEY": KEY, "GROQ_API_KEY": KEY}
        yield Place(
            stack.enter_context(app_with_settings(folder, settings, *SHARED, environment=keyed)), first, second
        )


def said(page: Page) -> Locator:
    return page.locator("[data-testid=stMainBlockContainer]")


def alert(page: Page, text: str) -> Locator:
    return page.locator("[data-testid=stAlert]").filter(has_text=text)


def chats(server: Server) -> list[Asked]:
    return [asked for asked in server.asked if asked.method == "POST"]


def add_own(page: Page, url: str, key: str = "") -> None:
    """Through "+ backend" on the race page."""
    page.get_by_role("button", name="+ backend").click()
    page.get_by_label("Base URL").fill(url)
    page.get_by_label("Model", exact=True).fill("typed-model")
    page.get_by_label("Key", exact=True).fill(key)
    page.get_by_role("button", name="Add", exact=True).click()
    page.keyboard.press("Escape")


def fill(page: Page, label: str, text: str) -> None:
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.press("Tab")


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option, exact=True).click()


# ---- a key in the environment


def test_from_a_key_in_the_environment_to_the_first_token_are_at_most_three_clicks(
    here: Place, page: Page
) -> None:
    page.add_init_script(COUNT_CLICKS)
    here.open(page)
    before = len(chats(here.first))
    page.get_by_role("button", name="+ stand-in-small (OPENAI_API_KEY)").click()
    expect(page.locator(LANES)).to_have_count(5)
    start(page)
    until_text(page, 4)
    expect(page.locator(LANES).nth(4).locator(".tr-text")).to_contain_text("one two")
    assert page.evaluate("window.clicks") <= 3
    (asked,) = chats(here.first)[before:]
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body["model"] == "stand-in-small"
    expect(page.locator(LANES).nth(4).locator(".tr-badge")).to_contain_text("live")
    assert KEY not in page.evaluate(WHOLE_DOM) + page.url + here.app.said()


# ---- the Backends page


def test_a_backend_is_made_from_a_preset_tried_and_raced(here: Place, page: Page, browser: Browser) -> None:
    texts = heard(page)
    here.open(page, "backends")
    choose(page, "Preset", "vLLM")
    expect(page.get_by_label("Base URL")).to_have_value(re.compile(":8000/v1"))
    fill(page, "Base URL", f"{here.second.base_url}/chat/completions")
    page.get_by_label("Key", exact=True).fill(TYPED)
    page.get_by_label("Key", exact=True).press("Enter")
    page.get_by_role("button", name="List", exact=True).click()
    expect(said(page)).to_contain_text("3 models listed.")
    choose(page, "Models of this server", MODEL)
    expect(page.get_by_label("Model", exact=True)).to_have_value(MODEL)
    fill(page, "Name on the lane", "My server")
    page.locator(".st-key-form_probe button").click()
    expect(said(page)).to_contain_text("My server can race.")
    for step in ("Address", "List of models", "Streamed answer", "First token", "Token counts"):
        expect(said(page).get_by_text(re.compile(rf"✓\s*{step}", re.IGNORECASE)).first).to_be_visible()
    page.locator(".st-key-form_add button").click()
    expect(said(page)).to_contain_text("My server is kept for this visit.")
    page.get_by_text("These as settings, keys left out").click()
    toml = page.locator("[data-testid=stCode]")
    expect(toml).to_contain_text(f'base_url = "{here.second.base_url}"')
    expect(toml).to_contain_text("api_key_env")
    page.locator(".st-key-entry_own-1, [class*=st-key-entry_own]").get_by_role("button", name="To the race").click()
    expect(said(page)).to_contain_text("My server is in the race.")
    page.get_by_role("link", name="Race", exact=True).click()
    expect(page.locator(LANES)).to_have_count(5)
    start(page)
    until_text(page, 4)
    expect(page.locator(LANES).nth(4).locator(".tr-text")).to_contain_text("one two")
    assert {asked.headers.get("authorization") for asked in here.second.asked} == {f"Bearer {TYPED}"}
    assert TYPED not in page.evaluate(WHOLE_DOM) + page.url + "\n".join(texts) + here.app.said()
    other = browser.new_context().new_page()
    theirs = heard(other)
    other.goto(page.url)
    expect(other.locator(LANES)).to_have_count(5)
    other.goto(f"{here.app.url}/backends")
    expect(other.get_by_text("First", exact=True)).to_be_visible()
    assert "My server" not in said(other).inner_text()
    assert TYPED not in other.evaluate(WHOLE_DOM) + "\n".join(theirs)
    other.context.close()


def test_a_server_on_a_known_port_is_found_and_taken(here: Place, page: Page) -> None:
    with ExitStack() as stack:
        port = next(port for port in known_ports() if _free(port))
        server = stand_in(stack, port=port)
        here.open(page, "backends")
        page.get_by_role("button", name="Find local servers").click()
        row = said(page).locator("[data-testid=stHorizontalBlock]").filter(has_text=f"127.0.0.1:{port}/v1 · 3 models")
        row.get_by_role("button", name="Use").click()
        expect(page.get_by_label("Base URL")).to_have_value(server.base_url)
        expect(page.get_by_label("Model", exact=True)).to_have_value(MODEL)


def _free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


# ---- what a race is asked with


def test_parameters_of_all_lanes_and_of_one_lane_reach_the_right_request(here: Place, page: Page) -> None:
    sockets: list[WebSocket] = []
    page.on("websocket", lambda socket: sockets.append(socket) if "_stcore" in socket.url else None)
    here.open(page, f"?lineup={TWO_LANES}")
    before = len(chats(here.first)), len(chats(here.second))
    page.locator(".st-key-settings_popover button").first.click()
    page.get_by_role("tab", name="Request").click()
    fill(page, "Seed", "7")
    fill(page, "Top p", "0.9")
    choose(page, "Reasoning effort", "low")
    fill(page, "System text", "Be brief.")
    fill(page, "Stop at (one text a line, four at most)", "END\nFIN")
    fill(page, "Extra request fields (JSON)", '{"cache_prompt": false, "user": "tests"}')
    Grid(page, sockets[0]).add_message("Hello.")
    page.get_by_role("tab", name="Per lane").click()
    lanes = Grid(page, sockets[0])
    for column, text in ((2, "0.3"), (6, '{"user": "second"}')):
        lanes.go_to(column, row=1)
        lanes.type(text)
    page.keyboard.press("Escape")
    start(page)
    until_over(page)
    (first,), (second,) = chats(here.first)[before[0] :], chats(here.second)[before[1] :]
    common = {"seed": 7, "top_p": 0.9, "reasoning_effort": "low", "stop": ["END", "FIN"], "cache_prompt": False}
    for body in (first.body, second.body):
        assert {name: body.get(name) for name in common} == common
        assert body["stream"] is True
        assert [message["role"] for message in body["messages"]] == ["system", "user", "user"]
        assert body["messages"][0]["content"] == "Be brief."
        assert body["messages"][1]["content"] == "Hello."
    assert "temperature" not in first.body
    assert second.body["temperature"] == 0.3
    assert (first.body["user"], second.body["user"]) == ("tests", "second")


def test_fields_that_are_no_json_are_said_and_nothing_is_sent(here: Place, page: Page) -> None:
    here.open(page, f"?lineup={TWO_LANES}")
    before = len(chats(here.first))
    page.locator(".st-key-settings_popover button").first.click()
    page.get_by_role("tab", name="Request").click()
    fill(page, "Extra request fields (JSON)", "{cache_prompt}")
    page.keyboard.press("Escape")
    start(page)
    expect(said(page)).to_contain_text("Extra request fields: not JSON")
    assert len(chats(here.first)) == before


class Grid:
    """A data editor as fingers use it. It is a canvas: cells are gone to by arrow keys from the first one."""

    def __init__(self, page: Page, socket: WebSocket) -> None:
        self.page, self.socket = page, socket
        self.box = page.locator("[data-testid=stDataFrame]:visible")

    def click_first(self, x: int) -> None:
        """Click into the first row, `x` pixels from the left edge or, below zero, from the right one."""
        canvas = self.box.locator("canvas").first
        canvas.scroll_into_view_if_needed()
        place = canvas.bounding_box()
        assert place is not None
        self.page.mouse.click(place["x"] + x % place["width"], place["y"] + 35 + 17)

    def go_to(self, column: int, row: int) -> None:
        self.click_first(20)
        for n in range(row):
            self._press("ArrowDown", 0, n + 1)
        for n in range(column):
            self._press("ArrowRight", n + 1, row)

    def type(self, text: str) -> None:
        self.page.keyboard.press("Enter")
        editor = self.page.locator(".gdg-input")
        expect(editor).to_be_visible()
        editor.focus()
        self.page.keyboard.type(text, delay=TYPING_MS)
        expect(editor).to_have_value(text)
        with self.socket.expect_event("framesent"):
            self.page.keyboard.press("Enter")
        expect(editor).to_have_count(0)

    def add_message(self, text: str) -> None:
        """A first row in the earlier conversation: a role from the list that opens, and a text."""
        self.click_first(100)
        expect(self.page.get_by_text("assistant", exact=True)).to_be_visible()
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_text("assistant", exact=True)).to_be_hidden()
        expect(self.box.locator("#glide-cell-1-0")).to_have_text("user")
        self.click_first(-60)
        self.type(text)

    def _press(self, key: str, column: int, row: int) -> None:
        self.page.keyboard.press(key)
        expect(self.box.locator(f"#glide-cell-{column}-{row}")).to_have_attribute("aria-selected", "true")


# ---- a server that others reach


def test_a_shared_server_offers_no_way_to_type_an_address(shared: Place, page: Page) -> None:
    shared.open(page, "backends")
    expect(said(page)).to_contain_text("This server races only the backends its operator has configured.")
    for label in ("Base URL", "Key", "A GGUF file on this machine"):
        expect(page.get_by_label(label, exact=True)).to_have_count(0)
    expect(page.get_by_role("button", name="Find local servers")).to_have_count(0)
    expect(page.get_by_role("button", name="Duplicate").first).to_be_disabled()
    shared.open(page)
    page.get_by_role("button", name="+ backend").click()
    expect(page.get_by_role("combobox", name=re.compile("Add a backend"))).to_be_visible()
    expect(page.get_by_label("Base URL", exact=True)).to_have_count(0)


def test_a_shared_server_probes_and_races_what_is_configured_wherever_it_is(shared: Place, page: Page) -> None:
    shared.open(page, "backends")
    page.locator(".st-key-probe_first button").click()
    expect(said(page)).to_contain_text("First can race.")
    shared.open(page, f"?lineup={TWO_LANES}")
    start(page)
    until_over(page)
    assert "eight" in answer(page, 0)
    assert "eight" in answer(page, 1)


def test_an_address_inside_typed_beside_the_race_is_refused_in_words(open_to_all: Place, page: Page) -> None:
    open_to_all.open(page, f"?lineup={TWO_LANES}")
    expect(page.locator(LANES)).to_have_count(2)
    for address, reason in REFUSED.items():
        add_own(page, address.format(port=open_to_all.second.port), TYPED)
        expect(alert(page, reason)).to_be_visible()
        expect(page.locator(LANES)).to_have_count(2)
    assert open_to_all.second.asked == []


@pytest.mark.parametrize("button", ["form_list", "form_add", "form_probe"])
def test_an_address_inside_is_refused_in_words_when_it_is_listed_kept_or_probed(
    open_to_all: Place, page: Page, button: str
) -> None:
    open_to_all.open(page, "backends")
    fill(page, "Model", "m")
    for address, reason in REFUSED.items():
        fill(page, "Base URL", address.format(port=open_to_all.second.port))
        page.locator(f".st-key-{button} button").click()
        expect(alert(page, reason)).to_be_visible()
    assert open_to_all.second.asked == []
    assert "kept for this visit" not in said(page).inner_text()


def test_a_backend_whose_address_is_not_allowed_any_more_is_refused_in_the_race(
    tmp_path: Path, page: Page
) -> None:
    with ExitStack() as stack:
        first, second = stand_in(stack), stand_in(stack)
        allowed = '[tokenrace]\ncustom_addresses = true\nallowed_hosts = ["127.0.0.0/8"]\n'
        app = stack.enter_context(app_with_settings(tmp_path, allowed + tables(first, first), *SHARED))
        page.goto(f"{app.url}/?lineup={TWO_LANES}")
        add_own(page, second.base_url)
        expect(page.locator(LANES)).to_have_count(3)
        start(page)
        until_over(page)
        assert "eight" in answer(page, 2)
        asked = len(second.asked)
        (tmp_path / "secrets.toml").write_text("[tokenrace]\ncustom_addresses = true\n" + tables(first, first), "utf-8")
        start(page)
        until_over(page)
        expect(page.locator(LANES).nth(2).locator(".tr-failure-title")).to_be_visible()
        expect(page.locator(LANES).nth(2)).to_contain_text("only public addresses may be called here")
        assert "eight" in answer(page, 0)
        assert len(second.asked) == asked


def test_a_providers_key_is_sent_to_the_provider_and_to_no_address_put_in_its_place(
    tmp_path: Path, page: Page
) -> None:
    with ExitStack() as stack:
        first, thief = stand_in(stack), stand_in(stack)
        allowed = '[tokenrace]\ncustom_addresses = true\nallowed_hosts = ["127.0.0.0/8"]\n'
        theirs = f'[backends.paid]\nbase_url = "{first.base_url}"\nmodel = "m"\napi_key = "{KEY}"\nname = "Paid"\n'
        app = stack.enter_context(
            app_with_settings(tmp_path, allowed + theirs, *SHARED, environment={"GROQ_API_KEY": KEY})
        )
        page.goto(f"{app.url}/backends")
        choose(page, "Preset", "Groq")
        fill(page, "Base URL", thief.base_url)
        page.get_by_role("button", name="List", exact=True).click()
        expect(said(page)).to_contain_text("3 models listed.")
        page.locator(".st-key-copy_paid button").click()
        page.locator("[class*=st-key-edit_own] button").click()
        expect(page.get_by_label("Base URL")).to_have_value(first.base_url)
        fill(page, "Base URL", thief.base_url)
        page.locator(".st-key-form_add button").click()
        expect(said(page)).to_contain_text("The address leads to another server now")
        assert thief.asked
        assert [asked for asked in thief.asked if KEY in asked.headers.get("authorization", "")] == []


def test_a_server_on_loopback_behind_a_proxy_counts_as_shared(here: Place, browser: Browser) -> None:
    context = browser.new_context(extra_http_headers={"X-Forwarded-For": "203.0.113.9"})
    page = context.new_page()
    page.goto(f"{here.app.url}/backends")
    expect(said(page)).to_contain_text("This server races only the backends its operator has configured.")
    context.close()
