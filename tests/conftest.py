"""What every test may ask for. Nothing here may reach beyond loopback."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
FOREIGN = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")

# A developer's keys and proxies change neither what is raced nor how loopback is reached.
for name in (*FOREIGN, *PROXIES, *(proxy.lower() for proxy in PROXIES)):
    os.environ.pop(name, None)

# What tests race and keep goes into a folder of their own, never into the history of the person who runs them.
_DATA = tempfile.TemporaryDirectory(prefix="tokenrace-tests-")
os.environ["TOKENRACE_DATA"] = _DATA.name
os.environ.pop("TOKENRACE_DATABASE_URL", None)

# The same examples in every run, and no time limit: shared processors stall now and then.
settings.register_profile("tokenrace", derandomize=True, deadline=None)
settings.load_profile("tokenrace")


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The browser that `scripts/browser.sh` saw to; for playwright's `executable_path`."""
    candidates = (os.environ.get("CHROMIUM", ""), *BROWSERS)
    found = next((path for name in candidates if name and (path := shutil.which(name))), None)
    assert found, "no Chromium or Chrome: `sh scripts/browser.sh` says what to install"
    return found


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Coroutine tests (`@pytest.mark.anyio`) run on asyncio."""
    return "asyncio"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser test that failed is run once more: a busy machine can let a browser miss a moment."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))
