"""The app of a test's own: started with settings of the test, its log at hand, ended by its own id."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.browser.conftest import ROOT, free_port, until_healthy


@dataclass(frozen=True, slots=True)
class OwnApp:
    """Where it answers and where it logs."""

    url: str
    log: Path
    pid: int

    def line_up(self, names: list[str]) -> str:
        """The address that opens with these backends."""
        return f"{self.url}/?lineup={','.join(names)}"

    def said(self) -> str:
        """Its log so far."""
        return self.log.read_text("utf-8", "replace")


def settings_of(addresses: dict[str, str], key: str) -> str:
    """A settings file with one backend per address."""
    return "\n".join(
        f'[backends.{name}]\nbase_url = "{address}"\nmodel = "m"\napi_key = "{key}"\n'
        for name, address in addresses.items()
    )


@contextmanager
def own_app(folder: Path, settings: str, *options: str) -> Iterator[OwnApp]:
    """The app with these settings, until the block ends."""
    path, log = folder / "backends.toml", folder / "app.log"
    path.write_text(settings, "utf-8")
    port = free_port()
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-X", "dev", "-m", "streamlit", "run", "app.py", "--server.port", str(port), *options],
            cwd=ROOT, env={**os.environ, "TOKENRACE_BACKENDS": str(path)}, stdout=out, stderr=out,
        )  # fmt: skip
        try:
            until_healthy(f"http://127.0.0.1:{port}", process)
            yield OwnApp(f"http://127.0.0.1:{port}", log, process.pid)
        finally:
            process.terminate()
            process.wait(20)
