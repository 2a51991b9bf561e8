"""What comes from a file is looked at before it is kept: what is kept can be opened, computed and exported.

A file is data of a stranger: its id decides nothing but whether the run is here already.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

from lib.domain import events as ev
from lib.domain.codec import RecordingError, decode_run, encode_run
from lib.domain.run import Run
from lib.store import words
from lib.store.columns import lane_columns, run_columns, searched, summary

MOST_BYTES = 256 * 2**20
LATEST_NS = 7 * 24 * 3600 * 10**9  # no race takes a week
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def checked(data: bytes) -> Run:
    """The run of a recording. Raises RecordingError with a sentence when it is none, or one that cannot be."""
    if len(data) > MOST_BYTES:
        raise RecordingError("this file is larger than any recording")
    try:
        run = decode_run(data)
        whole = encode_run(run)
        sound = all(_is_sound(generation) for generation in run.generations)
        sound &= run.clock_health_ms is None or type(run.clock_health_ms) in (int, float)
        words.words(" ".join(searched(run.prompt, run.backends, (), "")))
        run_columns(run, 0), lane_columns(run)
        for generation, backend in zip(run.generations, run.backends, strict=True):
            summary(generation, backend)
    except RecordingError:
        raise
    except Exception as error:  # whatever a stranger's values break: it is not a recording
        raise RecordingError("this is not a recording") from error
    if not run.backends or not sound:
        raise RecordingError("this recording has no lanes, or times that cannot be")
    return run if _ID.fullmatch(run.id) else replace(run, id=digest(whole))


def other_id(run: Run) -> str:
    """The id of a recording whose own id is taken by another one: always the same for the same content."""
    return f"{run.id[:40]}-{digest(encode_run(run))[:12]}"


def digest(data: bytes) -> str:
    """A name made of the content."""
    return hashlib.sha256(data).hexdigest()[:32]


def _is_sound(generation: ev.Generation) -> bool:
    times = [event.at_ns for event in generation.events]
    counted = all(type(at_ns) is int and 0 <= at_ns <= LATEST_NS for at_ns in times)
    texts = all(type(d.text) is str and type(d.read) is int for d in generation.of(ev.Delta))
    return counted and texts
