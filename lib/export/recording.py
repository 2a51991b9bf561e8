"""The whole run as the JSON document of docs/recording.md: what every other export can be made from again."""

from __future__ import annotations

from lib.domain.codec import encode_run
from lib.domain.run import Run

MEDIA_TYPE = "application/json"


def recording_json(run: Run) -> bytes:
    """The recording; `lib.domain.codec.decode_run` reads it back, text by text unchanged."""
    return encode_run(run)
