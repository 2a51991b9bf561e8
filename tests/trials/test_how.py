"""A series says how it was made, the same on its page and in its files."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field

from lib.domain.run import Origin
from lib.series_files import series_markdown, trials_csv
from lib.trials.how import backend_facts, conditions_of, footer, source_of
from lib.trials.plan import Condition, Plan
from lib.trials.trial import Trial
from tests.trials.made_trials import backend, made, plan

BACKENDS = (backend("Live"), backend("Sim", Origin.SIMULATED))


@dataclass(frozen=True, slots=True)
class Made:
    """A series of two rounds."""

    plan: Plan = field(default_factory=lambda: plan(*BACKENDS, rounds=2))
    trials: tuple[Trial, ...] = field(
        default_factory=lambda: tuple(made(place, n, 100.0 + n) for n in (1, 2) for place in (0, 1))
    )
    versions: Mapping[str, str] = field(default_factory=lambda: {"tokenrace": "0.1.0", "openai": "3.57"})
    clock_health_ms: float | None = 1.5


def test_the_facts_of_a_series_are_its_rounds_its_condition_and_its_mode() -> None:
    series = Made()
    known = conditions_of(series)
    assert (known.trials, known.mode, known.clock_health_ms) == ("2 rounds", series.plan.mode, 1.5)
    assert known.condition == {Condition.COLD: "cold prompt", Condition.WARM: "warm prompt"}[series.plan.condition]


def test_each_backend_says_what_it_is_and_who_counted() -> None:
    series = Made()
    facts = dict(backend_facts(BACKENDS[1], series.trials))
    assert facts["What it is"].startswith("simulated")
    assert facts["Token source"] == source_of(series.trials)


def test_the_files_of_a_series_hold_every_fact() -> None:
    series = Made()
    text = series_markdown(series).decode().replace("\\", "")
    for fact in ("2 rounds", conditions_of(series).condition, "Tokenrace 0.1.0, openai 3.57", "1.5 ms", "Display lag"):
        assert fact in text
    assert footer(series) in text
    rows = list(csv.DictReader(io.StringIO(trials_csv(series).decode("utf-8-sig"), newline="")))
    assert {row["versions"] for row in rows} == {"tokenrace 0.1.0; openai 3.57"}
    assert {(row["trials"], row["clock_health_ms"], row["display_lag_ms"]) for row in rows} == {("2", "1.5", "")}
    assert all(row["token_source"] and row["condition"] and row["mode"] for row in rows)
