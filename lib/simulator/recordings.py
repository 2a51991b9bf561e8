"""Real answers of real servers, kept with every byte and its time, to be served again as they were.

`lib/data/recordings/index.csv` says what each one is; the file beside it holds one JSON array per network
read, `[ns since the request was sent, text]` (an object `{"base64": ...}` where the bytes are no UTF-8), and
last `[ns, null]` for the end of the connection. Times are true for the moment of the recording; they are no
benchmark of the engine.
"""

from __future__ import annotations

import base64
import csv
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import orjson

FOLDER = Path(__file__).parent.parent / "data" / "recordings"


class RecordedFileError(ValueError):
    """A recording is not the file its index speaks of."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One recorded reply and where it comes from. `reads` are `(ns after the request, bytes)`."""

    id: str
    name: str  # short, for a lane
    label: str
    engine: str
    model: str
    date: str
    machine: str
    prompt: str
    params: str  # the request's other parameters, JSON
    licence: str
    source: str
    reads: tuple[tuple[int, bytes], ...]
    end_ns: int

    @property
    def note(self) -> str:
        """What a badge adds to the word "recorded"."""
        return f"{self.engine}, {self.date}, {self.machine}"


@cache
def load_recordings() -> tuple[Recording, ...]:
    """Every recording in the order of the index. Raises RecordedFileError when a file was changed."""
    with (FOLDER / "index.csv").open(encoding="utf-8", newline="") as file:
        return tuple(_recording(row) for row in csv.DictReader(file))


def _recording(row: dict[str, str]) -> Recording:
    lines = [orjson.loads(line) for line in (FOLDER / row.pop("file")).read_bytes().splitlines()]
    reads = tuple((at_ns, _bytes(text)) for at_ns, text in lines[:-1])
    sha256 = hashlib.sha256(b"".join(data for _, data in reads)).hexdigest()
    if sha256 != row.pop("sha256"):
        raise RecordedFileError(f"the recording {row['id']} has other bytes than its index says")
    return Recording(**row, reads=reads, end_ns=lines[-1][0])


def _bytes(text: str | dict[str, str]) -> bytes:
    return text.encode() if isinstance(text, str) else base64.b64decode(text["base64"])
