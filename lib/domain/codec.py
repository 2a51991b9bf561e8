"""The one codec of a recording: events to rows and back, a run to JSON and back.

A row is a JSON array `[at_ns, name, ...]`; docs/recording.md lists them. The collector writes rows
directly (it never builds the values); everything else reads them through `decode_rows`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import orjson

from lib.domain import events as ev
from lib.domain.run import Backend, Mode, Origin, Params, Prices, Prompt, Run, public_address

FORMAT = "tokenrace-recording"
VERSION = 1
Row = list[Any]

_DELTAS = {channel.value: channel for channel in ev.Channel}
_NAMES: dict[str, type[Any]] = {
    "tool": ev.ToolCall,
    "attempt": ev.Attempt,
    "connected": ev.Connected,
    "sent": ev.Sent,
    "headers": ev.Headers,
    "usage": ev.Usage,
    "finish": ev.Finish,
    "served": ev.Served,
    "server": ev.ServerReport,
    "done": ev.Done,
    "body_end": ev.BodyEnd,
    "warning": ev.Warned,
    "wait": ev.Waiting,
    "error": ev.Failed,
}
_KINDS = {kind: name for name, kind in _NAMES.items()}


class RecordingError(ValueError):
    """The text is not a recording this version can read; the message says why."""


def decode_row(row: Row) -> ev.Event:
    """One row as an event. Raises RecordingError for a row of an unknown name or shape."""
    name = row[1]
    try:
        if name in _DELTAS:
            return ev.Delta(row[0], _DELTAS[name], *row[2:])
        if name == "end":
            return ev.Ended(row[0], ev.Status(row[2]))
        return _NAMES[name](row[0], *row[2:])  # type: ignore[no-any-return]
    except (KeyError, TypeError, ValueError) as error:
        raise RecordingError(f"unreadable row {name!r}") from error


def encode_event(event: ev.Event) -> Row:
    """One event as a row; the inverse of `decode_row` (trailing defaults are left out)."""
    if type(event) is ev.Delta:
        row: Row = [event.at_ns, event.channel.value, event.text, event.read]
        if event.tokens is not None:
            return [*row, event.choice, event.tokens]
        return [*row, event.choice] if event.choice else row
    if type(event) is ev.Ended:
        return [event.at_ns, "end", event.status.value]
    fields = [getattr(event, name) for name in type(event).__slots__]
    return [fields[0], _KINDS[type(event)], *fields[1:]]


def decode_rows(lane: int, rows: Iterable[Row]) -> tuple[ev.Generation, ...]:
    """The generations of one lane, oldest first: a `restart` row begins a new one."""
    trials: list[list[ev.Event]] = [[]]
    for row in rows:
        if len(row) == 4 and row[1] == "a":  # nearly all of them
            trials[-1].append(ev.Delta(row[0], ev.Channel.ANSWER, row[2], row[3]))
        elif row[1] == "restart":
            trials.append([])
        else:
            trials[-1].append(decode_row(row))
    return tuple(ev.Generation(lane, tuple(trial)) for trial in trials)


def encode_run(run: Run) -> bytes:
    """The run as one JSON document (docs/recording.md); never contains a key."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "id": run.id,
        "started_at": run.started_at,
        "mode": run.mode.value,
        "prompt": {name: getattr(run.prompt, name) for name in Prompt.__slots__},
        "params": encode_params(run.params),
        "own_params": {str(lane): encode_params(params) for lane, params in run.own_params.items()},
        "clock_health_ms": run.clock_health_ms,
        "display_lag_ms": run.display_lag_ms,
        "versions": dict(run.versions),
        "lanes": [
            {"backend": encode_backend(backend), "events": [encode_event(e) for e in generation.events]}
            for backend, generation in zip(run.backends, run.generations, strict=True)
        ],
    }
    return orjson.dumps(document)


def decode_run(data: bytes) -> Run:
    """Read what `encode_run` wrote. Raises RecordingError with a sentence for anything else."""
    try:
        document = orjson.loads(data)
        if document["format"] != FORMAT or document["version"] > VERSION:
            raise RecordingError(f"not a {FORMAT} of version {VERSION} or older")
        return Run(
            id=document["id"],
            prompt=decode_prompt(document["prompt"]),
            params=decode_params(document["params"]),
            own_params={int(lane): decode_params(own) for lane, own in document.get("own_params", {}).items()},
            mode=Mode(document["mode"]),
            backends=tuple(decode_backend(lane["backend"]) for lane in document["lanes"]),
            started_at=document["started_at"],
            generations=tuple(
                decode_rows(index, lane["events"])[-1] for index, lane in enumerate(document["lanes"])
            ),
            clock_health_ms=document["clock_health_ms"],
            display_lag_ms=document.get("display_lag_ms"),
            versions=document["versions"],
        )
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise RecordingError("this is not a recording") from error


def encode_params(params: Params) -> dict[str, Any]:
    """Parameters as JSON values."""
    values = {name: getattr(params, name) for name in Params.__slots__}
    return {**values, "stop": list(params.stop), "extra_body": dict(params.extra_body)}


def decode_params(values: Mapping[str, Any]) -> Params:
    """The inverse of `encode_params`; a parameter this version does not know is an error."""
    return Params(**{**values, "stop": tuple(values.get("stop", ()))})


def decode_prompt(values: Mapping[str, Any]) -> Prompt:
    """A prompt from its JSON values."""
    history = tuple((role, text) for role, text in values.get("history", ()))
    return Prompt(values["text"], values.get("system", ""), history)


def encode_backend(backend: Backend) -> dict[str, Any]:
    """A backend as JSON values."""
    prices = backend.prices
    return {
        "id": backend.id,
        "name": backend.name,
        "base_url": public_address(backend.base_url),
        "model": backend.model,
        "note": backend.note,
        "origin": backend.origin.value,
        "prices": prices and {name: _plain(getattr(prices, name)) for name in Prices.__slots__},
        "extra_body": dict(backend.extra_body),
    }


def decode_backend(values: Mapping[str, Any]) -> Backend:
    """The inverse of `encode_backend`."""
    prices = values["prices"]
    decimals = ("input", "output", "cached_input")
    read = prices and {k: Decimal(v) if k in decimals and v is not None else v for k, v in prices.items()}
    return Backend(
        **{**values, "origin": Origin(values["origin"]), "prices": Prices(**read) if read else None}
    )


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Decimal) else value
