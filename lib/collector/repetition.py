"""Answer text that only repeats what came before: the whole answer once more at the end, or in every frame.

Works on the rows of one choice's answer. A row that may be a repetition is held, and given later as it came
when it is none. What was found out is told by a warning row beside it; nothing is left out in silence.
"""

from __future__ import annotations

from lib.domain.codec import Row

MIN_REPEATED = 20  # characters; a shorter last piece that equals the answer so far is an honest repeat
CUMULATIVE_PIECES = 4  # pieces from the start, each holding all text so far


class Repetition:
    """Takes each answer row in turn and gives those that are certain by now."""

    def __init__(self) -> None:
        self._said: list[str] = []
        self._said_chars = 0
        self._suspect: Row | None = None  # equals the whole answer so far
        self._growing: (
            list[Row] | None
        ) = []  # rows so far, each longer than and beginning with the one before
        self._so_far: str | None = None  # all text so far, once it is certain that every frame repeats it

    def feed(self, row: Row) -> list[Row]:
        """The rows that `row` makes certain, oldest first."""
        if self._so_far is not None:
            return self._new_part(row)
        if self._growing is not None:
            return self._grow(row)
        return self._plain(row)

    def flush(self, now_ns: int) -> list[Row]:
        """The stream is over: what was held, and a warning in place of a mere repetition."""
        rows = self._as_they_came()
        if self._suspect is not None:
            rows.append([now_ns, "warning", "duplicate_final_text", ""])
            self._suspect = None
        return rows

    def _plain(self, row: Row) -> list[Row]:
        given: list[Row] = []
        text = row[2]
        if self._suspect is not None:  # more came: the repetition was not the last piece
            given.append(self._suspect)
            self._say(self._suspect[2])
            self._suspect = None
        if len(text) == self._said_chars > MIN_REPEATED and text == "".join(self._said):
            self._suspect = row
            return given
        self._say(text)
        return [*given, row]

    def _say(self, text: str) -> None:
        self._said.append(text)
        self._said_chars += len(text)

    def _grow(self, row: Row) -> list[Row]:
        growing = self._growing = self._growing or []
        text = row[2]
        before = growing[-1][2] if growing else ""
        if len(text) <= len(before) or not text.startswith(before):
            return [*self._as_they_came(), *self._plain(row)]
        growing.append(row)
        if len(growing) == 1:
            return self._plain(row)
        if len(growing) < CUMULATIVE_PIECES:
            return []
        if len(set(text)) == 1:  # a line of dashes, not an answer
            return self._as_they_came()
        return self._mend(growing)

    def _as_they_came(self) -> list[Row]:
        """The held rows unchanged; growth is no longer looked for."""
        held, self._growing = (self._growing or [])[1:], None
        return [given for row in held for given in self._plain(row)]

    def _mend(self, growing: list[Row]) -> list[Row]:
        first, *held = growing
        self._growing, self._so_far = None, first[2]
        warning: Row = [held[-1][0], "warning", "cumulative_deltas", ""]
        return [*(given for row in held for given in self._new_part(row)), warning]

    def _new_part(self, row: Row) -> list[Row]:
        text, so_far = row[2], self._so_far or ""
        if not text.startswith(so_far):  # it has stopped repeating
            return [row]
        self._so_far = text
        new = text[len(so_far) :]
        return [[*row[:2], new, *row[3:]]] if new else []
