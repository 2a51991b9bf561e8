"""From `make run` to a page one can use, with everything installed."""

from __future__ import annotations

import time
from pathlib import Path
from shutil import which

from playwright.sync_api import Browser, Error

from tests.bench.app_process import AppProcess
from tests.bench.pace import Pace
from tests.bench.report import Finding, Section

START = ".st-key-start button:enabled"
LIMIT_S = 60.0


def startup(browser: Browser, folder: Path, times: int, pace: Pace) -> Section:
    """Seconds until Start can be pressed in a browser that waits for the page."""
    if not which("make"):
        return Section("make run to first usable page", absent="no make on this machine")
    values = tuple(pace.repeat(times, _once, browser, folder / "start.log"))
    return Section(
        f"From `make run` to first usable page, everything installed ({times} x)",
        (Finding("Start can be pressed after", "s", values, at_most=5),),
    )


def _once(browser: Browser, log: Path) -> float:
    page = browser.new_page()
    with AppProcess("app.py", log, command=["make", "run"]) as app:
        while time.monotonic() - app.started_s < LIMIT_S:
            try:
                page.goto(app.address, wait_until="commit")
                break
            except Error:
                page.wait_for_timeout(20)
        page.wait_for_selector(START, timeout=LIMIT_S * 1000)
        page.wait_for_function("window.__tokenrace?.player", timeout=LIMIT_S * 1000)
        took_s = time.monotonic() - app.started_s
    page.close()
    return took_s
