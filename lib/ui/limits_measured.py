"""Measured lanes laid over the model: what share of the chosen machine's ceiling each of them reached."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st
from altair.utils.schemapi import debug_mode
from sqlalchemy.exc import SQLAlchemyError

from lib import numbers
from lib.charts.drawing import Figure, Words
from lib.charts.limit_charts import Bar, bar_chart
from lib.domain.codec import RecordingError
from lib.domain.run import Origin, Run
from lib.i18n import _
from lib.limits import roofline
from lib.limits.tables import Model, formats, model_named
from lib.metrics.measurement import Measurement, measure
from lib.metrics.quantity import number
from lib.metrics.rates import decode_rate
from lib.provenance import badge_word
from lib.store.rows import NoSuchRunError, RunRow
from lib.ui import limits_words, race_setup, state
from lib.ui.limits_show import COLUMN_PX, show_figure
from lib.ui.limits_state import Chosen, look
from lib.ui.markdown import plain
from lib.ui.wiring import store

RUN = "limits_measured"
_LATEST = 20
_CURRENT = "current"
_WIDTH = re.compile(r"\b(F32|F16|Q8_0|Q4_1|Q4_0)\b", re.IGNORECASE)
_Q4_1_BITS = 5.0  # of llama.cpp: 4 bits and two 16-bit numbers for each 32 weights


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane's name with its badge, the name of its model, its decode rate, and its mean context (None: not told)."""

    label: str
    model: str
    tps: float
    context_tokens: float | None = None


def show_measured(now: Chosen) -> None:
    """The lanes of the race on screen, or of a kept one, against what the machine could give."""
    st.markdown(f"#### {_('What was measured, against what could be')}")
    kept = _kept()
    live = race_setup.current()
    choices = {_CURRENT: _("The race on screen")} if live is not None and live.ended else {}
    choices |= {row.id: _run_words(row) for row in kept}
    if not choices:
        st.markdown(
            _("No race yet: once one has run, each of its lanes is set against the chosen machine here.")
        )
        return
    if state.value(RUN, None) not in choices:
        state.put(RUN, next(iter(choices)))
    st.selectbox(
        _("Race"), list(choices), key=RUN, format_func=lambda id_: choices[id_], persist_state="session"
    )
    picked = state.value(RUN, next(iter(choices)))
    lanes = _current_lanes() if picked == _CURRENT else _kept_lanes(next(r for r in kept if r.id == picked))
    if not lanes:
        st.caption(_("No lane of this race has a decode rate."))
        return
    with st.container(key="limits_measured_lanes"), st.grid(2, min_column_width=COLUMN_PX, gap="large"):
        st.markdown("\n".join(f"- {plain(sentence(lane, now))}" for lane in lanes))
        show_figure(measured_chart(lanes, now))


def sentence(lane: Lane, now: Chosen) -> str:
    """The lane against the machine, in words."""
    compared = _compared(lane, now)
    if compared.fewest_chips > compared.count:
        return limits_words.cannot_hold(lane.label, lane.tps, compared)
    return limits_words.reached(
        lane.label, lane.tps, _ceiling_tps(compared), compared.machine_words, limits_words.model_in_context(compared),
        _own_model(lane) is not None,
    )  # fmt: skip


def measured_chart(lanes: Sequence[Lane], now: Chosen) -> Figure | None:
    """Each lane's decode rate as a bar in the outline of its ceiling; lanes that have none are left out."""
    bars = []
    for place, lane in enumerate(lanes):
        compared = _compared(lane, now)
        if compared.fewest_chips <= compared.count:
            ceiling = _ceiling_tps(compared)
            told = _("{share} of {ceiling}").format(
                share=numbers.percent(lane.tps / ceiling), ceiling=numbers.rate(ceiling)
            )
            bars.append(Bar(lane.label, lane.tps, told, place, ceiling))
    words = Words(_("Measured, and the most it could be"), _("bar: measured; dashed outline: the ceiling"))
    with debug_mode(False):
        return bar_chart(bars, _("tokens per second for one user"), words, look())


def _own_model(lane: Lane) -> Model | None:
    return model_named(lane.model) or model_named(lane.label)


def _compared(lane: Lane, now: Chosen) -> Chosen:
    """What the lane is held against: its own model, width and context where it tells them, else the chosen ones."""
    own = _own_model(lane)
    width = _WIDTH.search(f"{lane.label} {lane.model}")
    bits = (_bits(width[1]) if width else now.bits) if own else now.bits
    context = now.context if lane.context_tokens is None else round(lane.context_tokens)
    return replace(now, model=own or now.model, bits=bits, context=context)


def _ceiling_tps(compared: Chosen) -> float:
    return roofline.per_user_tps(compared.machine, compared.work())


def _bits(name: str) -> float:
    known = {one.name: one.bits_per_weight for one in formats() if one.group == "smollm2-135m"}
    return known.get(name.upper(), _Q4_1_BITS)


def _current_lanes() -> list[Lane]:
    live = race_setup.current()
    return [] if live is None else lanes_of(live.recorded())


def lanes_of(run: Run) -> list[Lane]:
    """The lanes of a recorded run that have a decode rate."""
    pairs = zip(run.backends, run.generations, strict=True)
    found = [(one, measure(generation, one)) for one, generation in pairs]
    return [Lane(_label(one.name, one.origin), one.model, tps, _context(measured))
            for one, measured in found if (tps := number(decode_rate(measured)))]  # fmt: skip


def _context(measured: Measurement) -> float | None:
    """Tokens the cache held on the average of the answer: the prompt and half of the answer; None: not told."""
    prompt, output = measured.usage.prompt, measured.output_tokens
    return None if prompt is None or output is None else prompt + output / 2


def _kept_lanes(row: RunRow) -> list[Lane]:
    known = store()
    try:
        if known is not None:
            return lanes_of(known.open(row.id))
    except (NoSuchRunError, RecordingError, SQLAlchemyError):
        pass  # what the list knows of it is there all the same
    return [Lane(_label(one.name, one.origin), one.model, one.summary.decode_tok_s)
            for one in row.lanes if one.summary.decode_tok_s]  # fmt: skip


def _kept() -> tuple[RunRow, ...]:
    known = store()
    try:
        return known.page(limit=_LATEST).rows if known is not None else ()
    except SQLAlchemyError:
        return ()


def _run_words(row: RunRow) -> str:
    names = ", ".join(lane.name for lane in row.lanes)
    return f"{names} · {row.prompt[:60]}"


def _label(name: str, origin: Origin) -> str:
    return f"{name} ({badge_word(origin)})"
