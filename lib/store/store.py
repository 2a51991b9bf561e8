"""The history: one object for all threads of a process; several processes may have one each.

It keeps runs as they come (`begin`, `append`, `end`), lists and opens them, takes them from files and gives them
as files. What is kept is the recording; figures beside it are for lists, and `verify` computes them again.
No key is ever kept: a run holds none. Errors of the database itself (`sqlalchemy.exc.SQLAlchemyError`) pass through.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.engine import URL

from lib.domain.codec import encode_run
from lib.domain.run import Run
from lib.domain.series import RoundPlace, SeriesPlan
from lib.store import importing, journal, listing, series_file, words
from lib.store.columns import column
from lib.store.engine import engine_for, writing
from lib.store.location import database_url
from lib.store.migrate import migrate
from lib.store.packing import rows_of
from lib.store.presence import presence_for
from lib.store.rows import Filter, NoSuchRunError, Page, RunRow, SeriesRecord, Verification
from lib.store.schema import RUN, TAG
from lib.store.verifying import verified

KEPT_DELETED_MS = 7 * 24 * 3600 * 1000  # how long a deletion can be undone
MOST_NOTES = 20_000  # characters
MOST_TAG = 60


class Store:
    """Thread-safe; at most one write at a time. Close it when done.

    Opening it brings the tables up to date, closes the runs of processes that are gone, and removes what was
    deleted more than a week ago.
    """

    def __init__(self, url: URL | str | None = None, now_s: Callable[[], float] = time.time) -> None:
        self._engine = engine_for(url if isinstance(url, URL) else database_url(url))
        self._writer = writing(self._engine)
        self._now_s = now_s
        self._writing = threading.Lock()
        self._open: dict[str, tuple[int, int]] = {}  # run id -> its number, its next batch
        try:
            migrate(self._engine)
            self._presence = presence_for(self._engine)
            self.tidy()
        except BaseException:
            self._engine.dispose()
            raise

    def close(self) -> None:
        """Let go of the database; runs that have not ended are found by the next start."""
        self._presence.close()
        self._engine.dispose()

    def begin(self, run: Run, place: RoundPlace | None = None) -> None:
        """A run was started: keep what is asked of whom. `place`: it is a round of a series that was begun."""
        with self._write() as connection:
            number = journal.begin(connection, run, self._presence.writer, self._now_ms(), place)
        self._open[run.id] = (number, 0)

    def begin_series(self, run: Run, plan: SeriesPlan) -> None:
        """A series of trials was started; `run` stands for it in the list."""
        with self._write() as connection:
            journal.begin_series(connection, run, plan, self._presence.writer, self._now_ms())

    def end_series(self, run_id: str, ended: str) -> None:
        """A series is over; `ended` says why when that is before its end. Raises NoSuchRunError."""
        with self._write() as connection:
            journal.seal_series(connection, journal.number_of(connection, run_id), ended)

    def series(self, run_id: str) -> SeriesRecord:
        """A series with its rounds, as far as they are kept. Raises NoSuchRunError, RecordingError."""
        with self._engine.connect() as connection:
            number = journal.number_of(connection, run_id)
            found = journal.series_of(connection, number)
            if found is None:
                raise NoSuchRunError(run_id)
            rounds = tuple(
                (round_, journal.read(connection, its))
                for round_, its in journal.rounds_of(connection, number)
            )
            return SeriesRecord(journal.read(connection, number), listing.plan_of(found), found.ended, rounds)

    def extend(self, run: Run) -> None:
        """A run that is under way has more lanes than it began with. Raises NoSuchRunError."""
        with self._write() as connection:
            number = journal.number_of(connection, run.id)
            journal.extend(connection, number, run)
            listing.index_again(connection, number)

    def seen(self, run_id: str, display_lag_ms: float) -> None:
        """A screen has told how late it was while it showed the run; nothing else changes. Raises NoSuchRunError."""
        with self._write() as connection:
            journal.seen(connection, journal.number_of(connection, run_id), display_lag_ms)

    def append(self, run_id: str, payload: bytes) -> None:
        """Keep rows as the collector shipped them (lines of `[[lane, rows], ...]`). Raises NoSuchRunError."""
        with self._write() as connection:
            number, batch = self._open.get(run_id) or self._reopened(connection, run_id)
            journal.append(connection, number, batch, payload)
        self._open[run_id] = (number, batch + 1)

    def end(self, run_id: str, clock_health_ms: float | None) -> None:
        """The run is over: seal its recording, compute what lists show. Raises NoSuchRunError."""
        with self._write() as connection:
            journal.seal(connection, journal.number_of(connection, run_id), clock_health_ms)
        self._open.pop(run_id, None)

    def save(self, run: Run, tags: Sequence[str] = ()) -> str:
        """Keep a whole run at once; returns its id. A run of that id is replaced by nothing: it stays."""
        with self._write() as connection:
            self._put(connection, run)
        if tags:
            self.tag(run.id, tags)
        return run.id

    def import_run(self, data: bytes) -> str:
        """Keep a recording, or a series of them, from a file; returns its id. Raises RecordingError.

        The same recording twice is one run (restored, if it was deleted). Another recording under an id that is
        taken gets an id of its own, made of its content.
        """
        if series_file.is_series(data):
            return self._import_series(series_file.read_document(data))
        run = importing.checked(data)
        known = self._known(run.id)
        if known is not None and known != replace(run, id=known.id):
            run = replace(run, id=importing.other_id(run))
        with self._write() as connection:
            self._put(connection, run)
            connection.execute(sa.update(RUN).where(RUN.c.id == run.id).values(deleted_ms=None))
        return run.id

    def export(self, run_id: str) -> bytes:
        """The run as the JSON document of docs/recording.md. Raises NoSuchRunError, RecordingError."""
        return encode_run(self.open(run_id))

    def open(self, run_id: str) -> Run:
        """The run with everything recorded so far. Raises NoSuchRunError, RecordingError."""
        with self._engine.connect() as connection:
            return journal.read(connection, journal.number_of(connection, run_id))

    def rounds(self, run_id: str) -> tuple[tuple[int, str], ...]:
        """(round, id of its run) of a series, in order; none of a run that is no series. Raises NoSuchRunError."""
        with self._engine.connect() as connection:
            numbers = journal.rounds_of(connection, journal.number_of(connection, run_id))
            return tuple((round_, listing.id_of(connection, number)) for round_, number in numbers)

    def page(self, wanted: Filter | None = None, offset: int = 0, limit: int = 50) -> Page:
        """Runs that fit, newest first, from `offset` on, and how many fit in all."""
        with self._engine.connect() as connection:
            return listing.page(connection, wanted or Filter(), offset, limit)

    def row(self, run_id: str) -> RunRow:
        """One run as it is listed. Raises NoSuchRunError."""
        with self._engine.connect() as connection:
            return listing.row(connection, journal.number_of(connection, run_id))

    def backends(self) -> tuple[str, ...]:
        """The names by which `Filter.backend` can choose."""
        with self._engine.connect() as connection:
            return listing.backends(connection)

    def tags(self) -> tuple[str, ...]:
        """The tags by which `Filter.tag` can choose."""
        with self._engine.connect() as connection:
            return listing.tags(connection)

    def tag(self, run_id: str, tags: Sequence[str]) -> None:
        """Make these the tags of a run (blanks around them, and empty ones, are dropped). Raises NoSuchRunError."""
        wanted = sorted({cut for tag in tags if (cut := column(tag).strip()[:MOST_TAG])})
        with self._write() as connection:
            number = journal.number_of(connection, run_id)
            connection.execute(sa.delete(TAG).where(TAG.c.run == number))
            if wanted:
                connection.execute(sa.insert(TAG), [{"run": number, "tag": tag} for tag in wanted])
            listing.index_again(connection, number)

    def note(self, run_id: str, notes: str) -> None:
        """Make this the note of a run. Raises NoSuchRunError."""
        with self._write() as connection:
            number = journal.number_of(connection, run_id)
            kept = column(notes)[:MOST_NOTES]
            connection.execute(sa.update(RUN).where(RUN.c.number == number).values(notes=kept))
            listing.index_again(connection, number)

    def delete(self, run_id: str) -> None:
        """Take a run out of the list; `restore` brings it back for a week. Raises NoSuchRunError."""
        self._mark_deleted(run_id, self._now_ms())

    def restore(self, run_id: str) -> None:
        """Undo `delete`. Raises NoSuchRunError."""
        self._mark_deleted(run_id, None)

    def purge(self) -> int:
        """Remove for good what was deleted more than a week ago; returns how many runs."""
        old = RUN.c.deleted_ms < self._now_ms() - KEPT_DELETED_MS
        with self._engine.connect() as connection:
            if connection.execute(sa.select(RUN.c.number).where(old).limit(1)).first() is None:
                return 0
        with self._write() as connection:
            gone = connection.execute(sa.select(RUN.c.number).where(old)).scalars().all()
            words.forget(connection, gone)
            connection.execute(sa.delete(RUN).where(RUN.c.within.in_(gone)))
            connection.execute(sa.delete(RUN).where(old))
        return len(gone)

    def recover(self) -> int:
        """Close the runs whose process is gone as interrupted, with what they had; returns how many."""
        with self._engine.connect() as connection:
            found = journal.running(connection)
            series = journal.series_among(connection, list(found))
        left = [number for number, writer in found.items() if not self._presence.is_alive(writer)]
        left.sort(key=lambda number: number in series)  # a series after its rounds
        for number in left:
            with self._write() as connection:
                if number in journal.running(connection):  # another process may have been faster
                    journal.close_left(connection, number)
        return len(left)

    def tidy(self) -> None:
        """`recover` and `purge`; at the start, and by the keeper whenever nothing happens for a minute."""
        self.recover()
        self.purge()

    def verify(self, run_id: str) -> Verification:
        """Compute a run's figures from its recording and compare them with the list. Raises NoSuchRunError."""
        with self._engine.connect() as connection:
            return verified(connection, run_id)

    def verify_all(self) -> Iterator[Verification]:
        """`verify` of every run that is not deleted, oldest first."""
        with self._engine.connect() as connection:
            known = listing.numbers(connection)
        for _number, run_id in known:
            try:
                yield self.verify(run_id)
            except NoSuchRunError:
                continue  # purged meanwhile

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with self._writing, self._writer.begin() as connection:
            yield connection

    def _import_series(self, record: SeriesRecord) -> str:
        if self._known(record.run.id) is not None:
            if self._is_kept(record):
                self.restore(record.run.id)
                return record.run.id
            record = series_file.renamed(record)
        run_id = record.run.id
        with self._write() as connection:
            number = journal.begin_series(
                connection, record.run, record.plan, self._presence.writer, self._now_ms()
            )
            for round_, run in record.rounds:
                self._put(connection, run, RoundPlace(run_id, round_))
            journal.seal_series(connection, number, record.ended or "")
            connection.execute(sa.update(RUN).where(RUN.c.id == run_id).values(deleted_ms=None))
        return run_id

    def _is_kept(self, record: SeriesRecord) -> bool:
        try:
            return self.series(record.run.id).rounds == record.rounds
        except NoSuchRunError:
            return False

    def _put(self, connection: Connection, run: Run, place: RoundPlace | None = None) -> None:
        if connection.execute(sa.select(RUN.c.number).where(RUN.c.id == run.id)).first() is None:
            number = journal.begin(connection, run, self._presence.writer, self._now_ms(), place)
            journal.put(connection, number, run, rows_of(run))

    def _reopened(self, connection: Connection, run_id: str) -> tuple[int, int]:
        number = journal.number_of(connection, run_id)
        return number, journal.reopen(connection, number, self._presence.writer)

    def _known(self, run_id: str) -> Run | None:
        try:
            return self.open(run_id)
        except NoSuchRunError:
            return None

    def _mark_deleted(self, run_id: str, deleted_ms: int | None) -> None:
        with self._write() as connection:
            number = journal.number_of(connection, run_id)
            connection.execute(sa.update(RUN).where(RUN.c.number == number).values(deleted_ms=deleted_ms))

    def _now_ms(self) -> int:
        return int(self._now_s() * 1000)
