"""One chat chunk in, recording rows out. No network and no clock: the caller passes the stamp.

Everything a chunk may lack, repeat or misname is decided here; what a row means is in
docs/recording.md. Text comes from `delta`, from a `message` only where no delta ever came, never from logprobs.
"""

from __future__ import annotations

from typing import Any

from lib.collector.pieces import ChoiceText
from lib.domain.codec import Row
from lib.domain.events import Channel

Chunk = dict[str, Any]
MAX_CHOICES = 128  # the most that the API lets anyone ask for
ANSWER, THINKING, TOOL = Channel.ANSWER, Channel.THINKING, Channel.TOOL


class StreamError(Exception):
    """The server put an error where a chunk was due; `args[0]` is what it sent."""


class Translator:
    """Turns the chunks of one generation into rows; holds only what later chunks need."""

    def __init__(self) -> None:
        self.chunks = 0  # chunks understood
        self.closed = False  # a finish reason or a usage object was seen
        self.repaired = False  # the chunk being translated had bytes that were no UTF-8
        self._model = ""
        self._texts: dict[int, ChoiceText] = {}
        self._finish: dict[int, str] = {}
        self._open: set[int] = set()  # choices that brought something since their last finish reason
        self._tool: dict[int, int] = {}

    def translate(self, chunk: Chunk, at_ns: int, read: int) -> list[Row]:
        """Rows of one chunk. Raises StreamError when the chunk carries an error."""
        if chunk.get("error") or chunk.get("object") == "error":
            raise StreamError(chunk.get("error") or chunk)
        self.chunks += 1
        rows: list[Row] = []
        choices = chunk.get("choices")
        if choices.__class__ is list:
            for choice in choices:
                if choice.__class__ is dict:
                    self._choice(choice, at_ns, read, rows)
        model = chunk.get("model")
        if model and model != self._model and model.__class__ is str:
            self._model = model
            rows.append([at_ns, "served", model])
        if "usage" in chunk or "timings" in chunk or "x_groq" in chunk:
            self._reports(chunk, at_ns, read, rows)
        return rows

    @property
    def finished(self) -> bool:
        """Whether every choice that began has given a finish reason and nothing since."""
        return bool(self._finish) and not self._open

    def flush(self, now_ns: int) -> list[Row]:
        """What was held back while it might have become something else; the stream is over."""
        rows: list[Row] = []
        for choice, text in self._texts.items():
            text.flush(choice, now_ns, rows)
        return rows

    def _choice(self, choice: Chunk, at_ns: int, read: int, rows: list[Row]) -> None:
        index = choice.get("index")
        index = index if index.__class__ is int and 0 <= index < MAX_CHOICES else 0
        delta = choice.get("delta")
        if delta is None and index not in self._texts:
            delta = choice.get("message")
        if delta.__class__ is dict and delta:
            before = len(rows)
            self._delta(delta, choice, index, at_ns, read, rows)
            if len(rows) > before:
                self._open.add(index)
        reason = choice.get("finish_reason")
        if reason and reason.__class__ is str and reason != "null":
            self.closed = True
            self._open.discard(index)
            if self._finish.get(index) != reason:
                self._finish[index] = reason
                rows.append([at_ns, "finish", reason, index])

    def _delta(self, delta: Chunk, choice: Chunk, index: int, at_ns: int, read: int, rows: list[Row]) -> None:
        text = self._texts.get(index)
        if text is None:
            text = self._texts[index] = ChoiceText()
        thought = delta.get("reasoning")
        if thought.__class__ is not str or not thought:
            thought = delta.get("reasoning_content")
        tokens = _logprob_entries(choice)
        if thought and thought.__class__ is str:
            text.add(THINKING, thought, at_ns, read, index, tokens, rows, self.repaired)
        content = delta.get("content")
        if content.__class__ is str:
            if content:
                text.add(ANSWER, content, at_ns, read, index, tokens, rows, self.repaired)
        elif content.__class__ is list:
            for channel, part in _parts(content):
                text.add(channel, part, at_ns, read, index, None, rows)
        refusal = delta.get("refusal")
        if refusal and refusal.__class__ is str:
            text.add(ANSWER, refusal, at_ns, read, index, None, rows)
        if delta.get("tool_calls"):
            self._tools(delta["tool_calls"], index, at_ns, read, text, rows)

    def _tools(
        self, calls: Any, choice: int, at_ns: int, read: int, text: ChoiceText, rows: list[Row]
    ) -> None:
        for place, call in enumerate(calls if calls.__class__ is list else ()):
            function = call.get("function") if call.__class__ is dict else None
            if function.__class__ is not dict:
                continue
            index = call.get("index")
            index = index if index.__class__ is int else place
            name, arguments = function.get("name") or "", function.get("arguments") or ""
            if name or self._tool.get(choice) != index:
                self._tool[choice] = index
                rows.append([at_ns, "tool", index, str(name), read, choice])
            if arguments and arguments.__class__ is str:
                text.add(TOOL, arguments, at_ns, read, choice, None, rows)

    def _reports(self, chunk: Chunk, at_ns: int, read: int, rows: list[Row]) -> None:
        groq = chunk.get("x_groq")
        groq = groq if groq.__class__ is dict else {}
        for usage in (chunk.get("usage"), groq.get("usage")):
            if usage and usage.__class__ is dict:
                self.closed = True
                rows.append([at_ns, "usage", usage, read])
        if chunk.get("timings").__class__ is dict:
            rows.append([at_ns, "server", chunk["timings"]])


def whole_document(document: Chunk, at_ns: int, read: int) -> list[Row] | None:
    """Rows of an answer that was sent as one JSON document instead of a stream; None if it is none."""
    choices = document.get("choices")
    first = choices[0] if choices.__class__ is list and choices else None
    if first.__class__ is not dict or first.get("message").__class__ is not dict:
        return None
    translator = Translator()
    return [*translator.translate(document, at_ns, read), *translator.flush(at_ns)]


def _logprob_entries(choice: Chunk) -> int | None:
    logprobs = choice.get("logprobs")
    entries = logprobs.get("content") if logprobs.__class__ is dict else None
    return len(entries) if entries and entries.__class__ is list else None


def _parts(content: list[Any]) -> list[tuple[Channel, str]]:
    found: list[tuple[Channel, str]] = []
    for part in content:
        if part.__class__ is str:
            found.append((ANSWER, part))
        elif part.__class__ is dict:
            thought = part.get("thinking") or part.get("reasoning")
            if thought.__class__ is list:
                found.extend((THINKING, text) for _, text in _parts(thought))
            elif thought.__class__ is str:
                found.append((THINKING, thought))
            elif part.get("text").__class__ is str:
                thinks = part.get("type") in ("thinking", "reasoning")
                found.append((THINKING if thinks else ANSWER, part["text"]))
    return [(channel, text) for channel, text in found if text]
