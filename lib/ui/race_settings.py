"""What a race is asked with: the reader, the mode, the request's parameters, for all lanes or one lane's own."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

import orjson
import pandas as pd
import streamlit as st

from lib.collector.address import is_local
from lib.domain.run import Backend, Mode, Origin, Params, Prompt
from lib.i18n import _
from lib.present import link
from lib.reading import speed, speeds
from lib.ui import state

DEFAULT_MAX_TOKENS = 768
MOST_TOKENS = 32_768
BY_ANSWER, OWN = "by the answer's language", "own"
AUTOMATIC = "automatic"
EFFORTS = ("minimal", "low", "medium", "high")
READER, OWN_SPEED, MODE, MAX_TOKENS, SYSTEM = "reader", "own_speed", "mode", "max_tokens", "system"
TEMPERATURE, TOP_P, SEED, STOP, EFFORT, EXTRA = (
    "temperature",
    "top_p",
    "seed",
    "stop_texts",
    "effort",
    "extra_body",
)
HISTORY, LANES, CAP = "history", "lane_params", "spend_cap"
_OF_LINK = {"stop": STOP}  # the others have the same name in a link
LANES_WIDTH_PX = 720  # all columns without scrolling; narrower pages scroll
_LANE_COLUMNS = (MAX_TOKENS, TEMPERATURE, TOP_P, SEED, EFFORT, EXTRA)


class ParamsError(ValueError):
    """Something typed cannot be sent; the message says which field and what is accepted."""


def begin() -> None:
    """Give every widget its first value: what the address asks for, else the usual one."""
    usual = {READER: BY_ANSWER, OWN_SPEED: 238, MODE: AUTOMATIC, MAX_TOKENS: DEFAULT_MAX_TOKENS}
    asked = {_OF_LINK.get(name, name): value for name, value in link.asked(state.asked_all()).items()}
    for key, first in {**usual, **asked}.items():
        state.begin(key, first)


def show_settings(backends: tuple[Backend, ...]) -> None:
    """The content of the settings popover."""
    reader, request, lanes = st.tabs([_("Race"), _("Request"), _("Per lane")])
    with reader:
        _show_race()
    with request:
        _show_request()
    with lanes:
        _show_lanes(backends)


def params() -> Params:
    """The parameters of every lane. Raises ParamsError naming the field that cannot be sent."""
    stop = tuple(line for line in str(state.value(STOP, "") or "").splitlines() if line)
    return Params(
        max_tokens=int(state.value(MAX_TOKENS, DEFAULT_MAX_TOKENS)),
        temperature=state.value(TEMPERATURE, None),
        top_p=state.value(TOP_P, None),
        seed=state.value(SEED, None),
        stop=stop[:4],
        reasoning_effort=state.value(EFFORT, None),
        extra_body=_body(state.value(EXTRA, ""), _("Extra request fields")),
    )


def own_params(lanes: int) -> dict[int, Params]:
    """The parameters of lanes that have their own. Raises ParamsError like `params`."""
    common = params()
    rows = state.value(LANES, {}).get("edited_rows", {})
    return {
        int(lane): _lane_params(common, row, int(lane))
        for lane, row in rows.items()
        if row and int(lane) < lanes
    }


def prompt(text: str) -> Prompt:
    """The prompt with its system text and earlier conversation."""
    rows = state.value("history_rows", [])
    history = tuple(
        (str(row["role"]), str(row["text"])) for row in rows if row.get("role") and row.get("text")
    )
    return Prompt(text, str(state.value(SYSTEM, "") or ""), history)


def mode(backends: tuple[Backend, ...]) -> Mode:
    """The chosen mode; automatic is by backend when live lanes share a local host, else all at once."""
    chosen = state.value(MODE, AUTOMATIC)
    if chosen != AUTOMATIC:
        return Mode(chosen)
    live = [b for b in backends if b.origin is Origin.LIVE and is_local(b.base_url)]
    shared = Counter(Mode.BY_BACKEND.queue(0, backend) for backend in live)
    return Mode.BY_BACKEND if any(count > 1 for count in shared.values()) else Mode.ALL_AT_ONCE


def spend_cap() -> Decimal | None:
    """The most a race may cost, in the currency of its prices; None without a cap."""
    cap = state.value(CAP, None)
    return None if cap is None else Decimal(str(cap))


def reader_in_words(choice: str) -> str:
    """A reader as the picker lists it."""
    if choice == BY_ANSWER:
        return _("silent, by the answer's language")
    return _("own speed") if choice == OWN else speed(choice).label


def _show_race() -> None:
    choices = [BY_ANSWER, *(known.id for known in speeds()), OWN]
    st.selectbox(
        _("Reader: language and speed"),
        choices,
        key=READER,
        format_func=reader_in_words,
        persist_state="session",
    )
    if state.value(READER, BY_ANSWER) == OWN:
        st.number_input(_("Words per minute"), 30, 2000, key=OWN_SPEED, step=10, persist_state="session")
    st.segmented_control(
        _("Mode"), [AUTOMATIC, *(one.value for one in Mode)], key=MODE, format_func=_, required=True,
        persist_state="session",
        help=_("By backend: one request at a time per host, hosts in parallel; automatic for local hosts, "
               "which share this machine. The mode is printed on every result."),
    )  # fmt: skip

    st.number_input(
        _("Spend cap of a race ($)"), 0.0, None, value=None, step=0.05, format="%.4g", key=CAP,
        persist_state="session", placeholder=_("none"),
        help=_("Paid lanes are stopped when they have cost about this much. Unpublished prices cannot be counted."),
    )  # fmt: skip


def _show_request() -> None:
    st.number_input(_("Max tokens"), 1, MOST_TOKENS, key=MAX_TOKENS, step=64, persist_state="session")
    left, right = st.columns(2)
    with left:
        _number(_("Temperature"), TEMPERATURE, 0.0, 2.0, 0.1)
        _number(_("Seed"), SEED, 0, 2**31 - 1, 1)
    with right:
        _number(_("Top p"), TOP_P, 0.0, 1.0, 0.05)
        st.selectbox(
            _("Reasoning effort"),
            EFFORTS,
            index=None,
            key=EFFORT,
            placeholder=_("not sent"),
            persist_state="session",
        )
    st.text_area(_("System text"), key=SYSTEM, height=68, persist_state="session")
    st.text_area(_("Stop at (one text a line, four at most)"), key=STOP, height=68, persist_state="session")
    st.text_area(
        _("Extra request fields (JSON)"), key=EXTRA, height=68, placeholder='{"cache_prompt": false}',
        persist_state="session",
    )  # fmt: skip
    st.caption(_("Earlier conversation, oldest first; it is sent before the prompt."))
    rows = st.data_editor(
        pd.DataFrame({"role": pd.Series(dtype="str"), "text": pd.Series(dtype="str")}),
        num_rows="dynamic", key=HISTORY, hide_index=True,
        column_config={
            "role": st.column_config.SelectboxColumn(_("Role"), options=["user", "assistant"], required=True),
            "text": st.column_config.TextColumn(_("Text"), width="large"),
        },
    )  # fmt: skip
    state.put("history_rows", rows.to_dict("records"))


def _number(label: str, key: str, least: float, most: float, step: float) -> None:
    st.number_input(
        label, least, most, value=None, step=step, key=key, placeholder=_("not sent"), persist_state="session"
    )


def _show_lanes(backends: tuple[Backend, ...]) -> None:
    st.caption(_("Empty cells take the value of the Request tab."))
    empty: dict[str, Any] = {_("Lane"): [backend.name for backend in backends]}
    kinds = {MAX_TOKENS: "Int64", SEED: "Int64", TEMPERATURE: "float64", TOP_P: "float64"}
    empty |= {name: pd.Series([None] * len(backends), dtype=kinds.get(name, "str")) for name in _LANE_COLUMNS}
    number = st.column_config.NumberColumn
    st.data_editor(
        pd.DataFrame(empty), key=LANES, hide_index=True, disabled=[_("Lane")], width=LANES_WIDTH_PX,
        column_config={
            MAX_TOKENS: number(_("Max tokens"), min_value=1, max_value=MOST_TOKENS),
            TEMPERATURE: number(_("Temperature"), min_value=0.0, max_value=2.0),
            TOP_P: number(_("Top p"), min_value=0.0, max_value=1.0),
            SEED: number(_("Seed")),
            EFFORT: st.column_config.SelectboxColumn(_("Effort"), options=list(EFFORTS)),
            EXTRA: st.column_config.TextColumn(_("Extra fields (JSON)")),
        },
    )  # fmt: skip


def _lane_params(common: Params, row: dict[str, Any], lane: int) -> Params:
    own = {name: row[name] for name in _LANE_COLUMNS[:4] if row.get(name) is not None}
    if row.get(EFFORT):
        own["reasoning_effort"] = row[EFFORT]
    where = _("Extra fields of lane {number}").format(number=lane + 1)
    values = {name: getattr(common, name) for name in Params.__slots__}
    body = {**common.extra_body, **_body(row.get(EXTRA) or "", where)}
    return Params(**{**values, **own, "extra_body": body})


def _body(text: Any, where: str) -> dict[str, Any]:
    if not str(text or "").strip():
        return {}
    try:
        value = orjson.loads(str(text))
    except ValueError as error:
        raise ParamsError(_("{where}: not JSON ({error}).").format(where=where, error=error)) from error
    if not isinstance(value, dict):
        raise ParamsError(_("{where}: a JSON object is needed, such as {example}.").format(
            where=where, example='{"cache_prompt": false}'))  # fmt: skip
    return value
