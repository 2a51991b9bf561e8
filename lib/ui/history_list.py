"""The list of kept runs with search, filters and actions on the chosen ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import streamlit as st

from lib import numbers
from lib.domain.run import Mode, Origin
from lib.i18n import _, ngettext
from lib.provenance import badge_word
from lib.store.importing import digest
from lib.store.rows import LaneRow, Page, RunRow
from lib.store.store import Store
from lib.trials.how import condition_words
from lib.trials.plan import Condition
from lib.trials.summary import rounds_text
from lib.ui import history_state as chosen
from lib.ui import state
from lib.ui.compare import show_comparison
from lib.ui.history_files import show_import
from lib.ui.kept_loop import loop_in_list
from lib.ui.wiring import store

MOST_COMPARED = 8
KEY = "history_table"
WIDE_PX = 280  # of the two long columns, so that the fastest is in sight


def show_history() -> None:
    """Filters, the page of runs, and what can be done with the chosen ones."""
    known = store()
    if known is None:
        return
    _show_filters(known)
    wanted = chosen.wanted()
    number = int(state.value(chosen.PAGE, 1) or 1)
    page = known.page(wanted, (number - 1) * chosen.ROWS_PER_PAGE, chosen.ROWS_PER_PAGE)
    if page.total and not page.rows:  # the filter left fewer pages than the one that was open
        state.put(chosen.PAGE, 1)
        page = known.page(wanted, 0, chosen.ROWS_PER_PAGE)
    _show_undo(known)
    if not page.total:
        st.info(_("No race fits.") if wanted != type(wanted)() else _("No race has been run here yet."))
        show_import(known)
        return
    _show_page(known, page)
    show_import(known)


def _show_filters(known: Store) -> None:
    text, backend, status, more, _rest = st.columns([3, 2, 2, 1.5, 2.5], gap="small", vertical_alignment="bottom")
    with text:
        st.text_input(_("Search"), key=chosen.TEXT, placeholder=_("prompt, backend, tag, note"))
    with backend:
        _choice(_("Backend"), known.backends(), chosen.BACKEND)
    with status:
        _choice(_("Status"), chosen.STATUSES, chosen.STATUS, _)
    count = chosen.set_among(chosen.MORE)
    label = _("More filters ({n})").format(n=count) if count else _("More filters")
    with more, st.popover(label, width="stretch"):
        st.text_area(_("Prompt, exactly"), key=chosen.PROMPT, height=68)
        _choice(_("Mode"), [one.value for one in Mode], chosen.MODE, _)
        _choice(_("Badge"), [one.value for one in Origin], chosen.ORIGIN, _)
        _choice(_("Tag"), known.tags(), chosen.TAG)
        since, until = st.columns(2)
        since.date_input(_("From"), value=None, key=chosen.SINCE)
        until.date_input(_("To"), value=None, key=chosen.UNTIL)
        st.toggle(_("Deleted"), key=chosen.DELETED, help=_("Runs deleted less than a week ago."))


def _choice(label: str, options: Sequence[str], key: str, words: Callable[[str], str] = str) -> None:
    st.selectbox(label, options, index=None, key=key, format_func=words, placeholder=_("any"))


def _show_page(known: Store, page: Page) -> None:
    picked = st.dataframe(
        pd.DataFrame([_row(row) for row in page.rows]), key=_key(page), hide_index=True, height="content",
        on_select="rerun", selection_mode="multi-row",
        column_config={
            _("Date (UTC)"): st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm", timezone="UTC"),
            **{name: st.column_config.TextColumn(width=WIDE_PX) for name in (_("Prompt"), _("Lanes"))},
        },
    )  # fmt: skip
    places = picked["selection"]["rows"]
    rows = [page.rows[place] for place in places if place < len(page.rows)]
    _show_actions(known, rows)
    pages = math.ceil(page.total / chosen.ROWS_PER_PAGE)
    told = ngettext("{count} entry", "{count} entries", page.total).format(count=numbers.whole(page.total))
    st.caption(told)
    if pages > 1:
        st.pagination(pages, key=chosen.PAGE)
    if len(state.value(chosen.COMPARED, ())) > 1:
        show_comparison(known, state.value(chosen.COMPARED, ()))


def _key(page: Page) -> str:
    """The table's key: other rows are another table, or what was chosen would stay at its place and mean another run."""
    return f"{KEY}_{digest(' '.join(row.id for row in page.rows).encode())[:12]}"


def _show_actions(known: Store, rows: list[RunRow]) -> None:
    ids = [row.id for row in rows]
    first, second, third, fourth, _rest = st.columns([1, 1, 1, 1, 4])
    first.button(_("Open"), key="history_open", on_click=chosen.open_run, args=(ids[0] if ids else None,),
                 disabled=len(ids) != 1, width="stretch")  # fmt: skip
    is_race = [row.series is None and loop_in_list(row) is None for row in rows]
    second.button(_("Compare"), key="history_compare", on_click=state.put, args=(chosen.COMPARED, tuple(ids)),
                  disabled=not 2 <= len(ids) <= MOST_COMPARED or not all(is_race), width="stretch")  # fmt: skip
    deleted = bool(state.value(chosen.DELETED, False))
    label, action = (_("Restore"), _restore) if deleted else (_("Delete"), _delete)
    third.button(_("Same prompt"), key="history_same", on_click=_same_prompt, args=(known, ids), disabled=len(ids) != 1,
                 width="stretch", help=_("List only runs that were asked exactly the same."))  # fmt: skip
    fourth.button(
        label, key="history_delete", on_click=action, args=(known, ids), disabled=not ids, width="stretch"
    )


def _same_prompt(known: Store, ids: list[str]) -> None:
    state.put(chosen.PROMPT, known.open(ids[0]).prompt.text)
    state.put(chosen.PAGE, 1)


def _delete(known: Store, ids: list[str]) -> None:
    for run_id in ids:
        known.delete(run_id)
    state.put(chosen.UNDO, tuple(ids))


def _restore(known: Store, ids: list[str]) -> None:
    for run_id in ids:
        known.restore(run_id)
    state.put(chosen.UNDO, ())


def _show_undo(known: Store) -> None:
    ids = state.value(chosen.UNDO, ())
    if ids:
        # the table's tools would cover the button at the right
        undo, told = st.columns([1, 6], vertical_alignment="center")
        told.info(
            ngettext("{count} race deleted.", "{count} races deleted.", len(ids)).format(count=len(ids))
        )
        undo.button(
            _("Undo"), key="history_undo_button", on_click=_restore, args=(known, list(ids)), width="stretch"
        )


def _row(row: RunRow) -> dict[str, Any]:
    lanes, loop = row.lanes, loop_in_list(row)
    return {
        _("Date (UTC)"): datetime.fromtimestamp(row.started_ms / 1000, UTC),
        _("What"): loop[0] if loop else _what(row),
        _("Prompt"): row.prompt,
        _("Lanes"): loop[1] if loop else ", ".join(f"{lane.name} ({badge_word(lane.origin)})" for lane in lanes),
        _("Fastest"): "–" if loop else _fastest(lanes, row.series is not None),
        _("Mode"): _(row.mode.value),
        _("Status"): _(row.status),
        _("Tags"): ", ".join(row.tags),
        _("Notes"): row.notes,
    }


def _what(row: RunRow) -> str:
    """A race, or a series of trials with its rounds."""
    if row.series is None:
        return _("Race")
    return f"{_('Trials')}, {rounds_text(row.series.kept)}, {condition_words(Condition(row.series.plan.condition))}"


def _fastest(lanes: tuple[LaneRow, ...], is_median: bool) -> str:
    rated = [(lane.summary.e2e_tok_s, lane.name) for lane in lanes if lane.summary.e2e_tok_s]
    if not rated:
        return "–"
    rate, name = max(rated)
    told = _("{name}, median {rate} end to end") if is_median else _("{name}, {rate} end to end")
    return told.format(name=name, rate=numbers.rate(rate))
