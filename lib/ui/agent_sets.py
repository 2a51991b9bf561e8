"""Prompt sets on the agent page: a file, a concurrency, Start and Stop, and what each backend made of it."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import pandas as pd
import streamlit as st

from lib import numbers
from lib.agents.desk import Desk, TooManyTasks
from lib.agents.prompt_set import PromptSetError, read_prompt_set
from lib.agents.set_run import MOST_CONCURRENCY, SetPlan, SetRun
from lib.agents.set_state import StateFile, state_path
from lib.agents.set_summary import SetSummary, summary_of
from lib.charts.result_lanes import names_apart
from lib.i18n import _
from lib.metrics.cost import as_decimal
from lib.metrics.quantity import Figure, Quantity, Unavailable
from lib.provenance import badge_word
from lib.store.location import data_folder
from lib.ui import agent_setup, race_settings, state
from lib.ui.markdown import plain
from lib.ui.race_settings import ParamsError

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
        if state.value(ANEW, False):
            kept.forget()
        plan = SetPlan(
            secrets.token_urlsafe(16), questions, backends, params, int(state.value(CONCURRENCY, 4)),
            bool(state.value(AT_ONCE, False)),
        )  # fmt: skip
        desk.start(plan.id, SetRun(plan, agent_setup.access_of(ready), kept))
        state.put(_SET, plan.id)
        state.ask(_SET, plan.id)
    except (PromptSetError, ParamsError) as error:
        state.leave_notice(_("Not started: {reason}").format(reason=error))
    except TooManyTasks:
        state.leave_notice(_("Not started: so many tasks run already that another would disturb them."))
    except OSError as error:
        state.leave_notice(_("The data folder cannot be used: {reason}").format(reason=error.strerror))


def stop() -> None:
    """Stop the set on screen; what was answered stays."""
    run = current()
    if run is not None:
        run.stop()


def _show_choice(running: bool) -> None:
    state.begin(CONCURRENCY, 4)
    st.file_uploader(
        _("Questions"), ["jsonl", "csv"], key=FILE, label_visibility="collapsed", disabled=running
    )
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
    names = [f"{name}, {badge_word(backend.origin)}"
             for name, backend in zip(names_apart(run.plan.backends), run.plan.backends, strict=True)]  # fmt: skip
    rows = [{_("Backend"): name, **_row(one)} for name, one in zip(names, found, strict=True)]
    st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
    early = {
        "stopped": _("Stopped; run the set again to go on."), "cap": _("The spend cap was reached."),
        "fault": _("The set could not go on; the server's log says why."),
    }  # fmt: skip
    if run.ended_early and not run.is_running:
        st.info(early[run.ended_early])
    reasons = {f.reason for one in found for f in (one.wall_s, one.output_tok_s, one.cost, one.p90_s)
               if isinstance(f, Unavailable)}  # fmt: skip
    if reasons:
        st.caption(plain("– " + " ".join(sorted(reasons))))


def _row(one: SetSummary) -> dict[str, str]:
    spread = one.seconds
    per_question = "–" if isinstance(spread, Unavailable) else _("{median} ({least} to {most})").format(
        median=numbers.seconds(spread.median), least=numbers.seconds(spread.least), most=numbers.seconds(spread.most)
    )  # fmt: skip
    return {
        _("Answered"): f"{numbers.whole(one.answered)} / {numbers.whole(one.of)}",
        _("Wall time"): _text(one.wall_s, lambda q: numbers.seconds(float(q.value))),
        _("Throughput"): _text(one.output_tok_s, lambda q: numbers.rate(float(q.value))),
        _("Cost"): _text(one.cost, lambda q: numbers.money(as_decimal(q), q.unit)),
        _("Errors"): numbers.whole(one.failed),
        _("Retries"): numbers.whole(one.retries),
        _("Per question"): per_question,
        _("p90"): _text(one.p90_s, lambda q: numbers.seconds(float(q.value))),
    }


def _text(figure: Figure, text: Callable[[Quantity], str]) -> str:
    return "–" if isinstance(figure, Unavailable) else text(figure)
