"""How the figures of a series came about, as facts (`lib/provenance.py`): the same on the page and in its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from lib.domain.run import Backend
from lib.i18n import _
from lib.metrics.quantity import ESTIMATED, Quantity
from lib.provenance import Conditions, Facts, common_facts, counted_by, in_words, made_by, shared_facts
from lib.trials.plan import Condition, Plan
from lib.trials.summary import rounds_text, trials_of
from lib.trials.trial import Trial


class Measured(Protocol):
    """A series under way, or one that was kept."""

    @property
    def plan(self) -> Plan: ...

    @property
    def trials(self) -> tuple[Trial, ...]: ...

    @property
    def versions(self) -> Mapping[str, str]: ...

    @property
    def clock_health_ms(self) -> float | None: ...


def rounds_of(trials: Sequence[Trial]) -> int:
    """How many rounds have an answer, the warm-up apart."""
    return len({trial.turn.round for trial in trials if not trial.is_warm_up})


def conditions_of(series: Measured) -> Conditions:
    """What all trials of a series have in common."""
    plan = series.plan
    return Conditions(
        plan.mode, plan.started_at, series.versions, series.clock_health_ms,
        trials=rounds_text(rounds_of(series.trials)), condition=condition_words(plan.condition),
    )  # fmt: skip


def condition_words(condition: Condition) -> str:
    """Cold or warm, in words."""
    return {Condition.COLD: _("cold prompt"), Condition.WARM: _("warm prompt")}[condition]


def backend_facts(backend: Backend, own: Sequence[Trial]) -> Facts:
    """What made the tokens of these trials and who counted them."""
    return made_by(backend, source_of(own))


def source_of(own: Sequence[Trial]) -> str:
    """Who counted the output tokens of these trials."""
    counted = [figure for trial in own if isinstance(figure := trial.figures["output_tokens"], Quantity)]
    return counted_by([ESTIMATED in figure.marks for figure in counted])


def footer(series: Measured) -> str:
    """All of it on one line for a file; the badges are told there."""
    lanes = [
        backend_facts(backend, trials_of(series.trials, place))[1:]
        for place, backend in enumerate(series.plan.backends)
    ]
    return in_words((*common_facts(lanes), *shared_facts(conditions_of(series))))
