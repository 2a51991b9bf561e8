"""One generation made ready for every figure: its timeline, the server's counts, and counts of its text.

Made once per generation by `measure`; the functions of the catalogue take it. This is where "which tokens
belong to which time window" is decided; the rates themselves are in `rates.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nlargest

from lib import reading, tokens
from lib.domain import events as ev
from lib.domain.run import Backend
from lib.metrics.timeline import Arrival, Timeline, arrivals, timeline
from lib.metrics.usage import Usage, usage

_VERBATIM = (0.5, 2.0)  # our count of the shown thinking over the server's own, when it shows what it counted
HIDDEN_TIMES = 8  # no tokenizer in use makes so many more tokens of a text than o200k_base
LONG_ANSWER_TOKENS = 64  # below this a few arrivals say nothing about a proxy
BUFFERED_SHARE = 0.9  # of the text, in so few arrivals:
BUFFERED_ARRIVALS = 3
FIRST_ARRIVAL_SHARE = 0.25  # of the tokens of a long answer
_BUFFERED_CHUNKS = 4  # that came in one read, for a shorter answer


@dataclass(frozen=True, slots=True)
class TextCounts:
    """Tokens of the visible text of choice 0 by o200k_base; None when it could not be counted."""

    answer: int | None
    thinking: int | None
    tools: int | None
    other_choices: int | None

    @property
    def visible(self) -> int | None:
        """Answer and thinking (the normalised tokens: a unit fair across tokenizers)."""
        return _sum(self.answer, self.thinking)

    @property
    def all(self) -> int | None:
        """Everything that came, all choices."""
        return _sum(self.answer, self.thinking, self.tools, self.other_choices)


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens that arrived visibly and the arrivals they came in; `reason` when no such match can be made."""

    tokens: int
    first_tokens: int
    arrivals: tuple[Arrival, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Measurement:
    """Everything the figures of one generation are computed from."""

    generation: ev.Generation
    backend: Backend
    time: Timeline
    usage: Usage
    counts: TextCounts
    answer: str
    thinking: str
    arrivals: tuple[Arrival, ...]  # of answer and thinking
    is_buffered: bool  # something held the stream back and let it out in a few lumps

    @property
    def output_tokens(self) -> int | None:
        """Billed output tokens: the server's count, else the whole text counted once."""
        if self.usage.output is not None:
            return self.usage.output
        return self.counts.all if self.has_text else None

    @property
    def is_estimated(self) -> bool:
        """Whether the output tokens are our own count of the text."""
        return self.usage.output is None and self.has_text and self.counts.all is not None

    @property
    def has_text(self) -> bool:
        """Whether any text of any choice or channel came."""
        return bool(self.time.chunks or self.time.tool_chunks or self.time.other_choices)

    @property
    def thinking_is_verbatim(self) -> bool | None:
        """Whether the shown thinking is what was counted; None when there is no way to tell."""
        shown = self.counts.thinking
        if not shown or self.usage.output is None:
            return True if shown else None
        if self.usage.reasoning:
            return _alike(shown, self.usage.reasoning)
        return True if _alike(self.counts.all or 0, self.usage.output) else None

    @property
    def visible_tokens(self) -> int | None:
        """Output tokens with a visible arrival; None when the split is unknown."""
        if self.usage.output is None:
            return self.output_tokens
        if not self.time.thinking_chunks:
            return None if self._hides_tokens else self.usage.beside_reasoning
        verbatim = self.thinking_is_verbatim
        if verbatim is None:
            return None
        return self.usage.output if verbatim else self.usage.beside_reasoning

    @property
    def _hides_tokens(self) -> bool:
        """Whether far more was counted than any tokenizer makes of the text, and nothing says what it was."""
        shown = self.counts.all
        undeclared = self.usage.reasoning is None and self.usage.output is not None and shown is not None
        return undeclared and (self.usage.output or 0) > HIDDEN_TIMES * max(1, shown or 0)


def measure(generation: ev.Generation, backend: Backend) -> Measurement:
    """Make one generation ready for its figures."""
    time = timeline(generation)
    answer = "".join(delta.text for delta in time.answer_chunks)
    thinking = "".join(delta.text for delta in time.thinking_chunks)
    has_text = bool(time.chunks or time.tool_chunks or time.other_choices)
    groups = arrivals(time.chunks)
    counts = TextCounts(
        answer=count(answer),
        thinking=count(thinking),
        tools=count("".join(delta.text for delta in time.tool_chunks)),
        other_choices=_count_choices(time.other_choices),
    )
    return Measurement(
        generation=generation,
        backend=backend,
        time=time,
        usage=usage(time.events, has_text=has_text),
        counts=counts,
        answer=answer,
        thinking=thinking,
        arrivals=groups,
        is_buffered=_is_buffered(groups, len(time.chunks), counts.visible or 0),
    )


def count(text: str) -> int | None:
    """o200k_base tokens of a text; None when it cannot be counted."""
    try:
        return tokens.count(text) if text else 0
    except tokens.TokenizerError:
        return None


def decode_window(measured: Measurement) -> Window:
    """The tokens and arrivals of the decode rate, matched to each other.

    Thinking shown word for word: all tokens from the first one. Thinking hidden or summarised: the tokens
    beside it, from the first of the answer. Unknown split: none.
    """
    time = measured.time
    visible = measured.visible_tokens
    if visible is None:
        return Window(0, 0, (), "It is not known which of the counted tokens were shown.")
    whole = not time.thinking_chunks or bool(measured.thinking_is_verbatim)
    if whole and not time.tool_chunks:
        groups = measured.arrivals
    else:
        chosen = [*(time.chunks if whole else time.answer_chunks), *time.tool_chunks]
        groups = arrivals(sorted(chosen, key=lambda delta: delta.at_ns))
    return Window(visible, _first_tokens(measured, groups), groups)


def _first_tokens(measured: Measurement, groups: tuple[Arrival, ...]) -> int:
    """Tokens of the first arrival: by running usage, by the server's count of the chunk, else by its text."""
    if not groups:
        return 0
    first = groups[0]
    hidden = measured.usage.reasoning if not measured.time.thinking_chunks else 0
    running = [total for read, total in measured.usage.running if read == first.read]
    if running and not hidden and first.deltas[0].at_ns == measured.time.first_ns:
        return running[-1]
    by_server = [delta.tokens for delta in first.deltas]
    if all(by_server):
        return sum(known or 0 for known in by_server)
    return text_tokens(first.text, own_count=measured.usage.output is None)


def text_tokens(text: str, *, own_count: bool) -> int:
    """Tokens of one arrival's text.

    Beside the server's own totals (`own_count` False) a single word counts one: its tokenizer may well have
    it whole, and o200k_base's way of cutting it says nothing about theirs.
    """
    if not own_count and max(reading.count_units(text, unit) for unit in ("word", "char")) <= 1:
        return 1
    return count(text) or 1


def _is_buffered(groups: tuple[Arrival, ...], chunks: int, tokens_shown: int) -> bool:
    """A long answer nearly all in three arrivals, or much of it in the first; a short one all in one."""
    if not groups or chunks < 2:
        return False
    if tokens_shown < LONG_ANSWER_TOKENS:
        return len(groups) == 1 and chunks >= _BUFFERED_CHUNKS
    sizes = [sum([len(delta.text) for delta in arrival.deltas]) for arrival in groups]
    in_few = sum(nlargest(BUFFERED_ARRIVALS, sizes)) >= BUFFERED_SHARE * sum(sizes)
    return in_few or sizes[0] > FIRST_ARRIVAL_SHARE * sum(sizes)


def _count_choices(deltas: tuple[ev.Delta, ...]) -> int | None:
    choices = sorted({delta.choice for delta in deltas})
    return _sum(*(count("".join(d.text for d in deltas if d.choice == choice)) for choice in choices))


def _alike(ours: int, theirs: int) -> bool:
    low, high = _VERBATIM
    return theirs > 0 and low <= ours / theirs <= high


def _sum(*counts: int | None) -> int | None:
    known = [number for number in counts if number is not None]
    return sum(known) if len(known) == len(counts) else None
