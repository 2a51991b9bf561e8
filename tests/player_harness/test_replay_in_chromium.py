"""Replays in a real browser: the same picture as live, and a file from disk with the network off.

Waits for states only.
"""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from lib.collector.shipping import ViewEncoder, message
from lib.domain import events as ev
from lib.domain.codec import encode_event
from lib.domain.run import Backend, Limits, Mode, Origin, Params, Prompt, Run
from lib.export.html import replay_html
from lib.export.view_messages import view_messages
from lib.live.hub import Hub
from lib.player import source
from lib.server_process import Ready, ServerProcess
from lib.view_stream import announcement, lane_figures, player_reader, race_result
from tests.ui.made_runs import answered, backend, failed, run_of

pytestmark = pytest.mark.browser
WORDS = "The keeper climbed the stairs each evening and trimmed the wick before dusk. " * 8
STAGE = "['.tr-headline', '.tr-grid'].map((name) => document.querySelector(name).outerHTML).join('\\n')"


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
    """A tab without a network, in which any message of the console and any request but of files fails the test."""
    wrong: list[str] = []
    context = browser.new_context(viewport={"width": 1440, "height": 900}, offline=True)
    opened = context.new_page()
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("console", lambda message: wrong.append(message.text))
    opened.on("request", lambda asked: wrong.append(asked.url) if asked.url.split(":")[0] != "file" else None)
    yield opened
    context.close()
    assert wrong == []


@pytest.fixture(scope="module")
def live_race() -> Iterator[tuple[list[str], Run]]:
    """A race that was really run: the messages its viewers got, and its recording."""
    simulator = ServerProcess("lib.simulator")
    simulator.start()
    state = simulator.wait(30)
    assert isinstance(state, Ready)
    hub = Hub(lane_figures, race_result)
    hub.collector.start()
    bodies = [
        {"simulator": {"ttft_ms": 90, "tok_s": 40, "tokens": 60, "tokens_per_chunk": 1}},
        {"simulator": {"ttft_ms": 240, "tok_s": 55, "tokens": 60, "tokens_per_chunk": 1}},
        {"simulator": {"ttft_ms": 300, "tok_s": 900, "tokens": 400, "tokens_per_chunk": 1}},
    ]
    backends = tuple(
        Backend(
            f"b{n}", f"Lane {n}", state.base_url, "gpt-5.6-sol-ultrafast", Origin.SIMULATED, extra_body=body
        )
        for n, body in enumerate(bodies)
    )
    run = Run("live", Prompt("Say something."), Params(max_tokens=400), Mode.ALL_AT_ONCE, backends)
    live = hub.start(run, {}, dict.fromkeys(range(len(bodies)), Limits()))
    bell = threading.Event()
    live.watch(bell.set)
    while not any("result" in json.loads(message) for message in tuple(live.messages)):
        assert bell.wait(30), "the race did not end"
        bell.clear()
    yield list(live.messages), live.recorded()
    hub.close()
    simulator.close()


def bare_page(page: Page, folder: Path, run: Run) -> None:
    """A page of our own with the player in it, and the run's lanes on the stage."""
    script, style = source()
    mount = script.replace("export default function (", "window.mount = function (")
    data = json.dumps({
        "lanes": [{"name": b.name, "model": b.model, "origin": b.origin.value, "note": b.note} for b in run.backends],
        "reader": player_reader(None, "English words"), "theme": "light",
    })  # fmt: skip
    file = folder / "stage.html"
    file.write_text(
        f'<!doctype html><meta charset="utf-8"><style>{style}</style><div id="host"></div>'
        f"<script type=module>{mount};window.base = {data};</script>",
        "utf-8",
    )
    page.goto(file.as_uri())
    page.wait_for_function("window.base")


def frames(page: Page, messages: list[str], times: list[int], *, replay: bool) -> list[Any]:
    """What stands on a fresh stage at each of these moments of the run, live or in a replay."""
    return list(page.evaluate(
        f"""([messages, times, replay]) => {{
          const host = document.getElementById("host");
          const parentElement = document.createElement("div");
          host.replaceChildren(parentElement);
          const data = replay ? {{ ...base, mode: "replay", messages }} : {{ ...base, run: null }};
          mount({{ parentElement, data, setTriggerValue() {{}} }});
          const player = window.__tokenrace.player;
          if (!replay) for (const message of messages) player.feed(JSON.parse(message));
          player.seek(1e6); // what is hidden again later stays in the document: come to both from the end
          return times.map((t) => {{
            if (replay) {{ player.replay.playhead.seek(t); player.replay.show(); }} else player.seek(t);
            return {STAGE};
          }});
        }}""",
        [messages, times, replay],
    ))  # fmt: skip


def cut_by_chance(run: Run) -> list[str]:
    """The messages of this run as a collector might have cut them: at moments that have no pattern."""
    rows = sorted(
        (event.at_ns, lane, encode_event(event))
        for lane, generation in enumerate(run.generations)
        for event in generation.events
    )
    encoders = [ViewEncoder(lane) for lane in range(len(run.backends))]
    chance, messages, end_ns = random.Random(7), [json.dumps({"now": 0, "run": announcement(run)})], 0
    while rows:
        end_ns += chance.randint(11, 71) * 1_000_000
        now = [row for row in rows if row[0] < end_ns]
        rows = rows[len(now) :]
        view = message(
            end_ns, [e.encode([row for _at, n, row in now if n == lane]) for lane, e in enumerate(encoders)]
        )
        messages += [view.decode()] if view else []
        ended = [lane for _at, lane, row in now if row[1] == "end"]
        messages += [
            json.dumps({"now": end_ns // 1_000_000, "f": [[n, lane_figures(run, n, None)]]}) for n in ended
        ]
    result = json.dumps({"now": end_ns // 1_000_000, "result": race_result(run, None)}, default=str)
    return [*messages, result]


def test_a_replay_is_the_picture_that_was_live_however_its_messages_were_cut(
    page: Page, tmp_path: Path
) -> None:
    backends = [backend("Sol", Origin.LIVE), backend("Terra"), backend("Broken", Origin.RECORDED)]
    answers = [answered(0, WORDS, gap_ms=13), answered(1, WORDS, gap_ms=37, thinking=WORDS[:90]), failed(2)]
    run = run_of(backends, answers)
    bare_page(page, tmp_path, run)
    times = list(range(0, 5600, 107))
    live = frames(page, cut_by_chance(run), times, replay=False)
    kept = frames(page, view_messages(run), times, replay=True)
    assert len(set(live)) > 40, "the moments differ, so the comparison can fail"
    for t, one, other in zip(times, live, kept, strict=True):
        assert one == other, f"at {t} ms"


def test_a_replay_is_the_picture_of_a_race_that_was_run(
    page: Page, tmp_path: Path, live_race: tuple[list[str], Run]
) -> None:
    """Every lane, also the one that is faster than a slot, at moments in and between the slots."""
    messages, run = live_race
    bare_page(page, tmp_path, run)
    first_ms = min(generation.of(ev.Sent)[0].at_ns for generation in run.generations) // 1_000_000
    end_ms = max(generation.events[-1].at_ns for generation in run.generations) // 1_000_000
    times = [*range(300, 800, 5), *range(first_ms, end_ms + 300, 29)]  # a replay begins at the first request
    live = frames(page, messages, times, replay=False)
    kept = frames(page, view_messages(run), times, replay=True)
    assert len(set(live)) > 80, "the moments differ, so the comparison can fail"
    for t, one, other in zip(times, live, kept, strict=True):
        assert one == other, f"at {t} ms"


def opened(page: Page, folder: Path, run: Run) -> None:
    file = folder / "replay.html"
    file.write_bytes(replay_html(run))
    page.goto(file.as_uri())
    page.wait_for_selector(".tr-verdict")


def a_run(text: str = WORDS) -> Run:
    backends = [backend("Sol", Origin.LIVE), backend("Terra"), backend("Broken", Origin.RECORDED)]
    return run_of(backends, [answered(0, text, gap_ms=4), answered(1, text, gap_ms=9), failed(2)])


def clock_of(page: Page) -> str:
    return str(page.locator(".tr-replay-time").text_content())


def test_a_file_from_disk_stands_at_its_result_plays_and_comes_to_the_same_result(
    page: Page, tmp_path: Path
) -> None:
    opened(page, tmp_path, a_run())
    result = page.locator(".tr-headline").text_content()
    page.locator(".tr-replay-speed").select_option("20")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("!document.querySelector('.tr-verdict')")
    page.wait_for_selector(".tr-verdict")
    assert page.locator(".tr-headline").text_content() == result
    page.wait_for_function("document.querySelector('.tr-replay-play').textContent === 'Play'")


def test_keys_seek_step_and_go_to_the_first_token(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, a_run())
    page.keyboard.press("Home")
    assert clock_of(page).startswith("0.0 s")
    page.keyboard.press("f")
    assert page.locator(".tr-replay-told").text_content() == "Sol: first token, Terra: first token"
    assert clock_of(page).startswith("0.3 s")
    page.keyboard.press("ArrowRight")
    assert page.locator(".tr-replay-told").text_content() == "Sol: ended"
    page.keyboard.press("End")
    assert page.locator(".tr-verdict").count() == 1
    page.keyboard.press(" ")
    page.wait_for_function("document.querySelector('.tr-replay-play').textContent === 'Pause'")


def test_the_scrub_bar_stands_under_the_plot(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, a_run())
    page.keyboard.press("5")
    boxes = page.evaluate(
        """() => ['.tr-canvas', '.tr-replay-slider'].map((name) => {
             const box = document.querySelector(name).getBoundingClientRect();
             return [box.left, box.right];
           })"""
    )
    (plot_left, plot_right), (left, right) = boxes
    assert abs(left + 8 - (plot_left + 52)) <= 1
    assert abs(right - 8 - (plot_right - 16)) <= 1


def test_a_hostile_answer_is_text_in_the_file(page: Page, tmp_path: Path) -> None:
    attack = "</script><img src=x onerror=window.hit=1><b>bold</b> <!-- \u2028 "
    opened(page, tmp_path, a_run(attack * 3))
    assert page.evaluate("window.hit") is None
    assert page.locator(".tr-text b, .tr-text img").count() == 0
    assert attack.split(" ")[0] in str(page.locator(".tr-lane:not(.tr-person) .tr-text").first.text_content())


@pytest.mark.parametrize(("width", "height"), [(390, 844), (2560, 1440)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_file_fits_phone_and_projector_in_the_theme_of_the_machine(
    page: Page, tmp_path: Path, width: int, height: int, scheme: Any
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)
    opened(page, tmp_path, a_run())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.querySelector('.tr').dataset.theme") == scheme
    shown = page.locator(".charts svg:visible")
    assert shown.count() == page.locator(".charts figure").count()
    assert page.locator(".tr-replay").is_visible()


def test_the_theme_button_changes_stage_and_page(page: Page, tmp_path: Path) -> None:
    opened(page, tmp_path, a_run())
    page.get_by_role("button", name="dark", exact=True).click()
    themes = "[document.documentElement, document.querySelector('.tr')].map((e) => e.dataset.theme)"
    assert page.evaluate(themes) == ["dark", "dark"]
    assert page.locator(".tr-verdict").count() == 1, "the replay stays where it was"
