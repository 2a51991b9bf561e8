"""Where the history is kept: the data folder and the address of the database.

`TOKENRACE_DATA` names the folder (else `$XDG_DATA_HOME/tokenrace`, else `~/.local/share/tokenrace`);
`TOKENRACE_DATABASE_URL` takes the place of the SQLite file in it.
"""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

FOLDER_VARIABLE = "TOKENRACE_DATA"
DATABASE_VARIABLE = "TOKENRACE_DATABASE_URL"
FILE = "history.sqlite"
DRIVERS = {"postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg", "sqlite": "sqlite"}


class AddressOfDatabaseError(ValueError):
    """The address names no database this product can use; the message says which it can, never the password."""


def data_folder() -> Path:
    """The folder of what the product keeps; it need not exist."""
    own = os.environ.get(FOLDER_VARIABLE)
    if own:
        return Path(own).expanduser()
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "tokenrace"


def database_url(text: str | None = None) -> URL:
    """The database's address: `text`, else the variable, else the file in the data folder.

    Raises AddressOfDatabaseError.
    """
    given = text if text is not None else os.environ.get(DATABASE_VARIABLE, "").strip()
    if not given:
        return URL.create("sqlite", database=str(data_folder() / FILE))
    try:
        url = make_url(given)
    except (ArgumentError, ValueError) as error:
        raise AddressOfDatabaseError(_usable()) from error
    driver = DRIVERS.get(url.drivername.partition("+")[0])
    if driver is None or (driver == "sqlite" and url.database in (None, "", ":memory:")):
        raise AddressOfDatabaseError(_usable())
    return url.set(drivername=driver)


def _usable() -> str:
    return f"{DATABASE_VARIABLE} must be postgresql://user:password@host/database or sqlite:////path/to/file.sqlite"
