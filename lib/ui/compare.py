"""Two to eight kept runs side by side: every lane of each, and what differs in how they were run."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pandas as pd
import streamlit as st

from lib import numbers
from lib.charts.result_lanes import lanes_of
from lib.export.view_messages import merged_messages
from lib.i18n import _
from lib.provenance import badge_word, how_head
from lib.store.rows import RunRow
from lib.store.store import Store
from lib.ui import race_setup, state
from lib.ui.markdown import in_help, plain
from lib.ui.stage import show_replay

LANES = "compare_lanes"
MOST_LANES = 8


def show_comparison(known: Store, ids: tuple[str, ...]) -> None:
    """The table of all lanes, and lanes of different runs on one start line."""
    rows = [known.row(run_id) for run_id in ids]
    st.markdown(f"#### {_('Compared')}")
    st.dataframe(pd.DataFrame(_table(rows)), hide_index=True, height="content", column_config=_helps())
    if len({row.mode for row in rows}) > 1:
        st.caption(_("These runs were made in different modes; their times are not of one kind."))
    if len({row.prompt for row in rows}) > 1:
        st.caption(_("These runs answered different prompts; their answers differ in length and kind."))
    _show_how(known, rows)
    _show_start_line(known, rows)


def _show_how(known: Store, rows: list[RunRow]) -> None:
    """How the figures of every lane came about; read from the recordings when it is opened."""
    with st.expander(how_head(), on_change="rerun", key="compare_how") as opened:
        if not opened.open:
            return
        for row in rows:
            for lane in lanes_of(known.open(row.id), None):
                st.markdown(f"**{plain(_date(row))} · {plain(lane.label)}**  \n{in_help(lane.how)}")


def _helps() -> dict[str, Any]:
    """Where to find how a figure came about, at the head of each column of figures."""
    told = _("One trial per lane. How it was measured stands under the table.")
    names = (_("TTFT"), _("TTFAT"), _("Decode"), _("End to end"), _("Tokens"))
    return {name: st.column_config.TextColumn(help=told) for name in names}


def _show_start_line(known: Store, rows: list[RunRow]) -> None:
    places = [(number, lane.lane) for number, row in enumerate(rows) for lane in row.lanes]
    names = {
        (n, lane.lane): f"{lane.name} · {_date(row)}" for n, row in enumerate(rows) for lane in row.lanes
    }
    st.multiselect(
        _("Put lanes on one start line"), places, key=LANES, format_func=lambda place: names[place],
        max_selections=MOST_LANES, placeholder=_("two to eight lanes of any of these runs"),
    )  # fmt: skip
    chosen = state.value(LANES, [])
    if len(chosen) > 1:
        opened = {number: known.open(rows[number].id) for number, _lane in chosen}
        st.caption(_("A race that never took place: each lane at its own times, from its own request."))
        pairs = [(opened[number], lane) for number, lane in chosen]
        backends = tuple(run.backends[lane] for run, lane in pairs)
        show_replay("merged", backends, merged_messages(pairs), race_setup.reader_for_player())


def _table(rows: list[RunRow]) -> list[dict[str, Any]]:
    return [
        {
            _("Run (UTC)"): _date(row),
            _("Lane"): lane.name,
            _("Badge"): badge_word(lane.origin),
            _("Mode"): _(row.mode.value),
            _("Status"): _(lane.summary.status),
            _("TTFT"): _ms(lane.summary.ttft_ms),
            _("TTFAT"): _ms(lane.summary.ttfat_ms),
            _("Decode"): _rate(lane.summary.decode_tok_s),
            _("End to end"): _rate(lane.summary.e2e_tok_s),
            _("Tokens"): "–"
            if lane.summary.output_tokens is None
            else numbers.whole(lane.summary.output_tokens),
            _("Counted by"): _("us (o200k_base)") if lane.summary.is_estimated else _("the server"),
        }
        for row in rows
        for lane in row.lanes
    ]


def _date(row: RunRow) -> str:
    return datetime.fromtimestamp(row.started_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _ms(value: float | None) -> str:
    return "–" if value is None else numbers.milliseconds(value)


def _rate(value: float | None) -> str:
    return "–" if value is None else numbers.rate(value)
