"""Small generations for tests: times in milliseconds after the request was sent, text pieces as strings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lib.domain import events as ev
from lib.domain.run import Backend, Mode, Origin, Params, Prices, Prompt, Run

MS = 1_000_000
SENT_MS = 5  # after the run's origin, so that t0 and the origin are not mistaken for each other
CHANNELS = {"a": ev.Channel.ANSWER, "r": ev.Channel.THINKING, "t": ev.Channel.TOOL}
ANSWER_WORDS = (
    "The keeper climbed the stairs each night to trim the wick and wind the clock that turned the lens. "
)

Piece = tuple[float, str] | tuple[float, str, str]


def at(ms: float) -> int:
    return round((SENT_MS + ms) * MS)


def generation(
    pieces: Sequence[Piece] = (),
    *,
    usage: Mapping[str, Any] | None = None,
    finish: str | None = "stop",
    status: ev.Status = ev.Status.COMPLETE,
    end_ms: float | None = None,
    extra: Sequence[ev.Event] = (),
    reads: Sequence[int] | None = None,
    tokens: Sequence[int | None] | None = None,
) -> ev.Generation:
    """A generation of one attempt; a piece is (ms, text) or (ms, text, channel letter)."""
    last_ms = end_ms if end_ms is not None else max((piece[0] for piece in pieces), default=0.0)
    deltas = [
        ev.Delta(
            at(piece[0]),
            CHANNELS[piece[2] if len(piece) == 3 else "a"],
            piece[1],
            reads[index] if reads else index,
            tokens=tokens[index] if tokens else None,
        )
        for index, piece in enumerate(pieces)
    ]
    events: list[ev.Event] = [ev.Attempt(0, 1), ev.Connected(0, None), ev.Sent(at(0)), *deltas]
    if usage is not None:
        events.append(ev.Usage(at(last_ms), usage, 10_000))
    if finish:
        events.append(ev.Finish(at(last_ms), finish))
    events.extend(extra)
    if status is ev.Status.COMPLETE:
        events.append(ev.Done(at(last_ms)))
    events.append(ev.Ended(at(last_ms), status))
    return ev.Generation(0, tuple(sorted(events, key=lambda event: event.at_ns)))


def steady(
    tokens: int, *, first_ms: float = 200, each_ms: float = 10, status: ev.Status = ev.Status.COMPLETE
) -> ev.Generation:
    """One token per chunk at a steady rate, with usage."""
    words = ANSWER_WORDS.split(" ")[:-1]
    pieces = [(first_ms + i * each_ms, " " + words[i % len(words)]) for i in range(tokens)]
    counts = {"prompt_tokens": 10, "completion_tokens": tokens, "total_tokens": tokens + 10}
    reported = counts if status is ev.Status.COMPLETE else None
    return generation(
        pieces,
        usage=reported,
        status=status,
        finish="stop" if status is ev.Status.COMPLETE else None,
        end_ms=first_ms + tokens * each_ms,
    )


def backend(
    name: str = "Sol",
    *,
    origin: Origin = Origin.SIMULATED,
    prices: Prices | None = None,
    model: str = "replay-model",
    base_url: str = "http://127.0.0.1:9/v1",
) -> Backend:
    return Backend(name.lower(), name, base_url, model, origin, prices=prices)


def run(lanes: Sequence[tuple[Backend, ev.Generation]], mode: Mode = Mode.ALL_AT_ONCE) -> Run:
    return Run(
        "run",
        Prompt("Why?"),
        Params(),
        mode,
        tuple(lane for lane, _generation in lanes),
        generations=tuple(made for _lane, made in lanes),
    )
