"""A series of trials as one JSON document, written and read: how it was meant, and the recording of each round.

What comes from a file is a stranger's, as in `importing`: every recording in it is checked as one by itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import orjson

from lib.domain.codec import RecordingError, encode_run
from lib.domain.events import Generation
from lib.domain.run import Run
from lib.domain.series import SeriesPlan
from lib.store.importing import MOST_BYTES, checked, digest
from lib.store.rows import SeriesRecord

FORMAT = "tokenrace-series"
VERSION = 1
MOST_ROUNDS = 1000
CONDITIONS = ("cold", "warm")
STOPPED = "stopped"  # how a series ended that was still going on when the file was written
_BEGINS_A_SERIES = re.compile(rb'\s*\{\s*"format"\s*:\s*"tokenrace-series"')
_SEEDS = 2**63


def series_document(record: SeriesRecord) -> bytes:
    """The series as JSON; `read_document` gives the same back."""
    head = {"format": FORMAT, "version": VERSION, "id": record.run.id, "started_at": record.run.started_at}
    rounds = [{"round": number, "recording": _fragment(run)} for number, run in record.rounds]
    return orjson.dumps(
        {**head, **asdict(record.plan), "ended": record.ended, "asked": _fragment(record.run), "recordings": rounds}
    )


def is_series(data: bytes) -> bool:
    """Whether a file says that it is a series."""
    return _BEGINS_A_SERIES.match(data) is not None


def read_document(data: bytes) -> SeriesRecord:
    """The series of a file. Raises RecordingError with a sentence when it is none."""
    if len(data) > MOST_BYTES:
        raise RecordingError("this file is larger than any series")
    try:
        document = orjson.loads(data)
        if document["format"] != FORMAT or document["version"] > VERSION:
            raise RecordingError(f"not a {FORMAT} of version {VERSION} or older")
        asked = checked(orjson.dumps(document["asked"]))
        rounds = tuple((one["round"], checked(orjson.dumps(one["recording"]))) for one in document["recordings"])
        plan, ended = _plan(document), document["ended"]
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise RecordingError("this is not a series of trials") from error
    numbers = [number for number, _run in rounds]
    sound = all(isinstance(number, int) and 0 <= number <= plan.rounds for number in numbers)
    alike = all(run.backends == asked.backends for _number, run in rounds)
    known = ended is None or isinstance(ended, str)
    if not (sound and alike and known and len(set(numbers)) == len(numbers)):
        raise RecordingError("the rounds of this series do not belong together")
    silent = replace(asked, generations=tuple(Generation(lane) for lane in range(len(asked.backends))))
    return SeriesRecord(silent, plan, STOPPED if ended is None else ended[:20], tuple(sorted(rounds, key=_round)))


def renamed(record: SeriesRecord) -> SeriesRecord:
    """The same series under ids of its own, made of its content: for one whose ids are taken by another."""
    mark = digest(series_document(record))[:12]
    rounds = tuple((number, replace(run, id=f"{run.id[:40]}-{mark}")) for number, run in record.rounds)
    return replace(record, run=replace(record.run, id=f"{record.run.id[:40]}-{mark}"), rounds=rounds)


def _plan(document: Mapping[str, Any]) -> SeriesPlan:
    plan = SeriesPlan(**{name: document[name] for name in SeriesPlan.__slots__})
    kinds = (int, str, bool, int)
    values = [getattr(plan, name) for name in SeriesPlan.__slots__]
    if any(type(value) is not kind for value, kind in zip(values, kinds, strict=True)):
        raise TypeError
    if not (1 <= plan.rounds <= MOST_ROUNDS and plan.condition in CONDITIONS and 0 <= plan.seed < _SEEDS):
        raise RecordingError("this series was meant in a way that cannot be")
    return plan


def _round(numbered: tuple[int, Run]) -> int:
    return numbered[0]


def _fragment(run: Run) -> orjson.Fragment:
    return orjson.Fragment(encode_run(run))
