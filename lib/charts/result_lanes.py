"""The lanes of a run as the results show them: names that tell them apart, badge, figures, warnings, place.

Every number comes from `lib.metrics`; this only brings together what charts, table and answers place.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from lib.domain import events as ev
from lib.domain.failures import FAILURES
from lib.domain.run import Backend, Run
from lib.i18n import _, current_language
from lib.metrics.catalogue import compute_all
from lib.metrics.figures import warning_sentence
from lib.metrics.measurement import Measurement, measure
from lib.metrics.quantity import Figure
from lib.metrics.verdict import places
from lib.metrics.warnings import warnings_of
from lib.provenance import Facts, badge_word, figure_facts
from lib.reading import ReadingSpeed, speed_for

KEPT = 16  # runs whose figures are remembered, so that a click on a switch costs no computing


@dataclass(frozen=True, slots=True)
class ResultLane:
    """One lane of a result. `speed` is the reader's for its answer; `place` is None unless it finished; `how` says how
    its figures came about."""

    index: int
    name: str
    backend: Backend
    measured: Measurement
    speed: ReadingSpeed
    figures: dict[str, Figure]
    warnings: tuple[tuple[str, str], ...]
    place: int | None
    how: Facts

    @property
    def badge(self) -> str:
        """The word that says who made the tokens."""
        return badge_word(self.backend.origin)

    @property
    def label(self) -> str:
        """Name and badge: a lane is never named without it in a chart."""
        return f"{self.name}, {self.badge}"

    @property
    def has_failed(self) -> bool:
        """Whether it ended in an error (a user's Stop is none)."""
        return self.measured.time.status in (ev.Status.ERROR, ev.Status.INTERRUPTED)

    @property
    def outcome(self) -> str:
        """How it ended, in a few words; the failure's title where it failed."""
        failed = self.measured.time.failed
        if self.has_failed and failed and failed.kind in FAILURES:
            return _(FAILURES[failed.kind].title)
        return outcome_word(self.measured.time.status)

    @property
    def failure_sentence(self) -> str:
        """What went wrong, with the server's own words; empty when nothing did."""
        failed = self.measured.time.failed
        if not self.has_failed:
            return ""
        known = FAILURES.get(failed.kind) if failed else FAILURES["interrupted"]
        sentence = _(known.sentence) if known else _("The answer could not be completed.")
        return f"{sentence} {failed.message}".strip() if failed else sentence


@dataclass(frozen=True, slots=True)
class ResultKey:
    """A run as a key: the same run with as many events, the last at the same time, has the same figures.

    `told` is what is said beside them: names and addresses (which an export may have put out), how it was measured.
    """

    id: str
    events: tuple[tuple[int, int], ...]  # of each lane: how many, and when the last one came
    speed: str
    language: str
    told: tuple[object, ...]
    run: Run = field(compare=False)
    reading: ReadingSpeed | None = field(compare=False)


def lanes_of(run: Run, speed: ReadingSpeed | None) -> tuple[ResultLane, ...]:
    """The run's lanes with all their figures; `speed` None takes the reader of each answer's language."""
    return _lanes(key_of(run, speed))


def key_of(run: Run, speed: ReadingSpeed | None) -> ResultKey:
    """What the results of a run may be remembered by."""
    events = tuple((len(g.events), g.events[-1].at_ns if g.events else 0) for g in run.generations)
    reader = f"{speed.id} {speed.per_min}" if speed else ""
    backends = tuple((one.name, one.note, one.model, one.base_url) for one in run.backends)
    told = (run.clock_health_ms, run.display_lag_ms, run.started_at, tuple(run.versions.items()), *backends)
    return ResultKey(run.id, events, reader, current_language(), told, run, speed)


def outcome_word(status: ev.Status) -> str:
    """How a generation ended, in words."""
    words = {
        ev.Status.COMPLETE: _("complete"),
        ev.Status.INCOMPLETE: _("incomplete"),
        ev.Status.ERROR: _("failed"),
        ev.Status.STOPPED: _("stopped"),
        ev.Status.INTERRUPTED: _("interrupted"),
    }
    return words[status]


def names_apart(backends: tuple[Backend, ...]) -> list[str]:
    """The backends' names; the second of the same name is "name (2)"."""
    seen: Counter[str] = Counter()
    names = []
    for backend in backends:
        seen[backend.name] += 1
        again = seen[backend.name] > 1
        names.append(f"{backend.name} ({seen[backend.name]})" if again else backend.name)
    return names


@lru_cache(KEPT)
def _lanes(seen: ResultKey) -> tuple[ResultLane, ...]:
    run = seen.run
    names = names_apart(run.backends)
    finished = places(run)
    return tuple(
        _lane(lane, names[lane], run, measure(generation, backend), seen.reading, finished[lane])
        for lane, (backend, generation) in enumerate(zip(run.backends, run.generations, strict=True))
    )


def _lane(
    index: int,
    name: str,
    run: Run,
    measured: Measurement,
    speed: ReadingSpeed | None,
    place: int | None,
) -> ResultLane:
    reader = speed_for(measured.answer, speed)
    warnings = tuple((code, warning_sentence(code, detail)) for code, detail in warnings_of(measured))
    figures, how = compute_all(measured, reader), figure_facts(run, measured)
    return ResultLane(index, name, measured.backend, measured, reader, figures, warnings, place, how)
