"""A series that was kept, read back: the same figures from the recordings of its rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lib.domain import events as ev
from lib.domain.run import Run
from lib.domain.series import SeriesPlan
from lib.reading import ReadingSpeed
from lib.trials.plan import Condition, Plan, Turn
from lib.trials.progress import Progress
from lib.trials.trial import Trial, trial_of


@dataclass(frozen=True, slots=True)
class KeptSeries:
    """What a `Series` tells, of one that was kept. `ended` is None while another process carries it out."""

    plan: Plan
    trials: tuple[Trial, ...]
    ended: str | None
    clock_health_ms: float | None
    versions: Mapping[str, str]

    @property
    def progress(self) -> Progress:
        """How far it came."""
        last = max((trial.turn.round for trial in self.trials), default=0)
        done, total, rounds = len(self.trials), self.plan.requests, self.plan.rounds
        return Progress(
            done, total, last, rounds, (), None, False, "elsewhere" if self.ended is None else self.ended
        )


def kept_series(
    asked: Run,
    series: SeriesPlan,
    ended: str | None,
    rounds: Sequence[tuple[int, Run]],
    speed: ReadingSpeed | None,
) -> KeptSeries:
    """The series of these rounds; `asked` says what was asked of whom, `speed` None takes each answer's language."""
    plan = Plan(
        id=asked.id,
        prompt=asked.prompt,
        params=asked.params,
        backends=asked.backends,
        rounds=series.rounds,
        mode=asked.mode,
        condition=Condition(series.condition),
        has_warm_up=series.has_warm_up,
        seed=series.seed,
        started_at=asked.started_at,
        own_params=asked.own_params,
    )
    known = [run.clock_health_ms for _number, run in rounds if run.clock_health_ms is not None]
    return KeptSeries(plan, _trials(plan, rounds, speed), ended, max(known, default=None), asked.versions)


def was_asked(generation: ev.Generation) -> bool:
    """Whether the turn came to its request before the series ended."""
    return any(type(event) is ev.Attempt for event in generation.events)


def _trials(plan: Plan, rounds: Sequence[tuple[int, Run]], speed: ReadingSpeed | None) -> tuple[Trial, ...]:
    """The trials in the order they ended, round by round; requests that still run are none."""
    found = []
    for number, run in rounds:
        done = [one for one in run.generations if was_asked(one) and type(one.events[-1]) is ev.Ended]
        for one in sorted(done, key=lambda generation: generation.events[-1].at_ns):
            turn, backend = Turn(number, one.lane), run.backends[one.lane]
            found.append(trial_of(turn, plan.condition, one, backend, speed))
    return tuple(found)
