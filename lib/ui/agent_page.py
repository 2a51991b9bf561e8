"""The agent page: trace, backends, Start and Stop, and the tasks while they run.

A fragment looks at the loop twice a second; nothing waits for it, and it goes on when the page is left.
"""

from __future__ import annotations

import streamlit as st

from lib.agents.loop import LoopRun
from lib.agents.record import run_of
from lib.domain.run import Run
from lib.i18n import _
from lib.ui import agent_results, agent_setup, race_settings, race_setup, state
from lib.ui.agent_tasks import kept_tasks, predictions, tasks_of
from lib.ui.downloads import show_downloads
from lib.ui.lineup import show_lineup
from lib.ui.markdown import plain

POLL_S = 0.5
MOST_STEPS = 200


def show_controls() -> None:
    """Trace, steps, person, backends; while a loop runs only Stop works."""
    agent_setup.begin()
    loop = agent_setup.current()
    running = loop is not None and loop.is_running
    choice, action = st.columns([8, 1.5], gap="small", vertical_alignment="bottom")
    with choice:
        _show_trace(running)
    with action:
        _show_action(running)
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="lineup_row"
    ):
        show_lineup(running)
        with st.popover(_("Settings"), disabled=running, type="tertiary", key="settings_popover"):
            race_settings.show_settings(race_setup.backends())
    notice = state.notice()
    if notice:
        st.warning(plain(notice))


def show_tasks() -> None:
    """The loop on screen, or what the closed form says before there is one."""
    loop = agent_setup.current()
    if loop is not None and loop.is_running:
        _show_running(loop)
        return
    kept = agent_setup.kept() if loop is None else None
    if kept is not None and _show_kept(kept):
        return
    trace = agent_setup.trace() if loop is None else loop.plan.trace
    tasks = predictions(trace, race_setup.lineup()) if loop is None else tasks_of(loop)
    agent_results.show_headline(tasks, trace)
    agent_results.show_times(tasks, trace, "predicted" if loop is None else loop.plan.id)
    agent_results.show_six(tasks)
    if loop is not None:
        _show_files(loop)
    agent_results.show_bottleneck(tasks, trace)
    agent_results.show_worth(tasks, trace)


def _show_kept(run: Run) -> bool:
    """A loop from the history as it was; whether the run is one."""
    tasks, trace = kept_tasks(run)
    if not tasks:
        return False
    agent_results.show_kept_headline(tasks, run)
    agent_results.show_times(tasks, trace, run.id)
    agent_results.show_six(tasks)
    show_downloads(run, None)
    st.button(_("Back to the prediction"), key="agent_back", type="tertiary", on_click=agent_setup.leave)
    agent_results.show_bottleneck(tasks, trace)
    agent_results.show_worth(tasks, trace)
    return True


@st.fragment(run_every=POLL_S)
def _show_running(loop: LoopRun) -> None:
    if not loop.is_running:
        st.rerun()
    tasks = tasks_of(loop)
    agent_results.show_headline(tasks, loop.plan.trace)
    with st.container(horizontal=True, gap="small"):
        for lane, task in enumerate(tasks):
            if task.waits_for_person:
                label = _("Approve step {n} of {name}").format(n=len(task.times), name=task.name)
                st.button(plain(label), key=f"approve_{lane}", on_click=agent_setup.approve, args=(lane,))
    agent_results.show_times(tasks, loop.plan.trace, loop.plan.id)
    agent_results.show_six(tasks)


def _show_trace(running: bool) -> None:
    known = agent_setup.traces()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="agent_plan"):
        st.selectbox(
            _("Task"), list(known), key=agent_setup.TRACE, format_func=lambda id_: plain(known[id_].name),
            disabled=running, persist_state="session", on_change=agent_setup.take_steps, width=240,
        )  # fmt: skip
        st.number_input(
            _("Steps"), 1, MOST_STEPS, key=agent_setup.STEPS, step=1, disabled=running, persist_state="session",
            width=120,
        )  # fmt: skip
        st.toggle(
            _("A person approves"), key=agent_setup.PAUSES, disabled=running, persist_state="session",
            help=_("The loop really waits for your button where the task has a review; else for the set time."),
        )  # fmt: skip
        with st.popover(_("Own trace"), disabled=running, key="agent_own"):
            st.caption(_("JSON lines (docs/agents.md), or exported OpenTelemetry spans with gen_ai attributes."))
            st.file_uploader(
                _("Trace file"), ["jsonl", "json"], key=agent_setup.UPLOAD, on_change=agent_setup.take_upload,
                label_visibility="collapsed",
            )  # fmt: skip


def _show_action(running: bool) -> None:
    if running:
        st.button(_("Stop"), key="stop", on_click=agent_setup.stop, width="stretch")
        return
    again = agent_setup.current() is not None
    st.button(
        _("Run again") if again else _("Start"), key="start", type="primary", on_click=agent_setup.start,
        width="stretch",
    )  # fmt: skip


def _show_files(loop: LoopRun) -> None:
    run = run_of(loop)
    if run is None:
        st.caption(_("Nothing was asked, so there is no recording."))
        return
    st.caption(_("Kept in the history like a race, one lane for each request."))
    show_downloads(run, None)
    st.button(_("Back to the prediction"), key="agent_back", type="tertiary", on_click=agent_setup.leave)
