"""The app of a test's own with a settings file, an environment and options of the test; its log at hand.

The settings lie in a folder of the test's: the project's own folder is never written to.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lib.backends.presets import presets
from tests.browser.conftest import ROOT, free_port, until_healthy

KEYS = {name for preset in presets() for name in preset.key_env}


@dataclass(frozen=True, slots=True)
class AppWithSettings:
    """Where it answers and where it logs."""

    url: str
    log: Path

    def said(self) -> str:
        """Its log so far."""
        return self.log.read_text("utf-8", "replace")


@contextmanager
def app_with_settings(
    folder: Path, settings: str, *options: str, port: int = 0, environment: Mapping[str, str] | None = None
) -> Iterator[AppWithSettings]:
    """The app with this secrets.toml, until the block ends; a traceback in its log fails the test."""
    file, log, port = folder / "secrets.toml", folder / "app.log", port or free_port()
    file.write_text(settings, "utf-8")
    clean = {name: value for name, value in os.environ.items() if name not in KEYS}
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, "--secrets.files", str(file), *options],
            cwd=ROOT, env={**clean, **(environment or {})}, stdout=out, stderr=out,
        )  # fmt: skip
        app = AppWithSettings(f"http://127.0.0.1:{port}", log)
        try:
            until_healthy(app.url, process)
            yield app
        finally:
            process.terminate()
            process.wait(20)
    assert "Traceback" not in app.said(), app.said()
