"""Server-sent events out of bytes, after the WHATWG grammar; knows nothing of chat or JSON.

Works on bytes so that a character cut by a network read stays whole, and splits lines at LF, CRLF and
CR only (never at U+2028 as text methods do). Two leniencies: a last event without its blank line is
given by `flush`, and the caller sees the event's name beside its data.
"""

from __future__ import annotations

BOM = b"\xef\xbb\xbf"
MAX_FRAME_BYTES = 8 * 1024 * 1024

Event = tuple[bytes, str]  # (data lines joined with LF, event name; "" when unnamed)


class FrameTooLarge(ValueError):
    """One frame passed MAX_FRAME_BYTES without an end."""


class EventReader:
    """Feed it every network read in order; the way the bytes are cut never changes the events."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []  # the unfinished frame in pieces, line ends already LF, joined lazily
        self._rest_bytes = 0
        self._skip_lf = False  # the last byte was CR: a LF right after it belongs to it
        self._bom: bytes | None = b""  # bytes that may still turn out to be a byte order mark

    def feed(self, data: bytes) -> list[Event]:
        """Events completed by `data`. Raises FrameTooLarge when a frame outgrows its cap."""
        if self._bom is not None:
            data = self._without_bom(data)
        if self._skip_lf and data:
            self._skip_lf = False
            if data[0] == 10:
                data = data[1:]
        if b"\r" in data:
            self._skip_lf = data[-1] == 13
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\n\n" not in data and not (data[:1] == b"\n" and self._rest and self._rest[-1][-1] == 10):
            self._keep(data)
            return []
        head, _, rest = self._take(data).rpartition(b"\n\n")
        self._keep(rest)
        return _events(head)

    def flush(self) -> list[Event]:
        """The event whose closing blank line never came, if there is one."""
        text = self._take(b"" if self._bom is None else self._bom)
        self._bom = None
        return _events(text)

    def _take(self, data: bytes) -> bytes:
        if not self._rest:
            return data
        joined = b"".join((*self._rest, data))
        self._rest, self._rest_bytes = [], 0
        return joined

    def _keep(self, data: bytes) -> None:
        if data:
            self._rest.append(data)
            self._rest_bytes += len(data)
            if self._rest_bytes > MAX_FRAME_BYTES:
                raise FrameTooLarge(f"One frame passed {MAX_FRAME_BYTES >> 20} MB.")

    def _without_bom(self, data: bytes) -> bytes:
        data = (self._bom or b"") + data
        if len(data) < len(BOM) and BOM.startswith(data):
            self._bom = data
            return b""
        self._bom = None
        return data[len(BOM) :] if data.startswith(BOM) else data


def _events(text: bytes) -> list[Event]:
    found: list[Event] = []
    for block in text.split(b"\n\n"):
        if block[:5] == b"data:" and b"\n" not in block:  # nearly every frame
            found.append((block[6:] if block[5:6] == b" " else block[5:], ""))
        elif block:
            event = _fields(block)
            if event is not None:
                found.append(event)
    return found


def _fields(block: bytes) -> Event | None:
    data: list[bytes] = []
    name = ""
    for line in block.split(b"\n"):
        field, _, value = line.partition(b":")
        value = value[1:] if value[:1] == b" " else value
        if field == b"data":
            data.append(value)
        elif field == b"event":
            name = value.decode("utf-8", "replace")
    return (b"\n".join(data), name) if data else None
