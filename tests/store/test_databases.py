"""Where the history is, which tables it has, and what is said when it cannot be had."""

from __future__ import annotations

import re
import stat
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory

from lib.domain.series import RoundPlace, SeriesPlan
from lib.own_lines import data_folder
from lib.store import location
from lib.store.columns import lane_columns, run_columns
from lib.store.engine import engine_for, writing
from lib.store.location import AddressOfDatabaseError
from lib.store.migrate import HEAD, SCRIPTS, NewerHistoryError, _upgrade, migrate
from lib.store.packing import pack_lane, rows_of
from lib.store.schema import LANE, METADATA, RECORDING, RUN
from lib.store.store import Store
from tests.store import postgresql_server
from tests.store.runs import race


def test_the_migrations_make_exactly_the_tables_of_the_schema(store: Store) -> None:
    with store._engine.connect() as connection:
        context = MigrationContext.configure(connection)
        found = compare_metadata(context, METADATA)
    assert [change for change in found if "run_search" not in str(change)] == []


def test_the_newest_migration_is_the_one_the_product_asks_for() -> None:
    assert ScriptDirectory(str(SCRIPTS)).get_heads() == [HEAD]


def test_the_tables_can_be_taken_back_and_made_again(store: Store) -> None:
    engine = store._engine
    scripts = ScriptDirectory(str(SCRIPTS))
    with writing(engine).begin() as connection:
        context = MigrationContext.configure(connection)
        with context.begin_transaction(), Operations.context(context):
            for script in scripts.walk_revisions():
                script.module.downgrade()
        connection.execute(sa.text("DELETE FROM alembic_version"))
        assert [n for n in sa.inspect(connection).get_table_names() if n in METADATA.tables] == []
    migrate(engine)
    store.save(race())
    assert store.open("one") == race()


def test_a_history_of_the_first_version_keeps_its_runs_and_takes_series(database_url: str) -> None:
    engine = engine_for(location.database_url(database_url))
    with writing(engine).begin() as connection:
        _upgrade(connection, None, "first")
    old = race()
    with writing(engine).begin() as connection:
        columns = {**run_columns(old, 0), "status": "complete"}
        connection.execute(sa.insert(RUN), [columns])
        connection.execute(sa.insert(LANE), [{"run": 1, **columns} for columns in lane_columns(old)])
        packed = [{"run": 1, "lane": lane, "rows": pack_lane(rows)} for lane, rows in enumerate(rows_of(old))]
        connection.execute(sa.insert(RECORDING), packed)
    engine.dispose()
    with closing(Store(database_url)) as store:
        assert store.page().total == 1
        assert replace(store.open("one"), clock_health_ms=old.clock_health_ms) == old
        store.begin_series(replace(old, id="series"), SeriesPlan(1, "warm", False, 3))
        store.begin(replace(old, id="series-1"), RoundPlace("series", 1))
        assert [row.id for row in store.page().rows] == ["series", "one"]


def test_a_history_of_a_newer_version_is_left_alone(database_url: str) -> None:
    Store(database_url).close()
    engine = engine_for(location.database_url(database_url))
    with writing(engine).begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = 'from-the-future'"))
    with pytest.raises(NewerHistoryError):
        Store(database_url)
    with engine.connect() as connection:
        assert (
            connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
            == "from-the-future"
        )
    engine.dispose()


def test_sqlite_waits_for_locks_keeps_a_write_ahead_log_and_its_references(tmp_path: Path) -> None:
    engine = engine_for(location.database_url(f"sqlite:///{tmp_path}/new/history.sqlite"))
    with engine.connect() as connection:
        pragmas = [connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                   for name in ("journal_mode", "foreign_keys", "busy_timeout")]  # fmt: skip
    engine.dispose()
    assert pragmas == ["wal", 1, 30_000]
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


def test_the_folder_comes_from_its_variable_else_from_the_desktop_convention(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TOKENRACE_DATABASE_URL", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", "/xdg")
    monkeypatch.delenv("TOKENRACE_DATA", raising=False)
    assert data_folder() == Path("/xdg/tokenrace")
    monkeypatch.setenv("TOKENRACE_DATA", "/own")
    assert location.database_url().database == "/own/history.sqlite"


@pytest.mark.parametrize(
    "text",
    [
        "mysql://root:secret@host/x",
        "not a url:secret",
        "sqlite://",
        "sqlite:///:memory:",
        "postgresql://u:secret@[::/x",
    ],
)
def test_an_address_that_cannot_be_used_is_refused_without_showing_its_password(text: str) -> None:
    with pytest.raises(AddressOfDatabaseError) as refused:
        location.database_url(text)
    assert "TOKENRACE_DATABASE_URL" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_common_spellings_of_a_postgresql_address_reach_the_driver_that_is_installed() -> None:
    for text in ("postgres://u:p@h/d", "postgresql://u:p@h/d", "postgresql+psycopg2://u:p@h/d"):
        assert location.database_url(text).drivername == "postgresql+psycopg"


def test_without_a_server_the_tests_say_what_to_install(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    monkeypatch.setattr(postgresql_server, "PLACES", ())
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("POSTGRESQL_BIN", raising=False)
    with pytest.raises(LookupError, match=re.escape("`sh scripts/postgresql.sh` says what to install")):
        postgresql_server.programs()
    assert "apt-get install postgresql" in (root / "scripts" / "postgresql.sh").read_text("utf-8")
