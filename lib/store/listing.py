"""Questions to the list: one page, the choices of its filters, single runs. Statements only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from lib.domain.run import Mode, Origin
from lib.domain.series import SeriesPlan
from lib.store import words
from lib.store.columns import prompt_digest, searched, summary_of
from lib.store.packing import unpack_header
from lib.store.rows import Filter, LaneRow, Page, RunRow, SeriesRow
from lib.store.schema import LANE, RUN, SERIES, TAG

_NEWEST_FIRST = (RUN.c.started_ms.desc(), RUN.c.number.desc())
PROMPT_CHARACTERS = 500  # of a prompt in a list
_LISTED = (
    *(RUN.c[name] for name in ("number", "id", "started_ms", "mode", "status", "notes", "clock_health_ms",
                               "deleted_ms")),
    sa.func.substr(RUN.c.prompt, 1, PROMPT_CHARACTERS).label("prompt"),
)  # fmt: skip


def page(connection: Connection, wanted: Filter, offset: int, limit: int) -> Page:
    """So many runs from `offset` on, newest first, and how many there are.

    Which runs is asked first, of indexes alone; their rows, which are long, are fetched afterwards. A search is asked
    once for both the page and the count.
    """
    conditions = _conditions(connection.dialect.name, wanted)
    query = sa.select(RUN.c.number).where(*conditions).order_by(*_NEWEST_FIRST).offset(offset).limit(limit)
    if wanted.text.strip():
        found = connection.execute(query.add_columns(sa.func.count().over())).all()
        shown, total = [one.number for one in found], found[0][1] if found else None
    else:
        shown, total = list(connection.execute(query).scalars()), None
    if total is None:
        total = connection.execute(
            sa.select(sa.func.count()).select_from(RUN).where(*conditions)
        ).scalar_one()
    listed = sa.select(*_LISTED).where(RUN.c.number.in_(shown)).order_by(*_NEWEST_FIRST)
    return Page(_rows(connection, connection.execute(listed).all()), total)


def row(connection: Connection, number: int) -> RunRow:
    """One run as it is listed, deleted or not."""
    return _rows(connection, connection.execute(sa.select(*_LISTED).where(RUN.c.number == number)).all())[0]


def id_of(connection: Connection, number: int) -> str:
    """The id of a run by its number in the tables."""
    return str(connection.execute(sa.select(RUN.c.id).where(RUN.c.number == number)).scalar_one())


def backends(connection: Connection) -> tuple[str, ...]:
    """The names of all backends that ever raced."""
    return tuple(connection.execute(sa.select(LANE.c.name).distinct().order_by(LANE.c.name)).scalars())


def tags(connection: Connection) -> tuple[str, ...]:
    """All tags in use."""
    return tuple(connection.execute(sa.select(TAG.c.tag).distinct().order_by(TAG.c.tag)).scalars())


def numbers(connection: Connection) -> list[tuple[int, str]]:
    """Number and id of every run that is not deleted, oldest first."""
    query = sa.select(RUN.c.number, RUN.c.id).where(RUN.c.deleted_ms.is_(None)).order_by(RUN.c.number)
    return [(found.number, found.id) for found in connection.execute(query)]


def _conditions(dialect: str, wanted: Filter) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = [
        RUN.c.deleted_ms.is_not(None) if wanted.deleted else RUN.c.deleted_ms.is_(None),
        RUN.c.within.is_(None),
    ]
    if wanted.text.strip():
        found.append(words.condition(dialect, wanted.text))
    if wanted.backend is not None:
        found.append(RUN.c.number.in_(sa.select(LANE.c.run).where(LANE.c.name == wanted.backend)))
    if wanted.tag is not None:
        found.append(RUN.c.number.in_(sa.select(TAG.c.run).where(TAG.c.tag == wanted.tag)))
    if wanted.prompt is not None:
        found.append(RUN.c.prompt_digest == prompt_digest(wanted.prompt))
    if wanted.since_ms is not None:
        found.append(RUN.c.started_ms >= wanted.since_ms)
    if wanted.until_ms is not None:
        found.append(RUN.c.started_ms < wanted.until_ms)
    if wanted.mode is not None:
        found.append(RUN.c.mode == wanted.mode.value)
    if wanted.origin is not None:
        found.append(RUN.c[f"is_{wanted.origin.value}"])
    if wanted.status is not None:
        found.append(RUN.c.status == wanted.status)
    return found


def _rows(connection: Connection, found: Sequence[Any]) -> tuple[RunRow, ...]:
    shown = [one.number for one in found]
    lanes = _by_run(connection.execute(sa.select(LANE).where(LANE.c.run.in_(shown)).order_by(LANE.c.lane)))
    labels = _by_run(connection.execute(sa.select(TAG).where(TAG.c.run.in_(shown)).order_by(TAG.c.tag)))
    series = _series(connection, shown)
    return tuple(
        RunRow(
            id=one.id,
            started_ms=one.started_ms,
            prompt=one.prompt,
            mode=Mode(one.mode),
            status=one.status,
            lanes=tuple(_lane(lane) for lane in lanes.get(one.number, ())),
            tags=tuple(label.tag for label in labels.get(one.number, ())),
            notes=one.notes,
            clock_health_ms=one.clock_health_ms,
            deleted_ms=one.deleted_ms,
            series=series.get(one.number),
        )
        for one in found
    )


def _by_run(found: Iterable[Any]) -> dict[int, list[Any]]:
    groups: dict[int, list[Any]] = {}
    for one in found:
        groups.setdefault(one.run, []).append(one)
    return groups


def _lane(one: Any) -> LaneRow:
    return LaneRow(
        one.lane, one.backend_id, one.name, one.model, one.base_url, Origin(one.origin), summary_of(one)
    )


def _series(connection: Connection, shown: Sequence[int]) -> dict[int, SeriesRow]:
    """Those of the shown runs that stand for a series."""
    found = {one.run: one for one in connection.execute(sa.select(SERIES).where(SERIES.c.run.in_(shown)))}
    if not found:
        return {}
    counted = (
        sa.select(RUN.c.within, sa.func.count())
        .where(RUN.c.within.in_(found), RUN.c.round > 0)
        .group_by(RUN.c.within)
    )
    kept = {row[0]: row[1] for row in connection.execute(counted)}
    return {number: SeriesRow(plan_of(one), kept.get(number, 0)) for number, one in found.items()}


def plan_of(one: Any) -> SeriesPlan:
    """A row of the series' table as a value."""
    return SeriesPlan(one.rounds, one.condition, one.has_warm_up, one.seed)


def index_again(connection: Connection, number: int) -> None:
    """Bring the words by which a run is found up to date with its lanes, tags and notes."""
    header = connection.execute(sa.select(RUN.c.header).where(RUN.c.number == number)).scalar_one()
    run, listed = unpack_header(header), row(connection, number)
    words.index(connection, number, searched(run.prompt, run.backends, listed.tags, listed.notes))
