"""What comes from a file is looked at before it is kept: what is kept can be opened, computed and exported.

A file is data of a stranger: its id decides nothing but whether the run is here already.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

from lib.domain.codec import RecordingError, decode_run, encode_run
from lib.domain.run import Run
from lib.store.columns import summary
from lib.store.shapes import fits

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
        sound = fits(run, Run) and _is_sound(run)
        if sound:
            for generation, backend in zip(run.generations, run.backends, strict=True):
                summary(generation, backend)
    except RecordingError:
        raise
    except Exception as error:  # whatever a stranger's values break: it is not a recording
        raise RecordingError("this is not a recording") from error
    if not sound:
        raise RecordingError("this recording has no lanes, or values that cannot be")
    return run if _ID.fullmatch(run.id) else replace(run, id=digest(whole))


def other_id(run: Run) -> str:
    """The id of a recording whose own id is taken by another one: always the same for the same content."""
    return f"{run.id[:40]}-{digest(encode_run(run))[:12]}"


def digest(data: bytes) -> str:
    """A name made of the content."""
    return hashlib.sha256(data).hexdigest()[:32]


def _is_sound(run: Run) -> bool:
    health_ms = run.clock_health_ms or 0.0
    times = (event.at_ns for generation in run.generations for event in generation.events)
    return bool(run.backends) and 0 <= health_ms <= LATEST_NS and all(0 <= at <= LATEST_NS for at in times)
