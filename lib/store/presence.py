"""Who is alive: each process that keeps runs holds a lock that ends with it, however it ends.

So a run whose writer is gone is known at the next start at once, and a run of another living process is left alone.
SQLite: a locked file beside the database. PostgreSQL: an advisory lock of one session.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from pathlib import Path
from typing import IO, Protocol

import sqlalchemy as sa
from sqlalchemy import Connection, Engine

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class Presence(Protocol):
    """`writer` is this process's number until `close`."""

    writer: int

    def is_alive(self, writer: int) -> bool: ...

    def close(self) -> None: ...


def presence_for(engine: Engine) -> Presence:
    """A new presence in the database's own way."""
    if engine.dialect.name == "sqlite":
        assert engine.url.database is not None
        return FilePresence(Path(engine.url.database + "-writers"))
    return SessionPresence(engine)


class FilePresence:
    """A locked file; it is locked before it gets the name by which others look for it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self.writer = secrets.randbits(62)
        self._folder = folder
        draft = folder / f"{self.writer}.new"
        self._file = draft.open("ab")
        _lock(self._file)
        os.replace(draft, self._path(self.writer))

    def is_alive(self, writer: int) -> bool:
        """Whether that process still runs."""
        try:
            with self._path(writer).open("r+b") as file:
                if not _lock(file):
                    return True
        except FileNotFoundError:
            return False
        with contextlib.suppress(OSError):
            self._path(writer).unlink()
        return False

    def close(self) -> None:
        """Be gone."""
        self._file.close()
        with contextlib.suppress(OSError):
            self._path(self.writer).unlink()

    def _path(self, writer: int) -> Path:
        return self._folder / str(writer)


class SessionPresence:
    """An advisory lock in a session of its own."""

    def __init__(self, engine: Engine) -> None:
        self.writer = secrets.randbits(62)
        self._engine = engine
        self._session: Connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        self._session.detach()  # closing it ends the session, not only its loan from the pool
        _take(self._session, self.writer)

    def is_alive(self, writer: int) -> bool:
        """Whether that process still has its session."""
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as other:
            if not _take(other, writer):
                return True
            other.execute(sa.text("SELECT pg_advisory_unlock(:writer)"), {"writer": writer})
            return False

    def close(self) -> None:
        """Be gone."""
        self._session.close()


def _take(connection: Connection, writer: int) -> bool:
    taken = connection.execute(sa.text("SELECT pg_try_advisory_lock(:writer)"), {"writer": writer})
    return bool(taken.scalar())


def _lock(file: IO[bytes]) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
