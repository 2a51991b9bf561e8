"""One database engine with the settings that several threads and processes need.

SQLite: write-ahead log, a busy timeout, foreign keys, and transactions that take the write lock when they begin
(a read that turns into a write would fail with "database is locked" whatever the timeout).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL

BUSY_S = 30.0
_POSTGRESQL = {
    "connect_timeout": 10,  # seconds
    "options": "-c jit=off",  # compiling a list's query takes longer than running it
}
_WRITES = "tokenrace_writes"


def engine_for(url: URL) -> Engine:
    """The engine; of a SQLite file the folder is made, readable by its owner alone."""
    if url.drivername != "sqlite":
        return create_engine(url, pool_pre_ping=True, connect_args=_POSTGRESQL)
    assert url.database is not None
    Path(url.database).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": BUSY_S, "check_same_thread": False})
    event.listen(engine, "connect", _configure)
    event.listen(engine, "begin", _begin)
    return engine


def writing(engine: Engine) -> Engine:
    """The same engine for transactions that write."""
    return engine.execution_options(**{_WRITES: True})


def _configure(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions are begun below, not guessed by the driver
    for setting in (
        f"busy_timeout = {int(BUSY_S * 1000)}",
        "journal_mode = WAL",
        "synchronous = NORMAL",
        "foreign_keys = ON",
        "cache_size = -16000",  # KiB
    ):
        connection.execute(f"PRAGMA {setting}")


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
