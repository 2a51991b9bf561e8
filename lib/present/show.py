"""What is on stage: the act, its run, what is revealed. Pure: a key press gives the next state.

Starting and stopping races is not done here; the page does it and says so with `raced` and `fell_back`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from lib.domain.run import Backend, Run
from lib.i18n import _
from lib.metrics.verdict import result_of
from lib.reading import ReadingSpeed

SLOW = 0.25
LETTERS = "ABCDEFGH"


class Key(StrEnum):
    """What a key of the presenter asks for; the value is the key."""

    START = "s"
    STOP = "x"
    REPLAY = "r"
    REVEAL = "v"
    SLOW = "m"
    NEXT = "n"
    PREVIOUS = "p"
    LEAVE = "q"


@dataclass(frozen=True, slots=True)
class Show:
    """`run` is the live race on stage, `kept` a kept one; `cue` counts the orders to the replay, `play` is the last."""

    place: int = 0
    run: str | None = None
    kept: str | None = None
    revealed: bool = False
    slow: bool = False
    replaying: bool = False
    cue: int = 0
    play: bool = False
    told: str = ""

    @property
    def speed(self) -> float:
        """How fast a replay runs."""
        return SLOW if self.slow else 1.0


def at_act(show: Show, place: int, acts: int, kept: str | None) -> Show:
    """Another act, from its beginning; before the first and after the last nothing changes."""
    if not 0 <= place < acts:
        return show
    return Show(place, kept=kept, cue=show.cue)


def raced(show: Show, run: str | None) -> Show:
    """A race was started in this act (None: it could not be)."""
    if run is None:
        return replace(show, run=None, kept=None, replaying=False, play=False)
    return replace(show, run=run, kept=None, replaying=False, slow=False, play=False, told="")


def played(show: Show, slow: bool = False) -> Show:
    """What is on stage is played again from its start."""
    return replace(show, replaying=True, slow=slow, cue=show.cue + 1, play=True)


def paused(show: Show) -> Show:
    """The replay stands still."""
    return replace(show, cue=show.cue + 1, play=False)


def slowed(show: Show, can_replay: bool) -> Show:
    """Slow motion on or off; where nothing is played it begins a slow replay."""
    if show.replaying:
        return replace(show, slow=not show.slow)
    return played(show, slow=True) if can_replay else show


def fell_back(show: Show, kept: str, told: str) -> Show:
    """A provider failed: the kept race plays in its place, and the room is told."""
    return played(replace(show, run=None, kept=kept, told=told))


def blind_names(lanes: int) -> list[str]:
    """What lanes are called until the reveal."""
    return [_("Lane {letter}").format(letter=letter) for letter in LETTERS[:lanes]]


def blind_verdict(run: Run, speed: ReadingSpeed | None) -> list[list[str]]:
    """The verdict of a race with the lanes called by their blind names."""
    names = blind_names(len(run.backends))
    backends = tuple(replace(backend, name=name) for backend, name in zip(run.backends, names, strict=True))
    verdict: list[list[str]] = result_of(replace(run, backends=backends), speed)["verdict"]
    return verdict


def failure_told(backends: Sequence[Backend], lane: int, why: str, recorded: str, blind: bool) -> str:
    """What the room reads when a kept race takes over: when it was recorded, and who did not answer."""
    name = blind_names(len(backends))[lane] if blind else backends[lane].name
    if why == "error":
        return _("Recorded on {date}: {name} failed before its first token.").format(date=recorded, name=name)
    return _("Recorded on {date}: {name} did not answer.").format(date=recorded, name=name)
