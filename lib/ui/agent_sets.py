"""Prompt sets on the agent page: a file, a concurrency, Start and Stop, and what each backend made of it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from lib import numbers
from lib.agents.desk import Desk, TooManyTasks
from lib.agents.prompt_set import MOST_BYTES, PromptSetError, read_prompt_set
from lib.agents.set_run import MOST_CONCURRENCY, SetPlan, SetRun
from lib.agents.set_state import StateFile, state_path
from lib.agents.set_summary import summary_of
from lib.agents.set_table import set_table
from lib.backends.catalogue import Offer
from lib.domain.events import Status
from lib.domain.run import Mode, new_id
from lib.grace import Grace, grace_s
from lib.i18n import _, ngettext
from lib.own_lines import data_folder
from lib.provenance import Conditions
from lib.ui import agent_results, agent_setup, race_settings, race_setup, state
from lib.ui.markdown import plain
from lib.ui.race_settings import ParamsError
from lib.ui.table import show_texts
from lib.ui.watching import watch

POLL_S = 1.0
FILE, CONCURRENCY, AT_ONCE, ANEW = "set_file", "set_concurrency", "set_at_once", "set_anew"
_SET = "set"

desk: Desk[SetRun] = Desk()


def show_sets() -> None:
    """The file and its settings, and the set on screen."""
    st.markdown(f"#### {_('Prompt sets')}", anchors=False)
    st.caption(_(
        "A file of questions (JSON lines or CSV, docs/agents.md) through each backend above. A set that was stopped "
        "goes on where it was."
    ))  # fmt: skip
    run = current()
    running = run is not None and run.is_running
    _show_choice(running)
    if run is None:
        return
    if running:
        _show_running(run)
    else:
        _show_outcome(run)
        _show_remarks(run)


def current() -> SetRun | None:
    """The set on screen: from the address, or from before a page switch."""
    return desk.get(state.asked(_SET) or state.value(_SET, None))


def start() -> None:
    """Start the chosen file with the chosen backends; what hinders it becomes a notice."""
    given = state.value(FILE, None)
    if given is None:
        state.leave_notice(_("Choose a file of questions first."))
        return
    ready = agent_setup.ready_offers()
    if not ready:
        return
    try:
        questions = read_prompt_set(given.name, given.getvalue())
        params, backends = race_settings.params(), tuple(offer.backend for offer in ready)
        kept = StateFile(state_path(data_folder(), questions.digest, backends, params))
        if _shows_running(kept):
            return
        if state.value(ANEW, False):
            kept.forget()
        plan = SetPlan(
            new_id(), questions, backends, params, int(state.value(CONCURRENCY, 4)),
            bool(state.value(AT_ONCE, False)),
        )  # fmt: skip
        _begin(plan, ready, kept)
    except (PromptSetError, ParamsError) as error:
        state.leave_notice(_("Not started: {reason}").format(reason=error))
    except OSError as error:
        state.leave_notice(_("The data folder cannot be used: {reason}").format(reason=error.strerror))


def ask_again() -> None:
    """Ask once more what the set on screen could not get answered, with the keys and limits of now."""
    run = current()
    if run is None or run.is_running:
        return
    known = race_setup.offers()
    ready = [known[backend.id] for backend in run.plan.backends if backend.id in known]
    absent = [offer for offer in ready if offer.absent]
    if absent or len(ready) < len(run.plan.backends):
        state.leave_notice(absent[0].absent if absent else _("A backend of this set is not on offer any more."))
        return
    if _shows_running(run.state):
        return
    _begin(replace(run.plan, id=new_id()), ready, run.state, failed_again=True)


def _shows_running(kept: StateFile) -> bool:
    """Whether the same questions are being asked by another page: then that is shown, nothing is asked twice."""
    other = desk.running(lambda run: run.state.path == kept.path)
    if other is not None:
        _show(other.plan.id)
    return other is not None


def _show(id_: str) -> None:
    state.put(_SET, id_)
    state.ask(_SET, id_)


def _begin(plan: SetPlan, ready: list[Offer], kept: StateFile, *, failed_again: bool = False) -> None:
    access, grace = agent_setup.access_of(ready), Grace(grace_s())
    try:
        desk.start(plan.id, SetRun(plan, access, kept, grace=grace, failed_again=failed_again))
    except TooManyTasks:
        state.leave_notice(_("Not started: so many tasks run already that another would disturb them."))
        return
    _show(plan.id)


def stop() -> None:
    """Stop the set on screen; what was answered stays."""
    run = current()
    if run is not None:
        run.stop()


def _show_choice(running: bool) -> None:
    state.begin(CONCURRENCY, 4)
    st.file_uploader(
        _("Questions"), ["jsonl", "csv"], key=FILE, max_upload_size=MOST_BYTES // 2**20,
        label_visibility="collapsed", disabled=running,
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.number_input(
            _("At the same time, per backend"), 1, MOST_CONCURRENCY, key=CONCURRENCY, disabled=running, width=220
        )
        st.toggle(_("All backends at once"), key=AT_ONCE, disabled=running,
                  help=_("Off: one backend after another, so that none takes time from another."))  # fmt: skip
        st.toggle(_("Begin anew"), key=ANEW, disabled=running,
                  help=_("Forget what an earlier run of this file with these backends has answered."))  # fmt: skip
        if running:
            st.button(_("Stop the set"), key="set_stop", on_click=stop)
        else:
            st.button(_("Run the set"), key="set_start", on_click=start)


@st.fragment(run_every=POLL_S)
def _show_running(run: SetRun) -> None:
    if not run.is_running:
        st.rerun()
    if run.grace is not None:
        watch(run.grace)
    _show_outcome(run)


def _show_outcome(run: SetRun) -> None:
    places = range(len(run.plan.backends))
    done = sum(len(run.outcomes(place)) for place in places)
    told = _("{name}: {done} of {total} answers").format(
        name=run.plan.questions.name, done=numbers.whole(done), total=numbers.whole(run.total)
    )
    if run.resumed:
        told += _(", {n} of them from before").format(n=numbers.whole(run.resumed))
    st.progress(done / max(1, run.total), text=plain(told))
    of = len(run.plan.questions.questions)
    found = [summary_of(run.outcomes(place), of, run.wall_s(place)) for place in places]
    table = set_table(run.plan.backends, found, agent_results.look().theme, _conditions(run))
    show_texts(table, f"set-{run.plan.id}")
    if run.waits_in_turn:
        st.caption(_("Backends of this machine are asked one after another all the same, as they share it."))


def _conditions(run: SetRun) -> Conditions:
    """How the answers of a set were asked for."""
    at_once = run.plan.at_once
    told = _("{n} at a time for each backend, all backends at once") if at_once else _("{n} at a time, backend by backend")
    return Conditions(
        Mode.ALL_AT_ONCE if at_once else Mode.ONE_BY_ONE, "", run.versions, run.clock_health_ms,
        trials=_("one for each question"), requests=told.format(n=numbers.whole(run.plan.concurrency)),
        condition=_("warm connections; what the server caches of a prompt is its own"),
    )  # fmt: skip


def _show_remarks(run: SetRun) -> None:
    """Why it ended early, and the way to ask again what failed."""
    early = {
        "stopped": _("Stopped; run the set again to go on."), "cap": _("The spend cap was reached."),
        "unwatched": _("Stopped, since nobody watched; run the set again to go on."),
        "fault": _("The set could not go on; the server's log says why."),
    }  # fmt: skip
    if run.ended_early:
        st.info(early[run.ended_early])
    outcomes = (one for place in range(len(run.plan.backends)) for one in run.outcomes(place))
    failed = sum(one.status != Status.COMPLETE.value for one in outcomes)
    if failed:
        st.button(
            ngettext("Ask the failed one again", "Ask the {n} failed ones again", failed).format(n=numbers.whole(failed)),
            key="set_again", on_click=ask_again, help=_("Their attempts are counted on as retries."),
        )  # fmt: skip
