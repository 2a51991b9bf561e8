"""Signing in as a visitor lives it: the real app, a real OpenID Connect provider on loopback, headless Chromium."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.app_with_settings import AppWithSettings, app_with_settings
from tests.browser.conftest import free_port
from tests.browser.oidc_provider import CLIENT, SECRET, Provider, providing
from tests.browser.test_race import LANES, start, until_text

pytestmark = pytest.mark.browser
WELCOME, STRANGER, UNVERIFIED = "ann@example.org", "max@elsewhere.example", "eve@example.org"
LISTED = "guest@elsewhere.example"
PEOPLE = {WELCOME: {"name": "Ann", "email_verified": True}, STRANGER: {"email_verified": True},
          UNVERIFIED: {"email_verified": False}, LISTED: {}}  # fmt: skip
SETTINGS = """
[tokenrace]
sign_in = true
allowed_emails = ["@example.org", "{listed}"]

[auth]
redirect_uri = "{redirect_uri}"
cookie_secret = "a cookie secret of the tests, long enough"
client_id = "{client}"
client_secret = "{secret}"
server_metadata_url = "{provider}/.well-known/openid-configuration"
"""
SCREEN = ".st-key-sign_in"


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def provider(port: int) -> Iterator[Provider]:
    with providing(PEOPLE, f"http://127.0.0.1:{port}/oauth2callback") as running:
        yield running


@pytest.fixture(scope="module")
def closed_app(
    provider: Provider, port: int, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AppWithSettings]:
    settings = SETTINGS.format(listed=LISTED, redirect_uri=provider.redirect_uri, client=CLIENT, secret=SECRET,
                               provider=provider.url)  # fmt: skip
    with app_with_settings(tmp_path_factory.mktemp("closed"), settings, port=port) as app:
        yield app


def sign_in(page: Page, app: AppWithSettings, email: str) -> None:
    page.goto(app.url)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name=email).click()
    page.wait_for_url(f"{app.url}/**")


def lines(place: Locator) -> list[str]:
    return [line for line in place.inner_text().splitlines() if line.strip()]


def stream_status(app: AppWithSettings, run: str, cookies: str = "") -> int:
    asked = urllib.request.Request(f"{app.url}/race/sse/{run}", headers={"Cookie": cookies})
    try:
        with urllib.request.urlopen(asked) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code


def cookies_of(context: BrowserContext) -> str:
    return "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in context.cookies())


@pytest.mark.parametrize("path", ["", "/backends", "/method", "/?run=abc&lineup=gpt4-tier-cloud"],
                         ids=["first", "backends", "method", "link"])  # fmt: skip
def test_before_signing_in_no_page_shows_anything(closed_app: AppWithSettings, page: Page, path: str) -> None:
    page.goto(closed_app.url + path)
    expect(page.get_by_role("button", name="Sign in")).to_be_enabled()
    expect(page.locator(SCREEN)).to_contain_text("Sign in to Tokenrace")
    everything = page.locator("[data-testid=stAppViewContainer]")
    assert lines(everything) == ["Skip to main content", "EN", "中文", *lines(page.locator(SCREEN))]
    assert page.locator("textarea, .st-key-start, [data-testid=stTopNavLink]").count() == 0
    assert page.locator("a:visible").filter(has_text=re.compile("Race|Backends")).count() == 0


def test_a_person_of_an_allowed_domain_signs_in_races_and_signs_out(
    closed_app: AppWithSettings, provider: Provider, page: Page
) -> None:
    sign_in(page, closed_app, WELCOME)
    expect(page.locator(".st-key-start button")).to_be_enabled()
    expect(page.locator(".st-key-signed_in")).to_contain_text(f"Signed in as {WELCOME}")
    page.get_by_role("link", name="Backends").click()
    expect(page.get_by_role("heading", name="Backends", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Backends", exact=True)).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_enabled()
    assert not [cookie for cookie in page.context.cookies() if cookie["name"].startswith("_streamlit_user")]
    assert provider.left[-1]["post_logout_redirect_uri"] == provider.redirect_uri
    page.goto(f"{closed_app.url}/backends")
    expect(page.locator(SCREEN)).to_be_visible()
    expect(page.get_by_role("heading", name="Backends", exact=True)).to_have_count(0)


@pytest.mark.parametrize("email", [STRANGER, UNVERIFIED])
def test_an_account_that_is_not_allowed_is_told_so_and_sees_no_page(
    closed_app: AppWithSettings, page: Page, email: str
) -> None:
    sign_in(page, closed_app, email)
    expect(page.locator(SCREEN)).to_contain_text(f"{email} may not use this server")
    assert page.locator("textarea, .st-key-start").count() == 0
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_enabled()


def test_a_listed_address_of_another_domain_may_come_in(closed_app: AppWithSettings, page: Page) -> None:
    sign_in(page, closed_app, LISTED)
    expect(page.locator(".st-key-start button")).to_be_enabled()


def test_the_streams_of_a_race_need_the_sign_in_too(
    closed_app: AppWithSettings, page: Page
) -> None:
    sign_in(page, closed_app, WELCOME)
    simulated = ["gpt4-tier-cloud", "gpt-5.6-sol-ultrafast"]
    page.goto(f"{closed_app.url}/?lineup={','.join(simulated)}")
    expect(page.locator(LANES)).to_have_count(2)
    start(page)
    until_text(page, 1)
    page.wait_for_url("**run=*")
    run = parse_qs(urlsplit(page.url).query)["run"][0]
    cookies = cookies_of(page.context)
    forged = re.sub(r"(_streamlit_user=)[^;]{12}", r"\1AAAAAAAAAAAA", cookies)
    assert forged != cookies
    socket = f"new Promise(done => {{ const s = new WebSocket('ws' + location.origin.slice(4) + '/race/ws/{run}');" \
             " s.onopen = () => done('open'); s.onerror = () => done('refused'); })"  # fmt: skip
    assert page.evaluate(socket) == "open"
    assert stream_status(closed_app, run) == 401
    assert stream_status(closed_app, run, forged) == 401
    assert stream_status(closed_app, "no-such-run", cookies) == 404
    page.context.clear_cookies()
    assert page.evaluate(socket) == "refused"


def test_the_secrets_of_the_sign_in_are_in_no_page_and_no_log(closed_app: AppWithSettings, page: Page) -> None:
    page.goto(closed_app.url)
    expect(page.get_by_role("button", name="Sign in")).to_be_enabled()
    told = page.content() + closed_app.said()
    assert [secret for secret in (SECRET, "a cookie secret of the tests") if secret in told] == []


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("[tokenrace]\nsign_in = true\n", "no [auth] table"),
        ("[tokenrace]\nsign_in = 1\n", "sign_in is true or false"),
        ('[tokenrace]\nallowed_emails = ["@example.org"]\n', "allowed_emails needs sign_in = true"),
        ("[tokenrace\n", "The settings cannot be used"),
    ],
    ids=["no-auth", "no-flag", "list-alone", "broken"],
)  # fmt: skip
def test_a_sign_in_that_is_set_up_wrongly_lets_nobody_in(
    tmp_path_factory: pytest.TempPathFactory, page: Page, settings: str, said: str
) -> None:
    with app_with_settings(tmp_path_factory.mktemp("wrong"), settings) as app:
        page.goto(app.url)
        expect(page.get_by_text(said)).to_be_visible()
        assert page.locator("textarea, .st-key-start").count() == 0
        assert stream_status(app, "no-such-run") == 401
