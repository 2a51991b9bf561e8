"""The text of one choice as it comes in pieces: split tags, halved characters, repetitions.

Rows leave here in time order with valid Unicode. A piece that may turn out to be something else is
held and given later with its own stamp.
"""

from __future__ import annotations

from lib.collector.thinking import ThinkSplitter
from lib.domain.codec import Row
from lib.domain.events import Channel

MIN_REPEATED = 20  # characters; a shorter last piece that equals the answer so far is an honest repeat
CUMULATIVE_PIECES = 4  # pieces from the start, each holding all text so far
_HIGH = ("\ud800", "\udbff")


class ChoiceText:
    """Collects one choice. `add` appends rows for everything that is certain by now."""

    def __init__(self) -> None:
        self._splitter = ThinkSplitter()
        self._half: dict[Channel, str] = {}
        self._answer: list[str] = []
        self._answer_chars = 0
        self._suspect: Row | None = None
        self._damaged = False
        self._last = ""
        self._grown = 0  # pieces so far that each contained the one before; -1: no longer watched

    def add(
        self, channel: Channel, text: str, at_ns: int, read: int, choice: int, tokens: int | None,
        rows: list[Row], repaired: bool = False,
    ) -> None:  # fmt: skip
        """Take one non-empty piece; `repaired` says that its U+FFFD are ours, for bytes that were no UTF-8."""
        if self._half or not text.isascii():
            if not self._damaged and "\ufffd" in text and not repaired:
                self._damaged = True
                rows.append([at_ns, "warning", "replacement_characters", ""])
            text = self._whole(channel, text)
            if not text:
                return
        if channel is Channel.ANSWER and self._splitter.open:
            for at, into, part, number in self._splitter.feed(at_ns, text, read):
                self._row(into, part, at, number, choice, tokens, rows)
        else:
            self._row(channel, text, at_ns, read, choice, tokens, rows)

    def flush(self, choice: int, now_ns: int, rows: list[Row]) -> None:
        """The stream is over: give what was held, say what was only a repetition."""
        for at_ns, channel, part, read in self._splitter.flush():
            self._row(channel, part, at_ns, read, choice, None, rows)
        if self._suspect is not None:
            rows.append([now_ns, "warning", "duplicate_final_text", ""])
            self._suspect = None

    def _row(
        self, channel: Channel, text: str, at_ns: int, read: int, choice: int, tokens: int | None,
        rows: list[Row],
    ) -> None:  # fmt: skip
        row: Row = [at_ns, channel.value, text, read]
        if tokens is not None:
            row += [choice, tokens]
        elif choice:
            row.append(choice)
        if channel is Channel.ANSWER:
            self._watch(row, text, rows)
        else:
            rows.append(row)

    def _watch(self, row: Row, text: str, rows: list[Row]) -> None:
        if self._suspect is not None:  # more came: the repetition was not the last piece
            rows.append(self._suspect)
            self._suspect = None
        if self._grown >= 0:
            self._watch_growth(row, text, rows)
        if len(text) == self._answer_chars > MIN_REPEATED and text == "".join(self._answer):
            self._suspect = row
            return
        self._answer.append(text)
        self._answer_chars += len(text)
        rows.append(row)

    def _watch_growth(self, row: Row, text: str, rows: list[Row]) -> None:
        grows = not self._last or (len(text) > len(self._last) and text.startswith(self._last))
        self._grown = self._grown + 1 if grows else -1
        self._last = text
        if self._grown == CUMULATIVE_PIECES:
            rows.append([row[0], "warning", "cumulative_deltas", ""])
            self._grown = -1

    def _whole(self, channel: Channel, text: str) -> str:
        """`text` with halves of a character joined across pieces; a lone half becomes U+FFFD."""
        half = self._half.pop(channel, "")
        if half or _has_surrogate(text):
            text = half + text
            if _HIGH[0] <= text[-1] <= _HIGH[1]:
                self._half[channel] = text[-1]
                text = text[:-1]
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return text


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
