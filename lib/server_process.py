"""A server of our own in a child process: starts it, knows its state, ends it.

Nothing waits here: `start` returns at once and a thread follows the child until it prints its one JSON
line (`base_url`, `pid` and whatever else it has to tell, or `error`). The app asks for `state` when it
draws, and calls `start` again when it needs the server; a child that died in the meantime is started anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from lib.i18n import _

ROOT = Path(__file__).resolve().parents[1]
_CHILDREN_NEED = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|TMPDIR|TEMP|TMP|XDG_.*|TOKENRACE_CACHE|PYTHON.*|VIRTUAL_ENV|COVERAGE_.*"
    r"|LD_LIBRARY_PATH|LD_PRELOAD|DYLD_.*|OMP_.*|SSL_CERT_FILE|SSL_CERT_DIR|(HTTPS?|ALL|NO)_PROXY"
    r"|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|USERPROFILE|NUMBER_OF_PROCESSORS",
    re.IGNORECASE,
)
START_LIMIT_S = 60.0
CLOSE_LIMIT_S = 2.0


@dataclass(frozen=True, slots=True)
class Idle:
    """Not started yet, or closed."""


@dataclass(frozen=True, slots=True)
class Starting:
    """The process does not answer yet."""


@dataclass(frozen=True, slots=True)
class Ready:
    """It answers at `base_url` (which ends in /v1); `told` is the rest of its line."""

    base_url: str
    pid: int
    told: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Absent:
    """This machine cannot run it; `reason` is a sentence."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """It is installed and did not start, or died; `reason` is a sentence. `start` tries again."""

    reason: str


State = Idle | Starting | Ready | Absent | Failed


def environment() -> dict[str, str]:
    """What a child process inherits: what it needs to run, and none of the operator's other variables.

    A key in a variable (`OPENAI_API_KEY`, or whatever `api_key_env` names) is thus read by this process alone.
    """
    return {name: value for name, value in os.environ.items() if _CHILDREN_NEED.fullmatch(name)}


class ServerProcess:
    """One server, `python -m MODULE ARGUMENTS`. Safe to use from several threads.

    `absence` gives the sentence why this machine cannot run it, or None when it can.
    """

    def __init__(
        self,
        module: str,
        *arguments: str,
        absence: Callable[[], str | None] = lambda: None,
        start_limit_s: float = START_LIMIT_S,
    ) -> None:
        self._name = module
        self._command = (sys.executable, "-m", module, *arguments, "--until-stdin-closes")
        self._absence = absence
        self._start_limit_s = start_limit_s
        self._changed = threading.Condition()
        self._state: State = Idle()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def state(self) -> State:
        """What it is doing now; a child that died since the last look is noticed here."""
        with self._changed:
            if isinstance(self._state, Ready) and self._process and self._process.poll() is not None:
                _let_go(self._process)
                self._state = Failed(_how_it_ended(self._process.returncode, ""))
            return self._state

    @property
    def base_url(self) -> str | None:
        """Where it answers, or None while it does not."""
        state = self.state
        return state.base_url if isinstance(state, Ready) else None

    def start(self) -> None:
        """Start it unless it is starting or ready; returns at once."""
        with self._changed:
            if isinstance(self.state, Starting | Ready):
                return
            reason = self._absence()
            if reason is not None:
                self._become(Absent(reason))
                return
            self._become(Starting())
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.close()  # of one that died
            errors = tempfile.TemporaryFile()  # noqa: SIM115 (the following thread closes it)
            try:
                process = self._process = subprocess.Popen(  # noqa: S603 (our own module)
                    self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, cwd=ROOT,
                    env=environment(),
                )
            except OSError as error:
                errors.close()
                self._become(Failed(str(error)))
                return
        threading.Thread(target=self._follow, args=(process, errors), name=self._name, daemon=True).start()

    def wait(self, timeout_s: float) -> State:
        """Wait until it is no longer starting, at most `timeout_s`; the state then."""
        with self._changed:
            self._changed.wait_for(lambda: not isinstance(self._state, Starting), timeout_s)
        return self.state

    def close(self) -> None:
        """End the process; it may be started again."""
        with self._changed:
            process, self._process = self._process, None
            self._become(Idle())
        if process is not None:
            _end(process)

    def _follow(self, process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        """Read the child's one line; runs in a thread of its own until that line or the child's end."""
        limit = threading.Timer(self._start_limit_s, process.kill)
        limit.daemon = True
        limit.start()
        assert process.stdout is not None
        with errors, process.stdout as announcements:
            line = announcements.readline()
            limit.cancel()
            state = _announced(line)
            if state is None:
                process.kill()  # it said something else: it is not the server we know
                _let_go(process)
                state = Failed(_how_it_ended(process.wait(), _last_line(errors)))
        with self._changed:
            if self._process is process:
                self._become(state)

    def _become(self, state: State) -> None:
        with self._changed:
            self._state = state
            self._changed.notify_all()


def _announced(line: bytes) -> State | None:
    """The state that the child's first line tells, or None when it told nothing."""
    try:
        told = json.loads(line)
        return (
            Failed(told["error"]) if "error" in told else Ready(told.pop("base_url"), told.pop("pid"), told)
        )
    except (ValueError, TypeError, KeyError):
        return None


def _how_it_ended(code: int, last_words: str) -> str:
    reason = _("The process ended (code {code}).").format(code=code)
    return f"{reason} {last_words}".strip()


def _last_line(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read()[-2000:].decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""


def _let_go(process: subprocess.Popen[bytes]) -> None:
    """Close our end of a dead child's input."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask by closing its input, then insist."""
    assert process.stdin is not None
    process.stdin.close()
    for insist in (process.terminate, process.kill):
        try:
            process.wait(CLOSE_LIMIT_S)
            return
        except subprocess.TimeoutExpired:
            insist()
    process.wait()
