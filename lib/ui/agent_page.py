"""The agent page: trace, backends, Start and Stop, and the tasks while they run.

A fragment looks at the loop twice a second; nothing waits for it, and it goes on when the page is left.
"""

from __future__ import annotations

import streamlit as st

from lib.agents.loop import LoopRun
from lib.agents.record import run_of
from lib.agents.tasks import headline, predictions, task_in_words, tasks_of, turns_in_words
from lib.agents.trace import MOST_BYTES, MOST_STEPS
from lib.i18n import _
from lib.ui import agent_results, agent_setup, race_settings, race_setup, state
from lib.ui.kept_loop import show_loop_lessons, show_loop_replay, show_loop_result
from lib.ui.lineup import show_lineup
from lib.ui.markdown import plain
from lib.ui.stage import show_stage
from lib.ui.watching import watch

POLL_S = 0.5


def show_controls() -> None:
    """Trace, steps, person, backends; while a loop runs only Stop works."""
    agent_setup.begin()
    loop = agent_setup.current()
    running = loop is not None and loop.is_running
    choice, action = st.columns([8, 1.5], gap="small", vertical_alignment="bottom")
    with choice:
        _show_trace(running)
    with action, st.container(key="agent_action"):
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
    """The loop on screen, one from the history, or what the closed form says before there is one."""
    loop = agent_setup.current()
    if loop is not None:
        _show_loop(loop)
        return
    kept = agent_setup.kept()
    if kept is not None:
        show_loop_replay(kept)
        show_loop_result(kept)
        _show_way_back()
        show_loop_lessons(kept)
        return
    trace = agent_setup.trace()
    tasks = predictions(trace, race_setup.lineup())
    agent_results.show_headline(tasks, trace)
    agent_results.show_times(tasks, trace, "predicted")
    agent_results.show_six(tasks, "predicted")
    agent_results.show_bottleneck(tasks, trace)
    agent_results.show_worth(tasks, trace)


def _show_loop(loop: LoopRun) -> None:
    """The streams first; below them where the time goes, while it runs and after."""
    shown = agent_setup.lanes_of(loop.plan)
    if loop.plan.pauses and loop.is_running:
        _show_approvals(loop)
    show_stage(shown, shown.backends, race_setup.reader_for_player(), on_command=agent_setup.obey)
    if loop.is_running:
        _show_running(loop)
        return
    run = run_of(loop)
    if run is None:
        st.caption(_("Nothing was asked, so there is no recording."))
        _show_way_back()
        return
    trace = loop.plan.trace
    kept = _("Kept in the history like a race.")
    st.caption(plain(f"{task_in_words(trace)}. {kept}"))
    show_loop_result(run, trace)
    _show_way_back()
    show_loop_lessons(run, trace)


def _show_way_back() -> None:
    st.button(_("Back to the prediction"), key="agent_back", type="tertiary", on_click=agent_setup.leave)


@st.fragment(run_every=POLL_S)
def _show_approvals(loop: LoopRun) -> None:
    """Above the streams, where a person sees at once that they are waited for; the row keeps its place."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="agent_approvals"):
        waiting = [(lane, task) for lane, task in enumerate(tasks_of(loop)) if task.waits_for_person]
        if not waiting:
            st.caption(_("Nobody waits for you."), width="content")
        for lane, task in waiting:
            label = _("Approve step {n} of {name}").format(n=len(task.times), name=task.name)
            st.button(plain(label), key=f"approve_{lane}", on_click=agent_setup.approve, args=(lane,))


@st.fragment(run_every=POLL_S)
def _show_running(loop: LoopRun) -> None:
    if not loop.is_running:
        st.rerun()
    if loop.grace is not None:
        watch(loop.grace)
    tasks = tasks_of(loop)
    st.caption(plain(" ".join(word for word in (headline(tasks), turns_in_words(tasks)) if word)))
    agent_results.show_times(tasks, loop.plan.trace, loop.plan.id)
    agent_results.show_six(tasks, loop.plan.id)


def _show_trace(running: bool) -> None:
    known = agent_setup.traces()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="agent_plan"):
        st.selectbox(
            _("Task"), list(known), key=agent_setup.TRACE, format_func=lambda id_: known[id_].name,
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
                max_upload_size=MOST_BYTES // 2**20, label_visibility="collapsed",
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
