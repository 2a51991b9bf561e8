"""A history that cannot be written says why, what to do about it, and which run is not in it."""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from lib.store.keeper import Keeper
from lib.store.store import Store
from lib.store.trouble import Trouble, sentence_of, trouble_of
from tests.store.runs import race, shipped

LONG = random.Random(1).randbytes(200_000).hex()  # more than is free in the pages of an empty history


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "history.db"
    Store(f"sqlite:///{path}").close()
    return path


def kept_with(store: Store) -> tuple[Trouble | None, bool]:
    """What the keeper says when a write fails, and whether it knows the run as lost when it gives up."""
    seen: list[Trouble | None] = []
    keeper: Keeper

    def wait(closing: threading.Event, _seconds: float) -> None:
        seen.append(keeper.trouble)
        failing.set()
        closing.wait()

    failing = threading.Event()
    keeper = Keeper(store, wait)
    run = race("one")
    keeper.on_begin(run)
    for batch in [*shipped(run), json.dumps([[0, [[1, "a", LONG, 0]]]]).encode()]:
        keeper.on_rows(run.id, batch)
    keeper.on_end(run.id, {})
    failing.wait(10)
    keeper.close()
    return (seen[0] if seen else None), keeper.is_lost(run.id)


@pytest.mark.parametrize(
    ("pragma", "kind"), [("query_only = ON", Trouble.READ_ONLY), ("max_page_count = 1", Trouble.FULL)]
)
def test_a_database_that_refuses_says_why_and_the_run_is_known_as_lost(file: Path, pragma: str, kind: Trouble) -> None:
    store = Store(f"sqlite:///{file}")

    @sa.event.listens_for(store._engine, "begin")
    def refuse(connection: Any) -> None:
        connection.exec_driver_sql(f"PRAGMA {pragma}")

    store._engine.dispose()
    found = kept_with(store)
    store.close()
    assert found == (kind, True)


def test_a_database_that_another_program_holds_says_so(file: Path) -> None:
    store = Store(f"sqlite:///{file}")

    @sa.event.listens_for(store._engine, "connect")
    def hurry(connection: Any, _record: object) -> None:
        connection.execute("PRAGMA busy_timeout = 1")

    store._engine.dispose()
    with sa.create_engine(f"sqlite:///{file}").connect() as other:
        other.exec_driver_sql("BEGIN EXCLUSIVE")
        found = kept_with(store)
        other.rollback()
    store.close()
    assert found == (Trouble.LOCKED, True)


def test_what_is_unknown_is_a_database_that_does_not_answer() -> None:
    assert trouble_of(OperationalError("INSERT", {}, Exception("connection refused"))) is Trouble.AWAY
    assert trouble_of(OSError(28, "No space left on device")) is Trouble.FULL


@pytest.mark.parametrize("kind", list(Trouble))
def test_every_kind_says_what_to_do(kind: Trouble) -> None:
    told = sentence_of(kind)
    assert told.count(". ") >= 2
    assert "tried again" in told
