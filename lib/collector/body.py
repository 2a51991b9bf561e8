"""One response body from first byte to end: events, chunks, rows, and how it ended.

Stamps are taken by `read` as soon as the network read returns, before anything is decoded.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import orjson

from lib.collector.chunks import StreamError, Translator, whole_document
from lib.collector.errors import is_web_page
from lib.collector.sse import Event, EventReader
from lib.domain.codec import Row

MAX_HEAD_BYTES = 4 * 1024 * 1024
MAX_BODY_BYTES = 128 * 1024 * 1024
_TEXT = ("a", "r", "t", "tool")


class NotAStream(Exception):
    """What came back cannot be read as an answer; `args[0]` says what it was."""


class TooLarge(Exception):
    """The body passed MAX_BODY_BYTES; `args[0]` says so."""


class Body:
    """Appends the rows of one body to `rows`. `text_at_ns` is the stamp of the last text, for stall limits."""

    def __init__(self, rows: list[Row], clock: Callable[[], int], safe: Callable[[str], str] = str) -> None:
        self.rows = rows
        self.text_at_ns: int | None = None
        self.done = False
        self._clock = clock
        self._safe = safe  # hides keys: before a text is cut, or half a key would stay
        self._reader = EventReader()
        self._translator = Translator()
        self._read = self._bytes = self._bad = self._at_ns = 0
        self._head: list[bytes] = []

    async def read(self, stream: AsyncIterator[bytes]) -> None:
        """Read up to `[DONE]` or the end of the body. Raises StreamError, NotAStream, TooLarge."""
        clock, feed, event = self._clock, self._reader.feed, self._event
        async for data in stream:
            self._at_ns = clock()
            self._read += 1
            self._bytes += len(data)
            if not self._translator.chunks:
                self._keep_head(data)
            if self._bytes > MAX_BODY_BYTES:
                raise TooLarge(f"The answer passed {MAX_BODY_BYTES >> 20} MB.")
            for found in feed(data):
                event(found)
                if self.done:
                    self.rows.append([self._at_ns, "done"])
                    return
        self._end()

    def flush(self) -> None:
        """Give what was held back; call once when nothing more will be read."""
        self.rows.extend(self._translator.flush(self._clock()))

    @property
    def complete(self) -> bool:
        """Whether the server said in any accepted way that the answer is over."""
        return self.done or self._translator.closed

    @property
    def finished(self) -> bool:
        """Whether the answer itself is whole: its finish reason or `[DONE]` came. (Usage may come in every frame.)"""
        return self.done or self._translator.finished

    def _event(self, event: Event) -> None:
        payload, name = event
        try:
            value = orjson.loads(payload)
        except ValueError:
            self._odd(payload, name)
        else:
            self._value(value, payload, name)

    def _value(self, value: Any, payload: bytes, name: str) -> None:
        if name == "error":
            raise StreamError(value)
        if value.__class__ is not dict:
            if value == "[DONE]":
                self.done = True
            elif value.__class__ is list:
                self._broken(payload)
            return  # a scalar is a keep-alive
        rows = self._translator.translate(value, self._at_ns, self._read)
        for row in rows:
            if row[1] in _TEXT:
                self.text_at_ns = self._at_ns
        self.rows.extend(rows)

    def _odd(self, payload: bytes, name: str) -> None:
        """A payload the strict parser refuses: [DONE], a keep-alive, or JSON of a looser kind."""
        text = payload.strip()
        if text == b"[DONE]":
            self.done = True
        elif text and not text.startswith(b":"):
            values, damaged = _loosely(payload.decode("utf-8", "replace"))
            if name == "error" and not values:
                raise StreamError(text.decode("utf-8", "replace"))
            if b'"' not in text:
                return  # a keep-alive word: without a quotation mark there is no text in it
            if damaged:
                self._broken(payload)
            self._translator.repaired = not _is_utf8(payload)
            for value in values:
                self._value(value, payload, name)
            self._translator.repaired = False

    def _broken(self, payload: bytes) -> None:
        self._bad += 1
        if self._bad == 1:
            told = self._safe(payload.decode("utf-8", "replace"))[:120]
            self.rows.append([self._at_ns, "warning", "bad_chunk", told])

    def _end(self) -> None:
        ended_ns = self._clock()
        for event in self._reader.flush():
            self._event(event)
        self.rows.append([ended_ns, "done" if self.done else "body_end"])
        if not self._translator.chunks and not self.done:
            self._explain(b"".join(self._head))

    def _explain(self, head: bytes) -> None:
        """No chunk at all came: read the body as one document, or say what it is instead."""
        try:
            document = orjson.loads(head)
        except ValueError:
            document = None
        if isinstance(document, dict):
            if document.get("error"):
                raise StreamError(document["error"])
            rows = whole_document(document, self._at_ns, self._read)
            if rows is not None:
                self._translator.closed = True
                self.rows.extend(rows)
                return
        if is_web_page(head):
            raise NotAStream("This address serves a web page, not the API.")
        if not head.strip():
            raise NotAStream("The server closed the stream without sending anything.")
        raise NotAStream("No chunk could be read: " + self._safe(head.decode("utf-8", "replace"))[:200])

    def _keep_head(self, data: bytes) -> None:
        if self._bytes <= MAX_HEAD_BYTES:
            self._head.append(data)


def _loosely(text: str) -> tuple[list[Any], bool]:
    """(values, damaged) in a text that is not strict JSON.

    Tried in turn: a looser parser (lone surrogates, NaN), each line by itself (frames separated by
    single line feeds), and what follows the last `data:` (a frame cut short by the next one).
    """
    whole = _parsed(text)
    if whole is not None:
        return [whole], False
    values = _line_by_line(text)
    if len(values) > 1:
        return values, False
    tail = _parsed(text.rpartition("data:")[2]) if "data:" in text else None
    return ([] if tail is None else [tail]), True


def _line_by_line(text: str) -> list[Any]:
    """The value of each line, or nothing as soon as one line has none."""
    values: list[Any] = []
    for line in filter(None, map(str.strip, text.split("\n"))):
        payload = line.removeprefix("data:").strip()
        value = payload if payload == "[DONE]" else _parsed(payload)
        if value is None:
            return []
        values.append(value)
    return values


def _is_utf8(payload: bytes) -> bool:
    try:
        payload.decode()
    except UnicodeDecodeError:
        return False
    return True


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
