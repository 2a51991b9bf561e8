"""The pickers of the page "What it means": a speed (typed, from a preset, from a kept run) and a text."""

from __future__ import annotations

import streamlit as st
from sqlalchemy.exc import SQLAlchemyError

from lib import numbers, tokens
from lib.domain.codec import RecordingError
from lib.i18n import _
from lib.meaning.kept import kept_speed
from lib.meaning.presets import SpeedPreset, speed_presets
from lib.meaning.sample_texts import sample_texts
from lib.metrics.quantity import Unavailable
from lib.store.rows import LaneRow, NoSuchRunError, RunRow
from lib.ui import meaning_state, meaning_words, state
from lib.ui.meaning_state import (
    ENCODING,
    FASTEST_TPS,
    KEPT,
    KEPT_TEXT,
    MOST_CHARACTERS,
    ORIGIN,
    OWN_TEXT,
    PRESET,
    SAMPLE,
    SLOWEST_TPS,
    SPEED,
    TEXT,
)
from lib.ui.wiring import store

_LATEST = 20  # kept runs that are offered
_PROMPT_CHARACTERS = 40


def show_speed() -> None:
    """The speed: typed, or taken from a preset or a kept run; and the tokenizer it is counted with."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="meaning_speed_row"):
        st.number_input(
            _("Tokens per second"), SLOWEST_TPS, FASTEST_TPS, key=SPEED, step=50.0, format="%g", width=136,
            on_change=meaning_state.speed_was_typed, persist_state="session",
        )  # fmt: skip
        presets = {one.id: _preset_words(one) for one in speed_presets()}
        st.selectbox(
            _("or a published one"), list(presets), index=None, key=PRESET, format_func=presets.__getitem__, width=212,
            placeholder=_("Simulated and published"), on_change=meaning_state.take_preset,
            help=_("A published speed counts the provider's own tokens; here they are taken as the tokenizer's beside."),
        )  # fmt: skip
        _show_kept()
        st.selectbox(
            _("Counted with"), tokens.ENCODINGS, key=ENCODING, width=136, persist_state="session",
            help=_("The tokenizer whose tokens the speed counts."),
        )  # fmt: skip


def show_text() -> None:
    """The text that everything is counted on: a sample, or typed and pasted."""
    titles = {one.id: one.title for one in sample_texts()}
    typed = {OWN_TEXT: _("your own text"), KEPT_TEXT: _("the answer of a kept run")}
    held = str(state.value(SAMPLE, ""))
    choices = {**({held: typed[held]} if held in typed else {}), **titles}
    st.selectbox(
        _("Text"), list(choices), key=SAMPLE, format_func=choices.__getitem__, on_change=meaning_state.take_sample,
        persist_state="session",
    )  # fmt: skip
    st.text_area(
        _("The text itself: type or paste your own"), key=TEXT, height=120, max_chars=MOST_CHARACTERS,
        on_change=meaning_state.text_was_typed, persist_state="session",
    )  # fmt: skip


def _preset_words(one: SpeedPreset) -> str:
    return f"{meaning_words.tps(one.tps)} · {one.name} · {one.date}"


def _show_kept() -> None:
    lanes = _kept_lanes()
    st.selectbox(
        _("or a kept run"), list(lanes), index=None, key=KEPT, format_func=lambda key: _lane_words(*lanes[key]),
        placeholder=_("Speed and answer of a lane") if lanes else _("No run is kept yet"), width=212,
        disabled=not lanes, on_change=_take_kept,
    )  # fmt: skip


def _kept_lanes() -> dict[str, tuple[RunRow, LaneRow]]:
    known = store()
    try:
        rows = known.page(limit=_LATEST).rows if known is not None else ()
    except SQLAlchemyError:
        rows = ()
    return {f"{row.id} {lane.lane}": (row, lane) for row in rows for lane in row.lanes if lane.summary.decode_tok_s}


def _lane_words(row: RunRow, lane: LaneRow) -> str:
    return f"{numbers.rate(lane.summary.decode_tok_s or 0)} · {lane.name} · {row.prompt[:_PROMPT_CHARACTERS]}"


def _take_kept() -> None:
    """A lane was picked: its rate in o200k_base tokens, and its answer as the text."""
    picked, known = str(state.value(KEPT, "") or ""), store()
    if not picked or known is None:
        return
    id_, lane = picked.rsplit(" ", 1)
    try:
        run = known.open(id_)
    except (NoSuchRunError, RecordingError) as error:
        state.leave_notice(str(error))
        return
    except SQLAlchemyError:
        state.leave_notice(_("The history could not be read at this moment; try again."))
        return
    found = kept_speed(run, int(lane))
    if isinstance(found, Unavailable):
        state.leave_notice(found.reason)
        return
    state.put(SPEED, min(max(round(found.tps, 1), SLOWEST_TPS), FASTEST_TPS))
    state.put(TEXT, found.text[:MOST_CHARACTERS])
    state.put(SAMPLE, KEPT_TEXT)
    state.put(ENCODING, tokens.DEFAULT_ENCODING)
    state.put(PRESET, None)
    state.put(ORIGIN, _("{name}, {when}: {own} in its own tokens, {rate} in those of {encoding}.").format(
        name=found.name, when=run.started_at[:10], own=numbers.rate(found.own_tps), rate=numbers.rate(found.tps),
        encoding=tokens.DEFAULT_ENCODING))  # fmt: skip
