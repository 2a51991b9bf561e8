"""One kept run: its replay on the stage, tags and notes, results and files."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lib.agents.record import is_loop
from lib.domain.run import Run
from lib.export.view_messages import view_messages
from lib.i18n import _
from lib.provenance import date_words
from lib.store.rows import NoSuchRunError, RunRow
from lib.store.store import Store
from lib.ui import history_state, race_setup, state, trials_setup
from lib.ui.downloads import show_downloads
from lib.ui.kept_loop import show_loop_replay, show_loop_result
from lib.ui.markdown import plain
from lib.ui.results import show_results
from lib.ui.series_downloads import show_series_files
from lib.ui.share import show_link
from lib.ui.stage import show_replay
from lib.ui.trials_page import show_end
from lib.ui.trials_results import show_results as show_trials
from lib.ui.wiring import store

TAGS, NOTES = "kept_tags", "kept_notes"
ROUND_PX = 240
PAGES = Path(__file__).resolve().parents[2] / "pages"
PAGE, TRIALS = PAGES / "agent_loop.py", PAGES / "trials.py"


def show_kept() -> bool:
    """The opened run; False when none is open."""
    run_id, known = history_state.opened(), store()
    if run_id is None or known is None:
        return False
    series_id = history_state.series_of(run_id)
    back = _("Back to the trials") if series_id else _("Back to the list")
    st.button(back, key="kept_back", on_click=history_state.open_run, args=(series_id,))
    try:
        run, row = known.open(run_id), known.row(run_id)
    except NoSuchRunError:
        st.warning(_("This race is not in the history any more."))
        return True
    if row.series is not None:
        _show_series(known, row)
        return True
    if is_loop(run):
        _show_loop(known, run, row)
        return True
    st.caption(plain(f"{date_words(run.started_at)} · {_(run.mode.value)} · {run.prompt.text[:200]}"))
    messages = view_messages(run, race_setup.reading_speed())
    show_replay(run.id, run.backends, messages, race_setup.reader_for_player())
    _show_words(known, row).button(
        _("Race this again"), key="kept_again", on_click=_again, args=(row,), width="stretch"
    )
    show_results(run, race_setup.reading_speed())
    show_downloads(run, race_setup.reading_speed())
    show_link(run)
    return True


def _show_loop(known: Store, run: Run, row: RunRow) -> None:
    """A loop as the loop it was, and the way to its own page."""
    show_loop_replay(run)
    _show_words(known, row).page_link(
        PAGE, label=_("Open as a loop"), help=_("With what a faster model would buy, on its own page."),
        query_params={"loop": run.id},
    )  # fmt: skip
    show_loop_result(run)


def _show_series(known: Store, row: RunRow) -> None:
    """What a series of trials gave, and the way to its own page."""
    st.caption(plain(f"{row.prompt[:200]}"))
    _show_words(known, row).page_link(
        TRIALS, label=_("Open as trials"), help=_("With the claims that it supports, on its own page."),
        query_params={"series": row.id},
    )  # fmt: skip
    series = trials_setup.kept(row.id)
    if series is not None:
        _show_rounds(known, row)
        show_end(series.progress)
        show_trials(series, trials_setup.goals())
        show_series_files(series)


def _show_rounds(known: Store, row: RunRow) -> None:
    """The way to the replay of each round."""
    rounds = dict(known.rounds(row.id))
    told = {run_id: _("Round {n}").format(n=n) if n else _("Warm-up") for n, run_id in rounds.items()}
    st.selectbox(
        _("Replay a round"), list(told), index=None, key=history_state.ROUND, format_func=lambda run_id: told[run_id],
        on_change=history_state.open_round, args=(row.id,), width=ROUND_PX, placeholder=_("which"),
    )  # fmt: skip


def _show_words(known: Store, row: RunRow) -> DeltaGenerator:
    """Tags and notes; returns the place beside them."""
    state.put_once(TAGS, row.id, list(row.tags))
    state.put_once(NOTES, row.id, row.notes)
    tags, notes, again = st.columns([2, 4, 1.2], vertical_alignment="bottom")
    with tags:
        st.multiselect(
            _("Tags"), sorted({*known.tags(), *row.tags}), key=TAGS, accept_new_options=True,
            on_change=lambda: known.tag(row.id, state.value(TAGS, [])),
        )  # fmt: skip
    with notes:
        st.text_input(_("Notes"), key=NOTES, on_change=lambda: known.note(row.id, state.value(NOTES, "")))
    return again


def _again(row: RunRow) -> None:
    known = store()
    if known is not None:
        state.put(state.PROMPT, known.open(row.id).prompt.text)
    state.set_lineup(tuple(lane.backend_id for lane in row.lanes))
    state.leave_notice(_("Prompt and backends are set on the Race page."))
