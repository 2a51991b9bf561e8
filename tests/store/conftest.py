"""Every test of the store runs on SQLite and, where a server is installed, on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lib.store.store import Store
from tests.store.postgresql_server import Server, programs

DATABASES = ["sqlite", "postgresql"]
try:
    programs()
except LookupError:  # tests/store/test_databases.py tells what to install
    DATABASES = ["sqlite"]


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """The server of this session."""
    server = Server()
    yield server
    server.close()


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty history."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/data/history.sqlite"
    server: Server = request.getfixturevalue("postgresql")
    return server.url()


@pytest.fixture
def opened(database_url: str) -> Iterator[Callable[..., Store]]:
    """Opens the history, as often as asked; options go to the Store."""
    stores: list[Store] = []

    def open_(**options: object) -> Store:
        stores.append(Store(database_url, **options))  # type: ignore[arg-type]
        return stores[-1]

    yield open_
    for store in stores:
        store.close()


@pytest.fixture
def store(opened: Callable[..., Store]) -> Store:
    """An empty history."""
    return opened()
