"""A loop that is over or kept: its replay with one lane for each backend, where the time went, the six figures, files.

The Agent loop page and the History show it with the same words. Nothing is asked here.
"""

from __future__ import annotations

import streamlit as st

from lib.agents.record import TAG, tasks_in
from lib.agents.remembered import Remembered
from lib.agents.showing import loop_messages
from lib.agents.tasks import TaskView, kept_tasks
from lib.agents.trace import Trace
from lib.domain.run import Run
from lib.i18n import _, ngettext
from lib.provenance import badge_word
from lib.store.rows import RunRow
from lib.ui import agent_results
from lib.ui.loop_downloads import show_loop_downloads
from lib.ui.markdown import plain
from lib.ui.race_setup import reader_for_player
from lib.ui.stage import show_replay

_TASKS: Remembered[Run, tuple[tuple[TaskView, ...], Trace]] = Remembered(kept_tasks, 4)  # within one run of the page


def loop_in_list(row: RunRow) -> tuple[str, str] | None:
    """What a listed loop is and who did it, for the list of runs; None for any other run."""
    begun = tasks_in([lane.name for lane in row.lanes]) if TAG in row.tags else {}
    if not begun:
        return None
    badges = {name: lane.origin for name in begun for lane in row.lanes if lane.name.startswith(f"{name} · ")}
    steps = max(begun.values())
    what = ngettext("Agent loop, {n} step", "Agent loop, {n} steps", steps).format(n=steps)
    return what, ", ".join(f"{name} ({badge_word(badges[name])})" for name in begun)


def show_loop_replay(run: Run) -> None:
    """The player at the loop's end; Play shows it again."""
    tasks, _trace = _TASKS.of(run)
    when = f"{run.started_at.replace('T', ' ')[:16]} UTC" if run.started_at else _("at an unknown time")
    st.caption(plain(_("From the history, {when}: {task}").format(when=when, task=run.prompt.text)))
    show_replay(run.id, tuple(task.backend for task in tasks), loop_messages(run), reader_for_player())


def show_loop_result(run: Run, trace: Trace | None = None) -> None:
    """Where the time went, the six figures, the files; `trace` None takes what is known from the recording."""
    tasks, known = _TASKS.of(run)
    agent_results.show_times(tasks, trace or known, run.id)
    agent_results.show_six(tasks, run.id)
    show_loop_downloads(run)


def show_loop_lessons(run: Run, trace: Trace | None = None) -> None:
    """What a faster model would have bought, and when it is worth paying for."""
    tasks, known = _TASKS.of(run)
    agent_results.show_bottleneck(tasks, trace or known)
    agent_results.show_worth(tasks, trace or known)
