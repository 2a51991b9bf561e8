"""The Trials page: what is asked how often, Start and Stop, and the series while it runs.

A fragment looks at the series every two seconds; nothing here waits for it, and it goes on when the page is left.
"""

from __future__ import annotations

import streamlit as st

from lib import numbers
from lib.charts.result_lanes import names_apart
from lib.i18n import _, ngettext
from lib.provenance import mode_words
from lib.trials.how import condition_words
from lib.trials.plan import Condition
from lib.trials.progress import Progress
from lib.trials.runner import Series
from lib.ui import race_settings, race_setup, state, trials_setup
from lib.ui.lineup import show_lineup
from lib.ui.markdown import plain
from lib.ui.series_downloads import show_series_files
from lib.ui.trials_results import show_results

POLL_S = 2.0


def show_controls() -> bool:
    """Prompt, backends, rounds and limits; while a series runs only Stop works. Whether one was drawn as running."""
    trials_setup.begin()
    series = trials_setup.current()
    running = series is not None and series.progress.is_running
    prompt, action = st.columns([8, 1.5], gap="small", vertical_alignment="top")
    with prompt:
        st.text_area(
            _("Prompt"), key=state.PROMPT, height=68, label_visibility="collapsed", persist_state="session",
            placeholder=_("What every backend is asked"),
        )  # fmt: skip
    with action:
        _show_action(running)
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="lineup_row"
    ):
        show_lineup(running)
        _show_more(running)
    _show_plan(running)
    notice = state.notice()
    if notice:
        st.warning(plain(notice))
    return running


def show_series(running: bool) -> None:
    """The series on screen: progress while it runs, and what it gave so far.

    `running` is what the controls were drawn with: a series that ended in between draws the page anew.
    """
    series = trials_setup.current()
    if series is None:
        st.caption(_(
            "Each round asks every backend once, in random order; a round is what is compared. Three rounds are the "
            "fewest that allow a comparison, ten tell apart what differs by a third, twenty what differs by a fifth."
        ))  # fmt: skip
    elif running and isinstance(series, Series):
        _show_running(series)
    else:
        show_end(series.progress)
        show_results(series, trials_setup.goals())
        show_series_files(series)


@st.fragment(run_every=POLL_S)
def _show_running(series: Series) -> None:
    progress = series.progress
    if not progress.is_running:
        st.rerun()
    st.progress(progress.done / max(1, progress.total), text=plain(progress_words(progress, series)))
    show_results(series, trials_setup.goals())


def progress_words(progress: Progress, series: Series) -> str:
    """Where it is, how long it will take, and who is being asked."""
    names = names_apart(series.plan.backends)
    place = _("Round {round} of {rounds}").format(round=progress.round, rounds=progress.rounds)
    parts = [
        place if progress.round or not series.plan.has_warm_up else _("Warm-up"),
        _("{done} of {total} requests").format(done=progress.done, total=progress.total),
        _("time left is known after the first round")
        if progress.left_s is None
        else _("about {time} left").format(time=numbers.clock(progress.left_s * 1000)),
    ]
    if progress.asking:
        asked = ", ".join(names[place] for place in sorted(progress.asking))
        parts.append(_("asking {names}").format(names=asked))
    return " · ".join(parts)


def show_end(progress: Progress) -> None:
    """Why a series ended before its plan was carried out; nothing when it was."""
    words = {
        "stopped": _("Stopped after {done} of {total} requests; what was measured until then stays."),
        "unwatched": _("Nobody watched any more, so it was stopped after {done} of {total} requests; what was measured stays."),
        "interrupted": _("Tokenrace ended after {done} of {total} requests; what was measured until then stays."),
        "elsewhere": _("Another Tokenrace carries this out; {done} of {total} requests were done when this page was drawn."),
        "cap": _("The spend cap was reached after {done} of {total} requests; what was measured until then stays."),
        "fault": _("The series could not go on after {done} of {total} requests; the server's log says why."),
    }  # fmt: skip
    if progress.ended_early:
        st.info(words.get(progress.ended_early, words["fault"]).format(done=progress.done, total=progress.total))


def _show_action(running: bool) -> None:
    if running:
        st.button(_("Stop"), key="stop", on_click=trials_setup.stop, width="stretch")
        return
    again = trials_setup.current() is not None
    st.button(
        _("Try again") if again else _("Start"), key="start", type="primary", on_click=trials_setup.start,
        width="stretch",
    )  # fmt: skip


def _show_plan(running: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="trials_plan"):
        st.number_input(
            _("Rounds"), trials_setup.FEWEST_ROUNDS, trials_setup.MOST_ROUNDS, key=trials_setup.ROUNDS, step=1,
            disabled=running, persist_state="session", width=130,
        )  # fmt: skip
        st.segmented_control(
            _("Prompt cache"), [one.value for one in Condition], key=trials_setup.CONDITION, required=True,
            format_func=lambda value: condition_words(Condition(value)), disabled=running, persist_state="session",
            help=_("Cold: a random word in front of the prompt, so that no cache can know it. "
                   "Warm: the same prompt each time. The two are never mixed."),
        )  # fmt: skip
        modes = {mode.value: mode_words(mode) for mode in trials_setup.MODES}
        st.segmented_control(
            _("Requests"), list(modes), key=trials_setup.MODE, required=True, format_func=lambda value: modes[value],
            disabled=running, persist_state="session",
            help=_("Requests that share a machine would slow each other down; they wait for each other."),
        )  # fmt: skip
        st.toggle(
            _("Warm-up first"), key=trials_setup.WARM_UP, disabled=running, persist_state="session",
            help=_("One short request to each backend opens its connection and is discarded."),
        )  # fmt: skip
        _show_goals()


def _show_goals() -> None:
    with st.popover(_("Good enough means"), key="trials_goals"):
        st.caption(_("The share of trials that keep all of these is shown; an empty field does not matter."))
        for label, key, step in (
            (_("First answer token within (ms)"), trials_setup.TTFAT_MS, 100.0),
            (_("No silence above (ms)"), trials_setup.STALL_MS, 100.0),
            (_("The reader waits for text at most (s)"), trials_setup.STARVED_S, 0.5),
        ):
            st.number_input(
                label,
                0.0,
                None,
                step=step,
                key=key,
                persist_state="session",
                placeholder=_("does not matter"),
            )


def _show_more(running: bool) -> None:
    rounds = int(state.value(trials_setup.ROUNDS, trials_setup.DEFAULT_ROUNDS))
    spend = race_setup.spend_in_words()
    tokens = state.value(race_settings.MAX_TOKENS, race_settings.DEFAULT_MAX_TOKENS)
    told = _("{tokens} tokens").format(tokens=tokens)
    if spend:
        each = ngettext("{n} round, each {spend}", "{n} rounds, each {spend}", rounds)
        told = f"{told} · {plain(each.format(n=rounds, spend=spend))}"
    with st.popover(told, disabled=running, type="tertiary", key="settings_popover"):
        race_settings.show_settings(race_setup.backends())
