"""The live stage: mounts the player as a component and passes on what its buttons say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from lib import player
from lib.domain.run import Backend, Run
from lib.player.words import words
from lib.ui import state
from lib.ui.wiring import hub, keeper

_JS, _CSS = player.source()
_mount = st.components.v2.component("tokenrace.stage", js=_JS, css=_CSS)
KEY, LAG = "stage", "display_lag"


def show_stage(
    run: Run | None,
    backends: tuple[Backend, ...],
    reader: dict[str, Any],
    on_command: Callable[[dict[str, object] | None], None],
) -> None:
    """Draw the lanes of `run`, or of the line-up before the first race.

    The stage is mounted before Start and keeps its place, so the first text is not held up by mounting.
    """
    shown = backends if run is None else run.backends
    data = {
        "run": run.id if run is not None else None,
        "path": "race/ws/",
        "lanes": _lanes(shown),
        "reader": reader,
        "words": words(),
    }
    _mount(
        key=KEY,
        data=data,
        on_finished_change=_remember_lag,
        on_command_change=lambda: on_command(state.component_value(KEY, "command")),
    )


def seen(run: Run) -> Run:
    """The run with the display lag of this visitor's screen, if it was followed there to its end."""
    return _with_lag(run, state.value(LAG, None))


def _remember_lag() -> None:
    """A race has ended on this screen: the page runs again, and it is kept how late the screen was."""
    told = state.component_value(KEY, "finished")
    if told is None or "display_lag_ms" not in told:
        return
    state.put(LAG, told)
    live, history = hub().get(str(told.get("run"))), keeper()
    lag_ms = _with_lag(live.run, told).display_lag_ms if live is not None else None
    if live is not None and history is not None and lag_ms is not None:
        history.on_seen(live.run.id, lag_ms)


def _with_lag(run: Run, told: dict[str, Any] | None) -> Run:
    lag_ms = told["display_lag_ms"] if told is not None and told.get("run") == run.id else None
    return replace(run, display_lag_ms=round(float(lag_ms), 1)) if isinstance(lag_ms, int | float) and lag_ms >= 0 else run


def show_replay(
    key: str, backends: tuple[Backend, ...], messages: list[str], reader: dict[str, Any], plays: int = 0
) -> None:
    """Draw kept messages with the controls of a replay; it stands at its result until Play is pressed.

    `plays`: how often it was begun from outside; each further one plays it from its start.
    """
    data = {
        "mode": "replay",
        "plays": plays,
        "messages": messages,
        "lanes": _lanes(backends),
        "reader": reader,
        "words": words(),
    }
    _mount(key=state.component_key(f"{KEY}-{key}"), data=data, on_finished_change=_nothing, on_command_change=_nothing)


def _lanes(backends: tuple[Backend, ...]) -> list[dict[str, str]]:
    return [{"name": b.name, "model": b.model, "origin": b.origin.value, "note": b.note} for b in backends]


def _nothing() -> None:
    """A trigger alone makes the page run again; there is nothing more to do."""
