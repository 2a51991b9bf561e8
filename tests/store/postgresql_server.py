"""A real PostgreSQL server for the tests: a Unix socket in a folder of its own, no network, no durability.

The server refuses to run as root; then it runs as the user `postgres` (or `nobody`).
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin",
          "/usr/local/opt/postgresql*/bin")  # fmt: skip
NEEDED = "no PostgreSQL server: `sh scripts/postgresql.sh` says what to install"
OPTIONS = "-c listen_addresses='' -c fsync=off -c full_page_writes=off -c unix_socket_directories={}"


def programs() -> Path:
    """The folder with `initdb` and `pg_ctl`. Raises LookupError with what to do when there is none."""
    own = [Path(os.environ["POSTGRESQL_BIN"])] if os.environ.get("POSTGRESQL_BIN") else []
    known = [folder for place in PLACES for folder in sorted(Path("/").glob(place[1:]), reverse=True)]
    on_path = shutil.which("initdb")
    candidates = [*own, *known, *([Path(on_path).resolve().parent] if on_path else [])]
    for folder in candidates:
        if (folder / "initdb").exists() and (folder / "pg_ctl").exists():
            return folder
    raise LookupError(NEEDED)


class Server:
    """Started by the constructor, stopped by `close`."""

    def __init__(self) -> None:
        self._programs = programs()
        self.folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
        self._user = _other_user()
        if self._user is not None:
            shutil.chown(self.folder, self._user)
        data = str(self.folder / "data")
        self._run("initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")
        options = OPTIONS.format(self.folder)
        self._run("pg_ctl", "-D", data, "-o", options, "-l", str(self.folder / "log"), "-w", "start")
        self._databases = 0

    def url(self) -> str:
        """The address of a new, empty database."""
        self._databases += 1
        name = f"history{self._databases}"
        self._run("createdb", "-h", str(self.folder), "-U", "postgres", name)
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def close(self) -> None:
        """Stop the server and remove its folder."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self._programs / program), *arguments], cwd=self.folder, user=self._user, check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120,
        )  # fmt: skip


def _other_user() -> str | None:
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
