"""Keeping a run as it comes: begun, appended to, sealed. Statements only; `Store` gives the transaction.

Every one can be repeated without harm: a commit of which the answer was lost is simply done again.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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
from lib.domain.series import RoundPlace, SeriesPlan
from lib.store import words
from lib.store.columns import (
    SUMMARY,
    joined,
    lane_columns,
    run_columns,
    searched,
    summary,
    summary_columns,
    summary_of,
    worst,
)
from lib.store.packing import interrupted, journal_rows, pack_header, pack_lane, unpack_header, unpack_lane
from lib.store.rows import NoSuchRunError, Summary
from lib.store.schema import JOURNAL, LANE, RECORDING, RUN, RUNNING, SERIES

INTERRUPTED = "interrupted"  # how a series ended whose process is gone
_APPEND = {  # in the driver's own words: it runs thirty times a second, and half its time went into making it
    "sqlite": "INSERT OR IGNORE INTO journal (run, batch, rows) VALUES (?, ?, ?)",
    "postgresql": "INSERT INTO journal (run, batch, rows) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
}
_FIGURES = (
    sa.update(LANE)
    .where(LANE.c.run == sa.bindparam("of"), LANE.c.lane == sa.bindparam("at"))
    .values({name: sa.bindparam(name) for name in SUMMARY})
)


def begin(connection: Connection, run: Run, writer: int, now_ms: int, place: RoundPlace | None = None) -> int:
    """Make the run's row and its lanes, without a recording yet; returns its number. A round is not searched."""
    of_round = (
        {} if place is None else {"within": number_of(connection, place.series_id), "round": place.round}
    )
    _insert_once(connection, RUN, [{**run_columns(run, now_ms), "writer": writer, **of_round}])
    number = number_of(connection, run.id)
    _insert_once(connection, LANE, [{"run": number, **columns} for columns in lane_columns(run)])
    if place is None:
        words.index(connection, number, searched(run.prompt, run.backends, (), ""))
    return number


def begin_series(connection: Connection, run: Run, plan: SeriesPlan, writer: int, now_ms: int) -> int:
    """Make the run that stands for a series; its rounds begin after it."""
    number = begin(connection, run, writer, now_ms)
    columns = {name: getattr(plan, name) for name in SeriesPlan.__slots__}
    _insert_once(connection, SERIES, [{"run": number, **columns}])
    return number


def seal_series(connection: Connection, number: int, ended: str) -> None:
    """A series is over: its lanes show what its rounds gave."""
    found = series_summaries(connection, number)
    figures = [{"of": number, "at": lane, **summary_columns(one)} for lane, one in found.items()]
    connection.execute(_FIGURES, figures)
    connection.execute(sa.update(SERIES).where(SERIES.c.run == number).values(ended=ended))
    status = Status.INTERRUPTED.value if ended == INTERRUPTED else worst(one.status for one in found.values())
    late = sa.select(sa.func.max(RUN.c.clock_health_ms)).where(RUN.c.within == number).scalar_subquery()
    closed = {"status": status, "writer": None, "clock_health_ms": late}
    connection.execute(sa.update(RUN).where(RUN.c.number == number).values(closed))


def series_summaries(connection: Connection, number: int) -> dict[int, Summary]:
    """What each lane of a series shows, from the figures of its rounds; the warm-up is none."""
    lanes = connection.execute(sa.select(LANE.c.lane).where(LANE.c.run == number)).scalars()
    found: dict[int, list[Summary]] = {lane: [] for lane in lanes}
    of_rounds = (
        sa.select(LANE).join(RUN, RUN.c.number == LANE.c.run)
        .where(RUN.c.within == number, RUN.c.round > 0).order_by(RUN.c.round)
    )  # fmt: skip
    for row in connection.execute(of_rounds):
        if row.lane in found:
            found[row.lane].append(summary_of(row))
    return {lane: joined(its) for lane, its in found.items()}


def series_of(connection: Connection, number: int) -> sa.Row[Any] | None:
    """The series that this run stands for, as its row; None when it is a run like any other."""
    return connection.execute(sa.select(SERIES).where(SERIES.c.run == number)).first()


def series_among(connection: Connection, numbers: Sequence[int]) -> set[int]:
    """Those of these runs that stand for a series."""
    return set(connection.execute(sa.select(SERIES.c.run).where(SERIES.c.run.in_(numbers))).scalars())


def rounds_of(connection: Connection, number: int) -> list[tuple[int, int]]:
    """(round, number of its run) of a series, in order."""
    query = sa.select(RUN.c.round, RUN.c.number).where(RUN.c.within == number).order_by(RUN.c.round)
    return [(row.round, row.number) for row in connection.execute(query)]


def extend(connection: Connection, number: int, run: Run) -> None:
    """More lanes of a run that is under way, or other notes of those it has; lanes never become fewer."""
    known = {
        name: value
        for name, value in run_columns(run, 0).items()
        if name == "header" or name.startswith("is_")
    }
    connection.execute(sa.update(RUN).where(RUN.c.number == number).values(known))
    _insert_once(connection, LANE, [{"run": number, **columns} for columns in lane_columns(run)])


def seen(connection: Connection, number: int, display_lag_ms: float) -> None:
    """Put the display lag into the run's header, which stays as it is otherwise."""
    header = connection.execute(sa.select(RUN.c.header).where(RUN.c.number == number)).scalar_one()
    told = pack_header(replace(unpack_header(header), display_lag_ms=display_lag_ms))
    connection.execute(sa.update(RUN).where(RUN.c.number == number).values(header=told))


def append(connection: Connection, number: int, batch: int, rows: bytes) -> None:
    """Add a batch of rows, unread."""
    connection.exec_driver_sql(_APPEND[connection.dialect.name], (number, batch, rows))


def reopen(connection: Connection, number: int, writer: int) -> int:
    """Let more rows come to a run (a lane is tried again); returns the number of the next batch."""
    connection.execute(sa.update(RUN).where(RUN.c.number == number).values(status=RUNNING, writer=writer))
    last = connection.execute(sa.select(sa.func.max(JOURNAL.c.batch)).where(JOURNAL.c.run == number)).scalar()
    return 0 if last is None else last + 1


def seal(connection: Connection, number: int, clock_health_ms: float | None) -> None:
    """Turn the journal into recordings and figures; a lane without an end was interrupted."""
    header = connection.execute(sa.select(RUN.c.header).where(RUN.c.number == number)).scalar_one()
    run = replace(unpack_header(header), clock_health_ms=clock_health_ms)
    with _no_search_for_cycles():
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


def read(connection: Connection, number: int) -> Run:
    """The run with everything recorded so far; of a lane that was retried, the last try. Raises RecordingError."""
    kept = connection.execute(
        sa.select(RUN.c.header, RUN.c.clock_health_ms).where(RUN.c.number == number)
    ).one()
    run = unpack_header(kept.header)
    rows = rows_by_lane(connection, number, len(run.backends))
    generations = tuple(decode_rows(lane, its)[-1] for lane, its in enumerate(rows))
    return replace(run, generations=generations, clock_health_ms=kept.clock_health_ms)


def number_of(connection: Connection, run_id: str) -> int:
    """The run's number in the tables. Raises NoSuchRunError."""
    number: int | None = connection.execute(sa.select(RUN.c.number).where(RUN.c.id == run_id)).scalar()
    if number is None:
        raise NoSuchRunError(run_id)
    return number


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Thousands of small values come and go while a run is sealed, none in a cycle: looking for cycles among them
    would take a fifth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _insert_once(connection: Connection, table: sa.Table, rows: list[dict[str, Any]]) -> None:
    connection.execute(_insertion(connection.dialect.name, table), rows)


@cache
def _insertion(dialect: str, table: sa.Table) -> sa.Executable:
    if dialect == "sqlite":
        return sqlite_insert(table).on_conflict_do_nothing()
    return postgresql_insert(table).on_conflict_do_nothing()


def close_left(connection: Connection, number: int) -> None:
    """End a run, or a series, whose process is gone, with what it had."""
    if series_of(connection, number) is not None:
        seal_series(connection, number, INTERRUPTED)
        return
    try:
        with connection.begin_nested():
            seal(connection, number, None)
    except RecordingError:  # what is there stays there; `verify` names it
        give_up(connection, number)
