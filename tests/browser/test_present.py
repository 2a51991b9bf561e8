"""A show as the room sees it: the presenter's keys, blind lanes, acts, the kept race that helps out, ghosts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Locator, Page, expect

from lib.server_process import Ready, ServerProcess
from lib.store.store import Store
from tests.browser.app_with_settings import AppWithSettings, app_with_settings
from tests.metrics.building import backend, run, steady

pytestmark = pytest.mark.browser
LANES = ".tr-grid > .tr-lane:not(.tr-person)"
ENDED = re.compile("done|stopped|failed|incomplete|interrupted")
SMALLEST_PX = 24  # on a screen of 1920 x 1080
SPEEDS = {
    "swift": {"ttft_ms": 120, "tok_s": 400, "tokens": 240},
    "steady": {"ttft_ms": 250, "tok_s": 150, "tokens": 150},
    "endless": {"ttft_ms": 60, "tok_s": 30, "tokens": 20_000},
    "refusing": {"fault": "server_error"},
    "mute": {"fault": "slow_headers", "headers_ms": 600_000},
}
SHOW = """
[[act]]
title = "The same question, twice"
prompt = "Tell a short story about a lighthouse keeper."
lineup = ["swift", "steady"]
max_tokens = 300
blind = true

[[act]]
title = "Recorded last week"
kept = "kept-race"

[[act]]
title = "A provider on stage"
prompt = "Tell a short story about a lighthouse keeper."
lineup = ["refusing", "swift"]
fallback = "kept-race"

[[act]]
title = "Nobody speaks"
prompt = "Tell a short story about a lighthouse keeper."
lineup = ["mute", "swift"]
fallback = "kept-race"

[[act]]
title = "A ghost beside it"
prompt = "Tell a short story about a lighthouse keeper."
lineup = ["endless", "ghost:600:120"]
max_tokens = 300

[[act]]
title = "Eight at once"
prompt = "Tell a short story about a lighthouse keeper."
lineup = ["swift", "steady", "swift", "ghost:90", "steady", "swift", "ghost:600", "steady"]
"""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppWithSettings]:
    folder = tmp_path_factory.mktemp("show")
    simulator = ServerProcess("lib.simulator")
    simulator.start()
    ready = simulator.wait(30)
    assert isinstance(ready, Ready)
    (folder / "show.toml").write_text(SHOW, "utf-8")
    (folder / "wrong.toml").write_text(SHOW.replace("blind = true", 'blind = "yes"'), "utf-8")
    lanes = [(backend("Sol"), steady(120, each_ms=12)), (backend("Ultra"), steady(120, each_ms=4))]
    store = Store(f"sqlite:///{folder / 'history.sqlite'}")
    store.save(replace(run(lanes), id="kept-race", started_at="2026-11-02T09:00:00+00:00"))
    store.close()
    settings = '[tokenrace]\nacts = "show.toml"\n' + tables(ready.base_url)
    try:
        with app_with_settings(folder, settings, environment={"TOKENRACE_DATA": str(folder)}) as running:
            yield running
    finally:
        simulator.close()


def tables(base_url: str) -> str:
    """The settings of the backends above on this simulator."""
    return "\n".join(
        f'[backends.{name}]\nbase_url = "{base_url}"\nmodel = "gpt-5.6-sol-ultrafast"\n'
        f'name = "{name.title()}"\nnote = "at {base_url}"\nmax_attempts = 1\n'
        f"[backends.{name}.extra_body]\nsimulator = {_inline(body)}\n"
        for name, body in SPEEDS.items()
    )


def _inline(body: dict[str, object]) -> str:
    return "{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in body.items()) + " }"


@pytest.fixture
def stage(app: AppWithSettings, page: Page) -> Page:
    return opened(app, page, "?act=1")


def opened(app: AppWithSettings, page: Page, query: str) -> Page:
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(f"{app.url}/present{query}")
    expect(page.locator(".tr-presenting")).to_be_visible()
    return page


def lane(page: Page, place: int) -> Locator:
    return page.locator(LANES).nth(place)


def names(page: Page) -> list[str]:
    return page.locator(f"{LANES} .tr-name").all_inner_texts()


def text(page: Page, place: int) -> str:
    return lane(page, place).locator(".tr-text").evaluate("element => element.textContent")


def until_over(page: Page) -> None:
    for place in range(page.locator(LANES).count()):
        expect(lane(page, place)).to_have_attribute("data-phase", ENDED)
    expect(page.locator(".tr-verdict")).to_be_visible()


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1280, 720), (1024, 768), (3840, 2160)])
@pytest.mark.parametrize("act", [1, 6])
def test_the_first_screen_holds_the_show_and_nothing_else(
    app: AppWithSettings, page: Page, act: int, width: int, height: int
) -> None:
    opened(app, page, f"?act={act}")
    page.set_viewport_size({"width": width, "height": height})
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    expect(page.locator("[data-testid=stHeader]")).to_be_hidden()
    page.wait_for_function(
        """height => {
          const find = (root) => root.querySelector(".tr-presenting")
            ?? [...root.querySelectorAll("*")].map((e) => e.shadowRoot && find(e.shadowRoot)).find(Boolean);
          const bottom = find(document).getBoundingClientRect().bottom;
          return bottom > 0.85 * height && bottom <= height;
        }""",
        arg=height,
    )
    below = page.locator(".st-key-present_below").evaluate("element => element.getBoundingClientRect().top")
    assert below >= height
    assert "127.0.0.1" not in page.locator("body").inner_text()


@pytest.mark.parametrize("act", [1, 6])
def test_every_text_is_readable_from_the_back_of_the_room(app: AppWithSettings, page: Page, act: int) -> None:
    opened(app, page, f"?act={act}").keyboard.press("s")
    until_over(page)
    small = page.evaluate(
        """least => {
          const texts = [];
          const walk = (node) => {
            for (const child of node.childNodes) {
              if (child.nodeType === 3 && child.data.trim()) {
                const box = child.parentElement.getBoundingClientRect();
                const seen = child.parentElement.checkVisibility() && box.bottom > 0 && box.top < innerHeight;
                const hidden = child.parentElement.closest(".tr-spoken, style");
                const zoom = child.parentElement.currentCSSZoom ?? 1;
                const size = parseFloat(getComputedStyle(child.parentElement).fontSize) * zoom;
                if (seen && !hidden && box.width > 1 && size < least) texts.push([child.data, size]);
              }
              if (child.shadowRoot) walk(child.shadowRoot);
              walk(child);
            }
          };
          walk(document.body);
          return texts;
        }""",
        SMALLEST_PX - 0.1,
    )
    assert small == []


def test_names_stay_hidden_until_the_reveal_and_the_verdict_speaks_of_lanes(stage: Page) -> None:
    assert names(stage) == ["Lane A", "Lane B"]
    stage.keyboard.press("s")
    until_over(stage)
    assert names(stage) == ["Lane A", "Lane B"]
    expect(stage.locator(".tr-verdict")).to_contain_text("Lane A")
    shown = stage.locator(".tr-presenting").inner_text()
    assert "Swift" not in shown
    assert "Steady" not in shown
    before = text(stage, 0)
    stage.keyboard.press("v")
    expect(lane(stage, 0).locator(".tr-name")).to_have_text("Swift")
    expect(stage.locator(".tr-verdict")).to_contain_text("Swift")
    assert text(stage, 0) == before
    stage.keyboard.press("v")
    expect(lane(stage, 0).locator(".tr-name")).to_have_text("Lane A")


def test_a_race_is_stopped_and_begun_anew_by_keys(app: AppWithSettings, page: Page) -> None:
    opened(app, page, "?act=5").keyboard.press("s")
    expect(lane(page, 0)).to_have_attribute("data-phase", "answering")
    page.keyboard.press("x")
    expect(lane(page, 0)).to_have_attribute("data-phase", "stopped")
    page.keyboard.press("s")
    expect(lane(page, 0)).to_have_attribute("data-phase", "answering")
    page.keyboard.press("x")
    expect(lane(page, 0)).to_have_attribute("data-phase", "stopped")


def test_a_refresh_in_mid_race_stays_in_the_act_and_the_race(app: AppWithSettings, page: Page) -> None:
    opened(app, page, "?act=5").keyboard.press("s")
    page.wait_for_url("**run=*")
    expect(lane(page, 1)).to_have_attribute("data-phase", "done")
    before = text(page, 0)
    page.reload()
    expect(page.get_by_role("heading", name="A ghost beside it")).to_be_visible()
    expect(lane(page, 1)).to_have_attribute("data-phase", "done")
    assert text(page, 0).startswith(before)
    page.keyboard.press("x")
    expect(lane(page, 0)).to_have_attribute("data-phase", "stopped")


def test_a_finished_race_is_replayed_and_in_slow_motion(stage: Page) -> None:
    stage.keyboard.press("s")
    until_over(stage)
    whole = text(stage, 0)
    stage.keyboard.press("m")
    expect(stage.locator(".tp-status")).to_contain_text("replay at 0.25×")
    expect(stage.locator(".tr-verdict")).to_be_hidden()
    assert len(text(stage, 0)) < len(whole)
    stage.keyboard.press("m")
    expect(stage.locator(".tp-status")).to_contain_text("replay at 1×")
    stage.keyboard.press("r")
    until_over(stage)
    assert text(stage, 0) == whole


def test_acts_are_turned_by_keys_and_by_a_clicker_and_survive_a_refresh(stage: Page) -> None:
    expect(stage.locator(".tp-place")).to_have_text("1 of 6")
    stage.keyboard.press("PageDown")
    expect(stage.get_by_role("heading", name="Recorded last week")).to_be_visible()
    assert names(stage) == ["Sol", "Ultra"]
    stage.wait_for_url("**act=2*")
    stage.reload()
    expect(stage.get_by_role("heading", name="Recorded last week")).to_be_visible()
    expect(lane(stage, 0).locator(".tr-name")).to_have_text("Sol")
    stage.keyboard.press("n")
    expect(stage.get_by_role("heading", name="A provider on stage")).to_be_visible()
    stage.keyboard.press("p")
    expect(stage.get_by_role("heading", name="Recorded last week")).to_be_visible()


def test_a_kept_race_waits_at_its_start_and_plays(app: AppWithSettings, page: Page) -> None:
    opened(app, page, "?act=2")
    expect(lane(page, 0).locator(".tr-name")).to_have_text("Sol")
    expect(page.locator(".tr-verdict")).to_be_hidden()
    page.keyboard.press("s")
    until_over(page)
    expect(lane(page, 1).locator(".tr-place")).to_have_text("1st")


def test_a_refusing_provider_is_replaced_by_the_kept_race_and_the_room_is_told(
    app: AppWithSettings, page: Page
) -> None:
    opened(app, page, "?act=3").keyboard.press("s")
    told = "Recorded on 2026-11-02: Refusing failed before its first token."
    expect(page.locator(".tp-told")).to_have_text(told)
    until_over(page)
    assert names(page) == ["Sol", "Ultra"]
    expect(page.locator(".tp-told")).to_be_visible()


def test_a_silent_provider_is_replaced_after_eight_seconds(app: AppWithSettings, page: Page) -> None:
    opened(app, page, "?act=4").keyboard.press("s")
    expect(lane(page, 1)).to_have_attribute("data-phase", re.compile("answering|done"))
    expect(page.locator(".tp-told")).to_have_text("Recorded on 2026-11-02: Mute did not answer.")
    until_over(page)


def test_a_ghost_runs_at_its_speed_and_is_marked_simulated(app: AppWithSettings, page: Page) -> None:
    opened(app, page, "?act=5").keyboard.press("s")
    expect(lane(page, 1)).to_have_attribute("data-phase", "done")
    expect(lane(page, 1).locator(".tr-name")).to_have_text("600 tok/s ghost")
    expect(lane(page, 1).locator(".tr-badge")).to_contain_text("simulated")
    assert float(lane(page, 1).locator(".tr-number").inner_text()) == pytest.approx(600, rel=0.1)
    page.keyboard.press("x")
    until_over(page)


def test_a_question_mark_shows_the_keys_and_escape_hides_them(stage: Page) -> None:
    stage.keyboard.press("?")
    expect(stage.get_by_text("reveal the names")).to_be_visible()
    assert (
        float(stage.locator(".tp-keys dd").first.evaluate("e => parseFloat(getComputedStyle(e).fontSize)"))
        > 30
    )
    stage.keyboard.press("Escape")
    expect(stage.get_by_text("reveal the names")).to_be_hidden()


def test_f_fills_the_screen_and_q_leads_back_to_the_race_page(stage: Page) -> None:
    stage.keyboard.press("f")
    stage.wait_for_function("document.fullscreenElement !== null")
    stage.keyboard.press("f")
    stage.wait_for_function("document.fullscreenElement === null")
    stage.keyboard.press("q")
    expect(stage.locator(".st-key-start button")).to_be_visible()
    expect(stage.locator("textarea").first).to_have_value(re.compile("lighthouse keeper"))


def test_a_dropped_script_takes_the_stage(stage: Page) -> None:
    mine = b'[[act]]\ntitle = "Dropped in"\nprompt = "Why?"\nlineup = ["swift", "nobody"]\n'
    file = {"name": "mine.toml", "mimeType": "application/toml", "buffer": mine}
    stage.locator(".st-key-present_below input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    expect(stage.get_by_role("heading", name="Dropped in")).to_be_visible()
    told = "Act 1, \"Dropped in\", lineup: there is no backend 'nobody' here"
    expect(stage.locator(".tp-told")).to_have_text(told)


def test_an_act_that_cannot_be_read_names_itself_and_its_key(app: AppWithSettings, page: Page) -> None:
    opened(app, page, "?acts=wrong.toml")
    told = 'Act 1, "The same question, twice": blind is true or false'
    expect(page.locator(".tp-told")).to_contain_text(told)


def test_the_address_opens_no_file_outside_the_folder(app: AppWithSettings, page: Page) -> None:
    opened(app, page, "?acts=../secrets.toml")
    expect(page.locator(".tp-told")).to_contain_text("and no path")
    opened(app, page, "?acts=secrets.toml")
    expect(page.locator(".tp-told")).to_contain_text("and no path")
