"""Keeping a run as it comes: begun, appended to, sealed. Statements only; `Store` gives the transaction.

Every one can be repeated without harm: a commit of which the answer was lost is simply done again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from lib.domain.codec import RecordingError, Row, decode_rows
from lib.domain.events import Status
from lib.domain.run import Run
from lib.store import words
from lib.store.columns import SUMMARY, lane_columns, run_columns, searched, summary, summary_columns, worst
from lib.store.packing import interrupted, journal_rows, pack_lane, unpack_header, unpack_lane
from lib.store.rows import NoSuchRunError
from lib.store.schema import JOURNAL, LANE, RECORDING, RUN, RUNNING

_FIGURES = (
    sa.update(LANE)
    .where(LANE.c.run == sa.bindparam("of"), LANE.c.lane == sa.bindparam("at"))
    .values({name: sa.bindparam(name) for name in SUMMARY})
)


def begin(connection: Connection, run: Run, writer: int, now_ms: int) -> int:
    """Make the run's row and its lanes, without a recording yet; returns its number."""
    _insert_once(connection, RUN, [{**run_columns(run, now_ms), "writer": writer}])
    number = number_of(connection, run.id)
    _insert_once(connection, LANE, [{"run": number, **columns} for columns in lane_columns(run)])
    words.index(connection, number, searched(run.prompt, run.backends, (), ""))
    return number


def extend(connection: Connection, number: int, run: Run) -> None:
    """More lanes of a run that is under way, or other notes of those it has; lanes never become fewer."""
    known = {name: value for name, value in run_columns(run, 0).items() if name == "header" or name.startswith("is_")}
    connection.execute(sa.update(RUN).where(RUN.c.number == number).values(known))
    _insert_once(connection, LANE, [{"run": number, **columns} for columns in lane_columns(run)])


def append(connection: Connection, number: int, batch: int, rows: bytes) -> None:
    """Add a batch of rows, unread."""
    _insert_once(connection, JOURNAL, [{"run": number, "batch": batch, "rows": rows}])


def reopen(connection: Connection, number: int, writer: int) -> int:
    """Let more rows come to a run (a lane is tried again); returns the number of the next batch."""
    connection.execute(sa.update(RUN).where(RUN.c.number == number).values(status=RUNNING, writer=writer))
    last = connection.execute(sa.select(sa.func.max(JOURNAL.c.batch)).where(JOURNAL.c.run == number)).scalar()
    return 0 if last is None else last + 1


def seal(connection: Connection, number: int, clock_health_ms: float | None) -> None:
    """Turn the journal into recordings and figures; a lane without an end was interrupted."""
    header = connection.execute(sa.select(RUN.c.header).where(RUN.c.number == number)).scalar_one()
    run = replace(unpack_header(header), clock_health_ms=clock_health_ms)
    lanes = [interrupted(rows) for rows in rows_by_lane(connection, number, len(run.backends))]
    put(connection, number, run, lanes)


def put(connection: Connection, number: int, run: Run, lanes: Sequence[Sequence[Row]]) -> None:
    """Make these rows the whole recording of a run, and write its figures beside it."""
    found = [
        summary(decode_rows(lane, rows)[-1], backend)
        for lane, (rows, backend) in enumerate(zip(lanes, run.backends, strict=True))
    ]
    for table in (RECORDING, JOURNAL):
        connection.execute(sa.delete(table).where(table.c.run == number))
    packed = [{"run": number, "lane": lane, "rows": pack_lane(rows)} for lane, rows in enumerate(lanes)]
    connection.execute(sa.insert(RECORDING), packed)
    figures = [{"of": number, "at": lane, **summary_columns(one)} for lane, one in enumerate(found)]
    connection.execute(_FIGURES, figures)
    ended = {
        "status": worst(one.status for one in found),
        "writer": None,
        "clock_health_ms": run.clock_health_ms,
    }
    connection.execute(sa.update(RUN).where(RUN.c.number == number).values(ended))


def give_up(connection: Connection, number: int) -> None:
    """Close a run whose journal cannot be read; the journal stays."""
    interrupted_too = {"status": Status.INTERRUPTED.value}
    connection.execute(sa.update(LANE).where(LANE.c.run == number).values(interrupted_too))
    connection.execute(sa.update(RUN).where(RUN.c.number == number).values(**interrupted_too, writer=None))


def running(connection: Connection) -> Mapping[int, int]:
    """Runs that have not ended, and who writes them."""
    query = sa.select(RUN.c.number, RUN.c.writer).where(RUN.c.status == sa.literal_column(f"'{RUNNING}'"))
    return {row.number: row.writer for row in connection.execute(query)}


def rows_by_lane(connection: Connection, number: int, lanes: int) -> list[list[Row]]:
    """All rows of a run: sealed ones first, then the journal's. Raises RecordingError for damaged bytes."""
    sealed = connection.execute(sa.select(RECORDING).where(RECORDING.c.run == number)).all()
    found: list[list[Row]] = [[] for _ in range(lanes)]
    for row in sealed:
        if row.lane >= lanes:
            raise RecordingError("the recording has more lanes than the run")
        found[row.lane] = unpack_lane(row.rows)
    query = sa.select(JOURNAL.c.rows).where(JOURNAL.c.run == number).order_by(JOURNAL.c.batch)
    batches = connection.execute(query).scalars()
    return [old + new for old, new in zip(found, journal_rows(batches, lanes), strict=True)]


def number_of(connection: Connection, run_id: str) -> int:
    """The run's number in the tables. Raises NoSuchRunError."""
    number: int | None = connection.execute(sa.select(RUN.c.number).where(RUN.c.id == run_id)).scalar()
    if number is None:
        raise NoSuchRunError(run_id)
    return number


def _insert_once(connection: Connection, table: sa.Table, rows: list[dict[str, Any]]) -> None:
    connection.execute(_insertion(connection.dialect.name, table), rows)


@cache
def _insertion(dialect: str, table: sa.Table) -> sa.Executable:
    if dialect == "sqlite":
        return sqlite_insert(table).on_conflict_do_nothing()
    return postgresql_insert(table).on_conflict_do_nothing()
