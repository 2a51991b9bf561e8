"""One trial: how it ended and its figures, computed once from its recording by the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lib.domain import events as ev
from lib.domain.failures import FAILURES
from lib.domain.run import Backend
from lib.i18n import _
from lib.metrics.catalogue import compute_all
from lib.metrics.measurement import measure
from lib.metrics.quantity import SHORT_SAMPLE, Figure, Quantity, Unavailable, number
from lib.metrics.texture import stalls
from lib.reading import ReadingSpeed, speed_for
from lib.trials.plan import WARM_UP_ROUND, Condition, Turn

THROTTLED = "HTTP 429"  # how a wait between attempts begins when the server asked for it


@dataclass(frozen=True, slots=True)
class Trial:
    """One request of a plan and what came of it; round 0 is a warm-up and in no figure."""

    turn: Turn
    condition: Condition
    status: ev.Status
    figures: Mapping[str, Figure]
    longest_stall: Figure
    failure: str = ""  # in words; empty when it did not fail
    was_throttled: bool = False  # refused for too many requests, for good or until a later attempt

    @property
    def is_warm_up(self) -> bool:
        """Whether it was made to be discarded."""
        return self.turn.round == WARM_UP_ROUND

    @property
    def is_complete(self) -> bool:
        """Whether the whole answer came: only such a trial has a place in a median."""
        return self.status is ev.Status.COMPLETE

    @property
    def has_failed(self) -> bool:
        """Whether the server's side failed; a Stop and our own faults are none of its failures."""
        return self.status in (ev.Status.ERROR, ev.Status.INCOMPLETE)

    def value(self, key: str) -> float | None:
        """A figure of a complete trial, or None."""
        return number(self.figures[key]) if self.is_complete and key in self.figures else None

    def comparable(self, key: str) -> float | None:
        """The same, without what rests on too short a sample to be compared."""
        figure = self.figures.get(key)
        short = isinstance(figure, Quantity) and SHORT_SAMPLE in figure.marks
        return None if short else self.value(key)


def trial_of(
    turn: Turn, condition: Condition, generation: ev.Generation, backend: Backend, speed: ReadingSpeed | None
) -> Trial:
    """The trial with every figure of the catalogue; `speed` None takes the reader of the answer's language."""
    measured = measure(generation, backend)
    status, failed = measured.time.status, measured.time.failed
    waits = generation.of(ev.Waiting)
    throttled = bool(failed and failed.kind == "rate_limited") or any(
        wait.reason.startswith(THROTTLED) for wait in waits
    )
    few = Unavailable(_("There were fewer than two arrivals."))
    longest = Quantity(stalls(measured).longest_ms, "ms") if len(measured.arrivals) > 1 else few
    return Trial(
        turn=turn,
        condition=condition,
        status=status,
        figures=compute_all(measured, speed_for(measured.answer, speed)),
        longest_stall=longest,
        failure=_failure(status, failed),
        was_throttled=throttled,
    )


def _failure(status: ev.Status, failed: ev.Failed | None) -> str:
    if status is ev.Status.INCOMPLETE:
        return _("The answer broke off.")
    if status is ev.Status.INTERRUPTED:
        return _(FAILURES["interrupted"].title)
    if status is not ev.Status.ERROR:
        return ""
    known = FAILURES.get(failed.kind) if failed else None
    return _(known.title) if known else _("Failed")
