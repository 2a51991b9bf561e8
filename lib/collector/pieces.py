"""The text of one choice as it comes in pieces: split tags, halved characters, repetitions.

Rows leave here in time order with valid Unicode. A piece that may turn out to be something else is
held and given later with its own stamp.
"""

from __future__ import annotations

from lib.collector.repetition import Repetition
from lib.collector.thinking import ThinkSplitter
from lib.domain.codec import Row
from lib.domain.events import Channel

_HIGH = ("\ud800", "\udbff")
_DAMAGE = "\ufffd"


class ChoiceText:
    """Collects one choice. `add` appends rows for everything that is certain by now."""

    def __init__(self) -> None:
        self._splitter = ThinkSplitter()
        self._repetition = Repetition()
        self._half: dict[Channel, tuple[str, int, int]] = {}  # first half of a character, its stamp and read
        self._damaged = False

    def add(
        self, channel: Channel, text: str, at_ns: int, read: int, choice: int, tokens: int | None,
        rows: list[Row], repaired: bool = False,
    ) -> None:  # fmt: skip
        """Take one non-empty piece; `repaired` says that its U+FFFD are ours, for bytes that were no UTF-8."""
        if self._half or not text.isascii():
            text = self._whole(channel, text, at_ns, read)
            if not repaired:
                self._tell_damage(text, at_ns, rows)
            if not text:
                return
        if channel is Channel.ANSWER and self._splitter.open:
            for at, into, part, number in self._splitter.feed(at_ns, text, read):
                self._row(into, part, at, number, choice, tokens, rows)
        else:
            self._row(channel, text, at_ns, read, choice, tokens, rows)

    def flush(self, choice: int, now_ns: int, rows: list[Row]) -> None:
        """The stream is over: give what was held, say what was only a repetition."""
        halves, self._half = self._half, {}
        for channel, (_half, at_ns, read) in halves.items():
            self.add(channel, _DAMAGE, at_ns, read, choice, None, rows)
        for at_ns, channel, part, read in self._splitter.flush():
            self._row(channel, part, at_ns, read, choice, None, rows)
        rows.extend(self._repetition.flush(now_ns))

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
            rows.extend(self._repetition.feed(row))
        else:
            rows.append(row)

    def _tell_damage(self, text: str, at_ns: int, rows: list[Row]) -> None:
        if not self._damaged and _DAMAGE in text:
            self._damaged = True
            rows.append([at_ns, "warning", "replacement_characters", ""])

    def _whole(self, channel: Channel, text: str, at_ns: int, read: int) -> str:
        """`text` with halves of a character joined across pieces; a lone half becomes U+FFFD."""
        half = self._half.pop(channel, None)
        if half is not None or _has_surrogate(text):
            text = (half[0] if half else "") + text
            if _HIGH[0] <= text[-1] <= _HIGH[1]:
                self._half[channel] = (text[-1], at_ns, read)
                text = text[:-1]
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return text


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
