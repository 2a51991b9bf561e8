"""The real app in a process of its own, and headless Chromium in front of it.

Backends are simulated ones at speeds of the tests' own, so that races last a second or two; the collector,
the routes and the page are the product's. Tests wait for states of the page, never for a time.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from lib.server_process import Ready, ServerProcess

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "test-results"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
WAIT_MS = 30_000
expect.set_options(timeout=WAIT_MS)

LANES = {
    "quick": {"ttft_ms": 120, "tok_s": 400, "tokens": 300, "tokens_per_chunk": 2},
    "steady": {"ttft_ms": 200, "tok_s": 150, "tokens": 200, "tokens_per_chunk": 1},
    "endless": {"ttft_ms": 60, "tok_s": 30, "tokens": 20_000, "tokens_per_chunk": 1},
    "broken": {"ttft_ms": 60, "tok_s": 200, "fault": "cut", "after_tokens": 40},
    "refusing": {"fault": "server_error"},
    "thinker": {"ttft_ms": 60, "tok_s": 300, "tokens": 80, "thinking_tokens": 60},
}


@dataclass(frozen=True, slots=True)
class App:
    """Where the app answers, and what it raced against."""

    url: str
    replay_url: str

    def line_up(self, *lanes: str) -> str:
        """The address that opens with these backends."""
        return f"{self.url}/?lineup={','.join(lanes)}&mode=all%20at%20once"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def replay_url() -> Iterator[str]:
    command = [sys.executable, str(ROOT / "tests/contract/replay_server.py"), "--port", "0", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().rsplit(maxsplit=1)[1].strip()
        process.terminate()


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory, replay_url: str) -> Iterator[App]:
    simulator = ServerProcess("lib.simulator")
    simulator.start()
    ready = simulator.wait(30)
    assert isinstance(ready, Ready)
    folder = tmp_path_factory.mktemp("app")
    settings = folder / "backends.toml"
    settings.write_text(_settings(ready.base_url, replay_url), "utf-8")
    port = free_port()
    log = (folder / "app.log").open("w+")
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)],
        cwd=ROOT, env={**os.environ, "TOKENRACE_BACKENDS": str(settings)}, stdout=log, stderr=log,
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    try:
        until_healthy(url, process)
        yield App(url, replay_url)
    finally:
        process.terminate()
        process.wait(20)
        simulator.close()
        log.seek(0)
        said = log.read()
        log.close()
    assert "Traceback" not in said, said


def _settings(simulator_url: str, replay_url: str) -> str:
    tables = [
        f'[backends.{name}]\nbase_url = "{simulator_url}"\nmodel = "gpt-5.6-sol-ultrafast"\n'
        f'name = "{name.title()}"\nprice_in = 1\nprice_out = 2\n'
        f"[backends.{name}.extra_body]\nsimulator = {_inline(body)}\n"
        for name, body in LANES.items()
    ]
    for case in ("f107-html-and-script", "f105-two-dollar-amounts", "f58-error-object-first-with-200"):
        address = f'base_url = "{replay_url}/{case}@browser/v1"'
        tables.append(
            f'[backends.{case}]\n{address}\nmodel = "replay-model"\napi_key = "sk-browser-secret-0001"\n'
        )
    return "\n".join(tables)


def _inline(body: dict[str, object]) -> str:
    return "{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in body.items()) + " }"


def until_healthy(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None, "the app ended"
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1):
                return
        except (urllib.error.URLError, OSError):
            try:
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
    raise AssertionError("the app does not answer")


@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[Browser]:
    """Ended with its module: while playwright runs, its event loop is this thread's, and no other may run."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium_path, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A fresh visitor; errors of the page fail the test, and a picture of its end is kept."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(WAIT_MS)
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    PICTURES.mkdir(exist_ok=True)
    opened.screenshot(path=str(PICTURES / f"{request.node.name}.png"), full_page=True)
    context.close()
    assert errors == []
