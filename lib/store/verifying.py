"""Whether the list tells what the recordings give: figures are computed again and compared. Changes nothing."""

from __future__ import annotations

from sqlalchemy import Connection

from lib.domain.codec import RecordingError
from lib.store import journal, listing
from lib.store.columns import differences, summary
from lib.store.rows import Difference, RunRow, Verification
from lib.store.schema import RUNNING


def verified(connection: Connection, run_id: str) -> Verification:
    """What recomputing one run found. Raises NoSuchRunError."""
    number = journal.number_of(connection, run_id)
    listed = listing.row(connection, number)
    if listed.status == RUNNING:
        return Verification(run_id)
    try:
        compare = _of_run if listed.series is None else _of_series
        return Verification(run_id, compare(connection, number, listed))
    except (RecordingError, ValueError) as error:
        return Verification(run_id, problem=str(error))


def _of_run(connection: Connection, number: int, listed: RunRow) -> tuple[Difference, ...]:
    run = journal.read(connection, number)
    lanes = zip(listed.lanes, run.generations, run.backends, strict=True)
    return tuple(
        each
        for lane, (kept, generation, backend) in enumerate(lanes)
        for each in differences(lane, kept.summary, summary(generation, backend))
    )


def _of_series(connection: Connection, number: int, listed: RunRow) -> tuple[Difference, ...]:
    """Its rounds are runs and verified as such."""
    computed = journal.series_summaries(connection, number)
    return tuple(
        each for one in listed.lanes for each in differences(one.lane, one.summary, computed[one.lane])
    )
