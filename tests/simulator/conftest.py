"""The simulator as a user starts it: its own process, any free port."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "lib.simulator", "--until-stdin-closes")


@dataclass(frozen=True)
class Running:
    """A started simulator and the line it printed."""

    process: subprocess.Popen[bytes]
    base_url: str
    port: int
    pid: int


def start() -> Running:
    """Start one and wait for its line."""
    process = subprocess.Popen(COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    return Running(process, **json.loads(process.stdout.readline()))


def end(running: Running) -> int:
    """Close its input; its exit code."""
    assert running.process.stdin is not None
    assert running.process.stdout is not None
    running.process.stdin.close()
    code = running.process.wait(10)
    running.process.stdout.close()
    return code


@pytest.fixture(scope="module")
def simulator() -> Iterator[Running]:
    running = start()
    yield running
    end(running)
