"""From rows to what leaves the process: full rows for the record, small messages for browsers."""

from __future__ import annotations

from typing import Any

import orjson

from lib.domain.codec import Row
from lib.domain.failures import FAILURES

MAX_DEPTH = 40  # levels of an object as a server sent it; more is no usage and no timings
SLOT_NS = 8_000_000  # deltas of one lane and channel within this are one piece on screen
_SILENT = ("served", "server", "finish", "done", "body_end")


def dump(value: Any) -> bytes:
    """JSON bytes; a text that is not valid Unicode is repaired instead of failing."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return orjson.dumps(_repaired(value))


class ViewEncoder:
    """Makes one lane's part of the view stream.

    It remembers the slot it is in, and every piece is said at its slot's beginning: a viewer who joins pieces of
    equal time has the same text at the same times, however the rows were cut into calls.
    """

    def __init__(self, lane: int) -> None:
        self._lane = lane
        self._known: set[str] = set()
        self._channel, self._slot_ms, self._slot_end_ns = "", 0, 0

    def encode(self, rows: list[Row]) -> tuple[list[Any], list[Any]]:
        """(text entries, event entries) for the `d` and `e` of a message."""
        texts: list[Any] = []
        events: list[Any] = []
        for row in rows:
            name, text = _said(row)
            if not name:
                if row[1] not in _SILENT:
                    events.append([self._lane, row[0] // 1_000_000, *_event(row)])
            elif text:
                self._add(texts, row[0], name, text)
        return texts, events

    def _add(self, texts: list[Any], at_ns: int, channel: str, text: str) -> None:
        before_ms, merges = self._slot_ms, channel == self._channel and at_ns < self._slot_end_ns
        if not merges:
            alone = channel != self._channel and channel not in self._known  # its time is a figure
            self._slot_ms, self._slot_end_ns = at_ns // 1_000_000, 0 if alone else at_ns + SLOT_NS
            self._channel = channel
            self._known.add(channel)
        if not texts or texts[-1][1] != channel:
            texts.append([self._lane, channel, [self._slot_ms, text]])
        elif merges:
            texts[-1][2][-1] += text
        else:
            texts[-1][2] += (self._slot_ms - before_ms, text)


def _said(row: Row) -> tuple[str, str]:
    """Channel and text that a row shows; no channel when it is an event, no text when it shows nothing."""
    name = row[1]
    if name == "tool":
        return "t", f"{row[3]}(" if row[3] and not _choice(row, 5) else ""
    if name in ("a", "r", "t"):
        return name, "" if _choice(row, 4) else row[2]
    return "", ""


def message(now_ns: int, encoded: list[tuple[list[Any], list[Any]]]) -> bytes | None:
    """One view message of several lanes, or None when there is nothing to say."""
    texts = [entry for part, _ in encoded for entry in part]
    events = [entry for _, part in encoded for entry in part]
    if not texts and not events:
        return None
    body: dict[str, Any] = {"now": now_ns // 1_000_000}
    if texts:
        body["d"] = texts
    if events:
        body["e"] = events
    return dump(body)


def _event(row: Row) -> list[Any]:
    name = row[1]
    if name == "error":
        failure = FAILURES[row[2]]
        told = {field: getattr(failure, field) for field in failure.__slots__}
        return [name, {**told, "message": row[3], "http_status": row[4]}]
    if name == "usage":
        return [name, row[2].get("completion_tokens")]
    if name == "headers":
        return [name, row[2]]
    return row[1:]


def _choice(row: Row, place: int) -> int:
    return row[place] if len(row) > place else 0


def _repaired(value: Any, depth: int = MAX_DEPTH) -> Any:
    """`value` as JSON can carry it; what lies deeper than `depth` levels, or is no number a float can hold, is None."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list | tuple | dict) and not depth:
        return None
    if isinstance(value, list | tuple):
        return [_repaired(item, depth - 1) for item in value]
    if isinstance(value, dict):
        return {str(_repaired(key)): _repaired(item, depth - 1) for key, item in value.items()}
    if isinstance(value, int) and not -(2**53) < value < 2**64:
        return float(value) if abs(value) < 2**1023 else None
    return value
