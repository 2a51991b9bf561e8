"""A run as bytes: its header, its journal, its sealed lanes. All are forms of `lib/domain/codec.py`'s own.

The header is the run's document without events; a journal batch is lines of `[[lane, rows], ...]` as the collector
shipped them; a sealed lane is all its rows as one JSON array. Header and sealed lanes are compressed (zlib).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

import orjson

from lib.domain.codec import RecordingError, Row, decode_run, encode_event, encode_run
from lib.domain.events import Generation, Status
from lib.domain.run import Run

LEVEL = 6


def pack_header(run: Run) -> bytes:
    """What was asked of whom, without what came back."""
    empty = tuple(Generation(lane) for lane in range(len(run.backends)))
    return zlib.compress(encode_run(replace(run, generations=empty)), LEVEL)


def pack_lane(rows: Sequence[Row]) -> bytes:
    """All rows of a lane."""
    return zlib.compress(orjson.dumps(rows), LEVEL)


def unpack_lane(packed: bytes) -> list[Row]:
    """The rows of a sealed lane. Raises RecordingError when the bytes are damaged."""
    try:
        rows: list[Row] = orjson.loads(zlib.decompress(packed))
    except (zlib.error, orjson.JSONDecodeError) as error:
        raise RecordingError("the recording is damaged") from error
    return rows


def rows_of(run: Run) -> list[list[Row]]:
    """The rows of a run that is there as values."""
    return [[encode_event(event) for event in generation.events] for generation in run.generations]


def journal_rows(batches: Iterable[bytes], lanes: int) -> list[list[Row]]:
    """The rows of each lane, in the order they came. Raises RecordingError for what no collector ships."""
    found: list[list[Row]] = [[] for _ in range(lanes)]
    try:
        for batch in batches:
            for line in batch.split(b"\n"):
                for lane, rows in orjson.loads(line):
                    found[lane].extend(rows)
    except (orjson.JSONDecodeError, TypeError, ValueError, IndexError) as error:
        raise RecordingError("the journal is damaged") from error
    return found


def interrupted(rows: Sequence[Row]) -> list[Row]:
    """The rows with an end: where there is none, the lane was interrupted after its last row."""
    last = next((row[1] for row in reversed(rows) if row[1] in ("end", "restart")), "")
    if last == "end":
        return list(rows)
    at_ns = rows[-1][0] if rows else 0
    ending: list[Row] = [
        [at_ns, "error", "interrupted", "", None, None],
        [at_ns, "end", Status.INTERRUPTED.value],
    ]
    return [*rows, *ending]


def unpack_header(header: bytes) -> Run:
    """The run without what came back. Raises RecordingError when the bytes are damaged."""
    try:
        return decode_run(zlib.decompress(header))
    except zlib.error as error:
        raise RecordingError("the recording is damaged") from error
