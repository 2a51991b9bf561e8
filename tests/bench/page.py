"""The real page in headless Chromium: frames, lag, bytes, cost, Start and Stop; the naive page beside it.

The app, the collector, Chromium and the truth server share this machine's cores, and Chromium draws in
software. Stamps are held against the truth while it draws.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests.bench.accuracy import Pair, percentile
from tests.bench.app_process import AppProcess
from tests.bench.browser import CHROMIUM, Sample, Watched, browser_pids, launch
from tests.bench.display import ages_ms
from tests.bench.machine import cpu_s
from tests.bench.pace import Pace
from tests.bench.page_start import startup
from tests.bench.races import specs
from tests.bench.report import Finding, Section
from tests.bench.stamps import errors
from tests.bench.truth import Sent, Truth
from tests.bench.truth_content import Spec

SIZE = ViewportSize(width=1600, height=900)
OURS = "window.__tokenrace.player.stage.views.map((view) => view.text.scroller)"
NAIVE = "[...document.querySelectorAll('[class*=st-key-lane]')]"
SETTINGS = ".st-key-settings_popover button"
START, STOP = ".st-key-start button", ".st-key-stop button"
LONG = 16_500
EARLY, LATE = (1_500, 2_500), (15_500, 16_500)


@dataclass(frozen=True, slots=True)
class Watch:
    """One race as it was shown."""

    sent: list[Sent]  # in lane order
    samples: list[Sample]
    frames_per_s: float
    stream_bytes: int
    script_bytes: int
    click_ns: int
    app_cpu: float  # cores, from the click to the end of the streams
    collector_cpu: float
    browser_cpu: float
    own_lag_p95_ms: float | None  # the player's own figure
    pairs: list[Pair]

    @property
    def lag_p95_ms(self) -> float:
        """95 % of the samples showed text no older than this."""
        return percentile(ages_ms(self.samples, self.sent), 0.95)

    @property
    def lag_p50_ms(self) -> float:
        """The median age of the newest visible word."""
        return percentile(ages_ms(self.samples, self.sent), 0.5)


def run(pace: Pace) -> Iterator[Section]:
    """Sections: each load, long texts, Start and Stop, the naive page, start-up."""
    if not Path(CHROMIUM).exists():
        yield Section("The page in Chromium", absent=f"no {CHROMIUM} (on Debian: apt-get install chromium)")
        return
    yield from _sections(pace)


def _sections(pace: Pace) -> Iterator[Section]:
    seconds, times = (2.5, 1) if pace.quick else (5.0, 2)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        truth = stack.enter_context(Truth())
        races = {"a": specs(8, 750, seconds), "b": specs(4, 3000, seconds), "c": specs(8, 750, LONG / 750)}
        settings = folder / "backends.toml"
        settings.write_text(_settings(truth.base_url, races), encoding="utf-8")
        browser = launch(stack.enter_context(sync_playwright()))
        stack.callback(browser.close)
        yield startup(browser, folder, 1 if pace.quick else 2, pace)
        environment = {"TOKENRACE_BACKENDS": str(settings)}
        script = "tests/bench/watched_app.py"
        with AppProcess(script, folder / "app.log", environment) as app:
            app.wait_until_up()
            shows = Shows(app, browser, truth)
            shows.open(races, "a").page.close()
            app.wait_until_quiet()
            starts: list[Watch] = []
            for name in ("a",) if pace.quick else ("a", "b"):
                watches = pace.repeat(times, shows.race, races, name)
                starts += watches
                yield _shown(watches, races[name], seconds)
            stops = pace.repeat(times, shows.stop, races, "c")
            yield _start_and_stop(starts, [ms for lanes in stops for ms in lanes])
            if not pace.quick:
                yield _long(*pace.repeat(1, shows.race, races, "c"))
        yield _naive(browser, truth, folder, races["a"], pace)


def _settings(base_url: str, races: dict[str, list[Spec]]) -> str:
    tables = [
        f'[backends.{name}{lane}]\nname = "Lane {lane + 1}"\n'
        f'base_url = "{base_url}"\nmodel = "{spec.name}"\napi_key = "bench"\n'
        for name, race in races.items()
        for lane, spec in enumerate(race)
    ]
    return "\n".join(tables)


class Shows:
    """Races on the app's own page, one fresh tab each."""

    def __init__(self, app: AppProcess, browser: Browser, truth: Truth) -> None:
        self._app, self._browser, self._truth = app, browser, truth

    def open(self, races: dict[str, list[Spec]], name: str) -> Watched:
        """The race page with this line-up, ready to start."""
        watched = Watched(self._browser.new_page(viewport=SIZE), OURS)
        lineup = ",".join(f"{name}{lane}" for lane in range(len(races[name])))
        watched.page.goto(f"{self._app.address}/?lineup={lineup}")
        watched.page.wait_for_selector(START, timeout=30_000)
        watched.page.wait_for_function("window.__tokenrace?.player", timeout=30_000)
        choose_all_at_once(watched.page)
        watched.page.wait_for_timeout(1500)
        watched.begin()
        return watched

    def race(self, races: dict[str, list[Spec]], name: str) -> Watch:
        """One whole race, watched."""
        race = races[name]
        watched = self.open(races, name)
        groups = ({self._app.pid}, {self._app.collector_pid()}, browser_pids())
        scripts_before, before = watched.script_bytes, [sum(map(cpu_s, pids)) for pids in groups]
        click_ns = watched.click(START)
        length_ms = race[0].ttft_ms + race[0].tokens / race[0].rate_tps * 1000
        watched.page.wait_for_timeout(length_ms)
        after = [sum(map(cpu_s, pids)) for pids in groups]
        used = [(new - old) / length_ms * 1000 for new, old in zip(after, before, strict=True)]
        watched.page.wait_for_timeout(1000)
        health = watched.page.evaluate("window.__tokenrace.player.health()")
        pairs = self._app.pairs(_run_of(watched.page), self._truth)
        sent = [pair.sent for pair in pairs]
        first, last = min(s.sends_ns[0] for s in sent), max(s.sends_ns[-1] for s in sent)
        samples, frames = watched.samples(), watched.frames_per_s(first, last)
        watched.page.close()
        app_cpu, collector_cpu, browser_cpu = used
        return Watch(
            sent=sent,
            samples=samples,
            frames_per_s=frames,
            stream_bytes=watched.stream_bytes,
            script_bytes=watched.script_bytes - scripts_before,
            click_ns=click_ns,
            app_cpu=app_cpu,
            collector_cpu=collector_cpu,
            browser_cpu=browser_cpu,
            own_lag_p95_ms=health["lag_p95_ms"],
            pairs=pairs,
        )

    def stop(self, races: dict[str, list[Spec]], name: str) -> list[float]:
        """Press Stop in mid-race; how long until the server saw each lane close, ms."""
        watched = self.open(races, name)
        watched.click(START)
        watched.page.wait_for_selector(STOP, timeout=10_000)
        watched.page.wait_for_timeout(1500)
        clicked_ns = watched.click(STOP)
        sent = self._truth.wait_for(len(races[name]))
        watched.page.close()
        return [(s.close_seen_ns - clicked_ns) / 1e6 for s in sent if s.close_seen_ns is not None]


def choose_all_at_once(page: Page) -> None:
    """Choose the mode as a person does: live lanes of one machine would otherwise wait for each other."""
    page.locator(SETTINGS).first.click()
    page.get_by_role("radio", name="all at once").click()
    page.keyboard.press("Escape")
    page.locator(SETTINGS, has_text="all at once").first.wait_for()


def _run_of(page: Page) -> str:
    query: str = urlsplit(page.evaluate("location.href")).query
    return parse_qs(query)["run"][0]


def _shown(watches: list[Watch], race: list[Spec], seconds: float) -> Section:
    tokens = sum(spec.tokens for spec in race)
    own = tuple(watch.own_lag_p95_ms for watch in watches if watch.own_lag_p95_ms is not None)
    findings = [
        Finding(
            "frames", "per s", tuple(w.frames_per_s for w in watches), at_least=59.0, note="60 Hz display"
        ),
        Finding("age of the newest word p50", "ms", tuple(w.lag_p50_ms for w in watches)),
        Finding("age of the newest word p95", "ms", tuple(w.lag_p95_ms for w in watches), at_most=100),
        Finding("stream per token", "bytes", tuple(w.stream_bytes / tokens for w in watches), at_most=10),
        Finding("page messages per race", "kB", tuple(w.script_bytes / 1000 for w in watches)),
        Finding("app process", "% of core", tuple(100 * w.app_cpu for w in watches), at_most=10),
        Finding("collector process", "% of core", tuple(100 * w.collector_cpu for w in watches)),
        Finding("Chromium, all processes", "% of core", tuple(100 * w.browser_cpu for w in watches)),
        *errors([w.pairs for w in watches], p99_ms=3.0),
    ]
    if own:
        findings.insert(3, Finding("the player's own lag figure p95", "ms", own))
    title = f"The page in Chromium, {len(race)} lanes x {race[0].rate_tps:,.0f} tok/s"
    return Section(f"{title} ({seconds:g} s, {len(watches)} x)", tuple(findings))


def _start_and_stop(watches: list[Watch], stops_ms: list[float]) -> Section:
    starts = tuple((min(s.read_ns for s in w.sent) - w.click_ns) / 1e6 for w in watches)
    last = tuple((max(s.read_ns for s in w.sent) - w.click_ns) / 1e6 for w in watches)
    return Section(
        "Start and Stop, from the click in the browser",
        (
            Finding("Start to first request on the wire", "ms", starts, at_most=100),
            Finding("Start to last request on the wire", "ms", last),
            Finding("Stop to server-close, every lane", "ms", tuple(stops_ms), at_most=150),
        ),
    )


def _long(watch: Watch) -> Section:
    early = percentile(ages_ms(watch.samples, watch.sent, EARLY), 0.95)
    late = percentile(ages_ms(watch.samples, watch.sent, LATE), 0.95)
    return Section(
        "Long texts, 8 lanes x 750 tok/s up to 16,500 tokens each",
        (
            Finding("age p95 at 2,000 tokens per lane", "ms", (early,)),
            Finding("age p95 at 16,000 tokens per lane", "ms", (late,)),
            Finding("ratio", "x", (late / early,), at_most=1.5),
            Finding("frames", "per s", (watch.frames_per_s,)),
        ),
    )


def _naive(browser: Browser, truth: Truth, folder: Path, race: list[Spec], pace: Pace) -> Section:
    environment = {"BENCH_URL": truth.base_url, "BENCH_MODELS": ",".join(spec.name for spec in race)}
    with AppProcess("tests/bench/naive_markdown.py", folder / "naive.log", environment) as app:
        app.wait_until_up()
        shown = pace.repeat(1 if pace.quick else 2, _naive_race, app, browser, truth, race)
    frames, ages, per_token, cpu = zip(*shown, strict=True)
    return Section(
        f"The naive page beside it: SDK loop in a thread, st.markdown 10 x a second, {len(race)} x 750 tok/s",
        (
            Finding("frames", "per s", frames),
            Finding("age of the newest word p95", "ms", ages),
            Finding("bytes per token", "bytes", per_token),
            Finding("app process", "% of core", cpu),
        ),
    )


def _naive_race(
    app: AppProcess, browser: Browser, truth: Truth, race: list[Spec]
) -> tuple[float, float, float, float]:
    """Frames/s, age p95 in ms, bytes per token, per cent of a core, of one race on the naive page."""
    watched = Watched(browser.new_page(viewport=SIZE), NAIVE)
    watched.page.goto(app.address)
    watched.page.wait_for_selector(START, timeout=30_000)
    watched.page.wait_for_timeout(1500)
    watched.begin()
    received, used_s = watched.script_bytes, cpu_s(app.pid)
    watched.click(START)
    watched.page.wait_for_selector("text=Finished", timeout=60_000)
    by_model = {sent.model: sent for sent in truth.wait_for(len(race))}
    sent = [by_model[spec.name] for spec in race]
    first, last = min(s.sends_ns[0] for s in sent), max(s.sends_ns[-1] for s in sent)
    frames, samples = watched.frames_per_s(first, last), watched.samples()
    watched.page.close()
    return (
        frames,
        percentile(ages_ms(samples, sent), 0.95),
        (watched.script_bytes - received) / sum(spec.tokens for spec in race),
        (cpu_s(app.pid) - used_s) / (last - first) * 1e11,
    )
