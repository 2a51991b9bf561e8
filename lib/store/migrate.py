"""Brings the tables up to date; safe when two processes start at once.

The whole change is one transaction under the database's own write lock, so a process that is killed in it leaves
the tables as they were, and the second process finds them done.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Engine

from lib.store.engine import writing

HEAD = "series"
SCRIPTS = Path(__file__).with_name("migrations")
_LOCK = 0x746F6B656E  # any constant of our own


class NewerHistoryError(RuntimeError):
    """The history was written by a newer version; this one leaves it alone."""


def migrate(engine: Engine) -> None:
    """Make or update the tables. Raises NewerHistoryError when they are of a version unknown here."""
    with engine.connect() as connection:
        if _version(connection) == HEAD:
            return
    with writing(engine).begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
        version = _version(connection)
        if version != HEAD:
            _upgrade(connection, version)


def _version(connection: Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    return found


def _upgrade(connection: Connection, version: str | None, wanted: str = HEAD) -> None:
    # loaded when there is something to do: it would cost every start a quarter of a second
    command: Any = importlib.import_module("alembic.command")
    configuration: Any = importlib.import_module("alembic.config").Config()
    scripts: Any = importlib.import_module("alembic.script").ScriptDirectory(str(SCRIPTS))
    known = {script.revision for script in scripts.walk_revisions()}
    if version is not None and version not in known:
        raise NewerHistoryError("The history was written by a newer version of Tokenrace; update to open it.")
    configuration.set_main_option("script_location", str(SCRIPTS))
    configuration.attributes["connection"] = connection
    command.upgrade(configuration, wanted)
