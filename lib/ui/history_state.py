"""What the visitor looks at on the History page: filters, page, selection, the opened run."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from lib.domain.run import Mode, Origin
from lib.store.rows import Filter
from lib.ui import state

TEXT, BACKEND, PROMPT, MODE, ORIGIN, STATUS, TAG, SINCE, UNTIL, DELETED, PAGE = (
    f"history_{name}"
    for name in ("text", "backend", "prompt", "mode", "origin", "status", "tag", "since", "until", "deleted", "page")
)
MORE = (PROMPT, MODE, ORIGIN, TAG, SINCE, UNTIL, DELETED)  # filters that stand behind a button
OPENED, UNDO, COMPARED = "history_opened", "history_undo", "history_compared"
ROUND, ROUND_OF = "history_round", "history_round_of"
ROWS_PER_PAGE = 25
STATUSES = ("complete", "incomplete", "error", "stopped", "interrupted", "running")


def wanted() -> Filter:
    """The filter as the widgets stand."""
    mode, origin = state.value(MODE, None), state.value(ORIGIN, None)
    return Filter(
        text=str(state.value(TEXT, "") or ""),
        backend=state.value(BACKEND, None),
        prompt=str(state.value(PROMPT, "") or "") or None,
        since_ms=_ms(state.value(SINCE, None)),
        until_ms=_ms(state.value(UNTIL, None), timedelta(days=1)),
        mode=Mode(mode) if mode else None,
        origin=Origin(origin) if origin else None,
        status=state.value(STATUS, None),
        tag=state.value(TAG, None),
        deleted=bool(state.value(DELETED, False)),
    )


def set_among(filters: tuple[str, ...]) -> int:
    """How many of these filters are set."""
    return sum(bool(state.value(one, None)) for one in filters)


def opened() -> str | None:
    """The run that is open, also from the address."""
    return state.value(OPENED, None) or state.asked("kept")


def open_round(series_id: str) -> None:
    """Open the chosen round of a series, from where one can return to it."""
    run_id = state.value(ROUND, None)
    if run_id is not None:
        state.put(ROUND_OF, (run_id, series_id))
        state.put(ROUND, None)
        open_run(run_id)


def series_of(run_id: str) -> str | None:
    """The series from which this round was opened; None when it is no round, or was opened by its address."""
    found, series_id = state.value(ROUND_OF, (None, None))
    return str(series_id) if found == run_id else None


def open_run(run_id: str | None) -> None:
    """Open a run, or return to the list."""
    state.put(OPENED, run_id)
    state.ask("kept", run_id)


def _ms(day: date | None, later: timedelta = timedelta()) -> int | None:
    return None if day is None else int((datetime.combine(day, time(), UTC) + later).timestamp() * 1000)
