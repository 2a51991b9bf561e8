"""A kept series of trials from the history, and a series as files: a row for each trial, its recordings, its summary.

Figures come from the trials and their summary; nothing is computed here. What is said follows docs/trials.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from lib import numbers
from lib.charts.result_lanes import names_apart
from lib.domain.run import Origin
from lib.export.markdown_table import escaped, table_line
from lib.export.run_tables import figure_cells
from lib.export.tables import Cell, table
from lib.i18n import _
from lib.metrics.quantity import Unavailable
from lib.reading import ReadingSpeed
from lib.store.series_file import series_document
from lib.store.store import Store
from lib.trials.how import Measured, footer, rounds_of, source_of
from lib.trials.kept import KeptSeries, kept_series
from lib.trials.plan import Plan
from lib.trials.summary import (
    COMPARED,
    comparisons,
    counts_of,
    figure_summary,
    told_apart,
    trials_of,
)
from lib.trials.trial import Trial

_UNITS = {"ttfat_ms": "ms", "decode_tok_s": "tok/s", "e2e_tok_s": "tok/s", "whole_ms": "ms"}


def read_series(store: Store, series_id: str, speed: ReadingSpeed | None) -> KeptSeries:
    """The series as it is kept; `speed` None takes each answer's language. Raises NoSuchRunError, RecordingError."""
    record = store.series(series_id)
    return kept_series(record.run, record.plan, record.ended, record.rounds, speed)


def series_json(store: Store, series_id: str) -> bytes:
    """How the series was meant and the recording of each round, in order. Raises NoSuchRunError, RecordingError."""
    return series_document(store.series(series_id))


def trials_csv(series: Measured) -> bytes:
    """One row for each request in the order of ending, warm-ups among them (round 0), with every figure."""
    names = names_apart(series.plan.backends)
    rows = [_row(series, trial, names) for trial in series.trials]
    return table(list(rows[0]) if rows else [], [list(row.values()) for row in rows])


def series_markdown(series: Measured) -> bytes:
    """What may be said of the series: each pair's ratio, medians with range, counts, and how it was made."""
    plan, trials, names = series.plan, series.trials, names_apart(series.plan.backends)
    said = [
        told_apart(one, names[one.a], names[one.b]) for one in comparisons(trials, len(names), COMPARED[0])
    ]
    head = [_("Backend"), _("Origin"), _("Complete"), _("Failed"), *_titles()]
    rows = [_backend_row(plan, trials, place, name) for place, name in enumerate(names)]
    lines = [table_line(head), table_line(["---"] * 2 + ["---:"] * (len(head) - 2)), *map(table_line, rows)]
    parts = [*map(escaped, said), "\n".join(lines), escaped(_made(series))]
    return ("\n\n".join(parts) + "\n").encode("utf-8", "replace")


def _row(series: Measured, trial: Trial, names: Sequence[str]) -> dict[str, Cell]:
    plan = series.plan
    backend = plan.backends[trial.turn.place]
    return {
        "series": plan.id,
        "started_at": plan.started_at,
        "round": trial.turn.round,
        "condition": trial.condition.value,
        "mode": plan.mode.value,
        "name": names[trial.turn.place],
        "origin": backend.origin.value,
        "model": backend.model,
        "status": trial.status.value,
        "failure": trial.failure or None,
        "throttled": "yes" if trial.was_throttled else "no",
        "token_source": source_of([trial]),
        "trials": rounds_of(series.trials),
        "versions": "; ".join(f"{name} {number}" for name, number in series.versions.items()),
        "clock_health_ms": series.clock_health_ms,
        "display_lag_ms": None,  # trials are shown on no stage
        **figure_cells(dict(trial.figures)),
    }


def _titles() -> list[str]:
    titles = {
        "ttfat_ms": _("Time to first answer token (TTFAT)"),
        "decode_tok_s": _("Decode rate"),
        "e2e_tok_s": _("End-to-end rate"),
        "whole_ms": _("Time"),
    }
    return [titles[key] for key in _UNITS]


def _backend_row(plan: Plan, trials: Sequence[Trial], place: int, name: str) -> list[str]:
    own, backend = trials_of(trials, place), plan.backends[place]
    counts = counts_of(own)
    badge = _("live") if backend.origin is Origin.LIVE else f"*{_(backend.origin.value)}*"
    figures = [_spread(own, key) for key in _UNITS]
    return [escaped(name), badge, f"{counts.complete} / {counts.trials}", str(counts.failed), *figures]


def _spread(own: Sequence[Trial], key: str) -> str:
    """Median with range."""
    found = figure_summary(own, key).spread
    if isinstance(found, Unavailable):
        return "–"
    told = [_value(value, key) for value in (found.median, found.least, found.most)]
    return escaped(_("{median} ({least} to {most})").format(median=told[0], least=told[1], most=told[2]))


def _value(value: float, key: str) -> str:
    return numbers.milliseconds(value) if _UNITS[key] == "ms" else numbers.rate(value)


def _made(series: Measured) -> str:
    prompt = _("prompt: “{prompt}”").format(prompt=" ".join(series.plan.prompt.text.split())[:120])
    return " · ".join((_("Measured with Tokenrace"), _("medians with range"), prompt, footer(series)))
