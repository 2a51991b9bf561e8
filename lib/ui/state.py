"""Typed access to what belongs to one visitor; the only place that touches `st.session_state`.

Widgets keep their own values under the keys below, so they survive a page switch. The run's id is also
in the address, so that a refresh, a bookmark and a second tab find it.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from lib.backends.table import Configured

PROMPT = "prompt"
MOST_LANES = 8
FEWEST_LANES = 2


def lineup(default: tuple[str, ...]) -> tuple[str, ...]:
    """Ids of the chosen backends in lane order; the same id may stand twice."""
    if "lineup" not in st.session_state:
        asked = st.query_params.get("lineup", "")
        st.session_state["lineup"] = tuple(filter(None, asked.split(",")))[:MOST_LANES] or default
    return tuple(st.session_state["lineup"])


def set_lineup(ids: tuple[str, ...]) -> None:
    """Choose other backends."""
    st.session_state["lineup"] = ids[:MOST_LANES]


def run_id() -> str | None:
    """The run this visitor looks at: from the address, or from before a page switch."""
    known = st.query_params.get("run") or st.session_state.get("run")
    if known:
        remember_run(known)
    return known


def remember_run(run: str) -> None:
    """Look at this run from now on."""
    st.session_state["run"] = run
    if st.query_params.get("run") != run:
        st.query_params["run"] = run


def value(key: str, default: Any) -> Any:
    """What a widget holds, or would hold at first."""
    return st.session_state.get(key, default)


def begin(key: str, default: Any) -> None:
    """Give a widget its first value, unless the visitor has been here."""
    if key not in st.session_state:
        st.session_state[key] = default


def put(key: str, content: Any) -> None:
    """Set a widget's value; only before it is drawn or in a callback."""
    st.session_state[key] = content


def asked_prompt() -> str | None:
    """A prompt given in the address, for a link that prepares a race."""
    return st.query_params.get("prompt")


def own_backends() -> tuple[Configured, ...]:
    """Backends typed in by this visitor, with keys that live in this session only."""
    return tuple(st.session_state.get("own_backends", ()))


def add_own_backend(entry: Configured) -> None:
    """Keep a typed backend for this visit."""
    known = {own.backend.id: own for own in own_backends()}
    st.session_state["own_backends"] = tuple({**known, entry.backend.id: entry}.values())


def remove_own_backend(id_: str) -> None:
    """Forget a typed backend and its key."""
    st.session_state["own_backends"] = tuple(own for own in own_backends() if own.backend.id != id_)


def new_own_id() -> str:
    """An id no typed backend of this visit has or had."""
    st.session_state["own_count"] = st.session_state.get("own_count", 0) + 1
    return f"own-{st.session_state['own_count']}"


def notice() -> str:
    """A sentence left by a callback for the next drawing, given once."""
    return str(st.session_state.pop("notice", ""))


def leave_notice(sentence: str) -> None:
    """Tell the visitor something at the next drawing."""
    st.session_state["notice"] = sentence


def command_is_new(name: str, number: Any) -> bool:
    """Whether a command of a component, counted by it, has not been obeyed yet."""
    seen = st.session_state.setdefault("commands", {})
    new: bool = seen.get(name) != number
    seen[name] = number
    return new


def component_key(name: str) -> str:
    """The name as a key that a component may have: ids may hold `__`, which Streamlit keeps for itself."""
    return name.replace("__", "_-")


def component_value(key: str, name: str) -> dict[str, Any] | None:
    """What a component last told under `name`, or None."""
    told = st.session_state.get(key)
    value_ = told.get(name) if told else None
    return dict(value_) if value_ else None


def put_once(key: str, about: str, content: Any) -> None:
    """Set a widget's value when it begins to speak about something else."""
    if st.session_state.get(f"{key} about") != about:
        st.session_state[f"{key} about"] = about
        st.session_state[key] = content


def asked(name: str) -> str | None:
    """What the address asks for under a name."""
    return st.query_params.get(name)


def asked_all() -> dict[str, str]:
    """Everything the address asks for."""
    return dict(st.query_params.to_dict())


def ask(name: str, content: str | None) -> None:
    """Put something into the address, or take it out."""
    if content is None:
        st.query_params.pop(name, None)
    else:
        st.query_params[name] = content
