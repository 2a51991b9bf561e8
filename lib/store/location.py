"""Where the history is kept: the address of the database.

It is a SQLite file in the data folder (`lib/own_lines.py`), unless `TOKENRACE_DATABASE_URL` names another.
"""

from __future__ import annotations

import os

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from lib.own_lines import data_folder

DATABASE_VARIABLE = "TOKENRACE_DATABASE_URL"
FILE = "history.sqlite"
DRIVERS = {"postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg", "sqlite": "sqlite"}


class AddressOfDatabaseError(ValueError):
    """The address names no database this product can use; the message says which it can, never the password."""


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
