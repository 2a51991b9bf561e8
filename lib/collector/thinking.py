"""Splits an inline think block off the start of an answer, whatever way the tags are cut.

Only a block that opens the answer counts; an answer that talks about the tag later stays whole. Text
that may still become a tag is held back with its stamp and given later unchanged if it does not.
"""

from __future__ import annotations

from lib.domain.events import Channel

MAX_HELD = 200  # characters, white space included, that may wait to become a tag
OPENING = ("<think>", "<thinking>", "<thought>", "<reasoning>")
Piece = tuple[int, Channel, str, int]  # (at_ns, channel, text, read)


class ThinkSplitter:
    """One per choice. `open` is False once the rest of the text is plain answer."""

    def __init__(self) -> None:
        self.open = True
        self._state = self._before
        self._held: list[tuple[int, str, int]] = []
        self._close = ""

    def feed(self, at_ns: int, text: str, read: int) -> list[Piece]:
        """The pieces this text completes, oldest first, each with its own stamp."""
        return self._state(at_ns, text, read)

    def flush(self) -> list[Piece]:
        """What was held back in case it became a tag; the stream is over."""
        channel = Channel.THINKING if self._state == self._inside else Channel.ANSWER
        return self._release(channel)

    def _release(self, channel: Channel) -> list[Piece]:
        held, self._held = self._held, []
        return [(at, channel, text, read) for at, text, read in held]

    def _before(self, at_ns: int, text: str, read: int) -> list[Piece]:
        whole = "".join(held for _, held, _ in self._held) + text
        start = whole.lstrip()
        tag = next((tag for tag in OPENING if start.startswith(tag)), None)
        if tag is not None:
            self._held = []
            self._close = "</" + tag[1:]
            self._state = self._inside
            return self._inside(at_ns, start[len(tag) :].lstrip(), read)
        self._held.append((at_ns, text, read))
        if len(whole) <= MAX_HELD and any(tag.startswith(start) for tag in OPENING):
            return []
        self.open = False
        return self._release(Channel.ANSWER)

    def _inside(self, at_ns: int, text: str, read: int) -> list[Piece]:
        whole = "".join(held for _, held, _ in self._held) + text
        thought, tag, answer = whole.partition(self._close)
        if tag:
            done = self._spread(at_ns, thought, read)
            self._held = []
            self._state = self._after
            return done + self._after(at_ns, answer, read)
        keep = _tag_start(whole, self._close)
        done = self._spread(at_ns, whole[: len(whole) - keep], read)
        self._held = [(at_ns, whole[len(whole) - keep :], read)] if keep else []
        return done

    def _spread(self, at_ns: int, thought: str, read: int) -> list[Piece]:
        """`thought` begins with what was held: give that part its own stamp back."""
        pieces: list[Piece] = []
        for held_at, held, held_read in self._held:
            part, thought = thought[: len(held)], thought[len(held) :]
            if part:
                pieces.append((held_at, Channel.THINKING, part, held_read))
        if thought:
            pieces.append((at_ns, Channel.THINKING, thought, read))
        return pieces

    def _after(self, at_ns: int, text: str, read: int) -> list[Piece]:
        text = text.lstrip()
        if not text:
            return []
        self.open = False
        return [(at_ns, Channel.ANSWER, text, read)]


def _tag_start(text: str, tag: str) -> int:
    """Length of the longest end of `text` that may be the beginning of `tag`."""
    return next((n for n in range(min(len(tag) - 1, len(text)), 0, -1) if text.endswith(tag[:n])), 0)
