"""Runs written by hand, event by event, for tests of what stands below the stage."""

from __future__ import annotations

from lib.domain import events as ev
from lib.domain.run import Backend, Mode, Origin, Params, Prompt, Run

NS_PER_MS = 1_000_000


def backend(name: str, origin: Origin = Origin.SIMULATED) -> Backend:
    return Backend(name.lower(), name, "http://127.0.0.1:9/v1", "model", origin)


def answered(
    lane: int,
    text: str,
    *,
    first_ms: int = 300,
    gap_ms: int = 20,
    thinking: str = "",
    usage: bool = True,
    status: ev.Status = ev.Status.COMPLETE,
) -> ev.Generation:
    """A generation that gives the words of `text` one by one."""
    events: list[ev.Event] = [ev.Attempt(0, 1), ev.Sent(0), ev.Headers(NS_PER_MS, 200, "text/event-stream")]
    at_ms, read = first_ms, 0
    for channel, whole in ((ev.Channel.THINKING, thinking), (ev.Channel.ANSWER, text)):
        for word in whole.split(" ") if whole else []:
            events.append(ev.Delta(at_ms * NS_PER_MS, channel, word + " ", read))
            at_ms, read = at_ms + gap_ms, read + 1
    if usage:
        events.append(ev.Usage(at_ms * NS_PER_MS, {"prompt_tokens": 9, "completion_tokens": read}, read))
    events += [
        ev.Finish(at_ms * NS_PER_MS, "stop"),
        ev.Done(at_ms * NS_PER_MS),
        ev.Ended(at_ms * NS_PER_MS, status),
    ]
    return ev.Generation(lane, tuple(events))


def failed(lane: int, kind: str = "rate_limited", message: str = "Slow down.") -> ev.Generation:
    """A generation that failed before any text."""
    events = (
        ev.Attempt(0, 1),
        ev.Sent(0),
        ev.Failed(NS_PER_MS, kind, message, 429),
        ev.Ended(NS_PER_MS, ev.Status.ERROR),
    )
    return ev.Generation(lane, events)


def run_of(backends: list[Backend], generations: list[ev.Generation], identity: str = "made") -> Run:
    return Run(
        identity,
        Prompt("?"),
        Params(),
        Mode.ALL_AT_ONCE,
        tuple(backends),
        "2026-11-30T00:00:00Z",
        tuple(generations),
        0.4,
    )
