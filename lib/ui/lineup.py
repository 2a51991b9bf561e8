"""The chosen backends as chips, and the places where more are added: offered ones and one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from lib.backends.catalogue import Offer
from lib.backends.policy import AddressRefused, check
from lib.backends.table import Configured
from lib.charts.palette import lane_colours
from lib.collector.address import AddressError, clean
from lib.domain.run import Backend
from lib.i18n import _
from lib.provenance import badge_word
from lib.ui import state
from lib.ui.ghost_lanes import show_ghost
from lib.ui.markdown import plain
from lib.ui.race_setup import lineup, offers
from lib.ui.wiring import policy

_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "tokenrace.lineup",
    js=(_HERE / "lineup.js").read_text("utf-8"),
    css=(_HERE / "lineup.css").read_text("utf-8"),
)
KEY = "lineup_chips"
MOST_SUGGESTIONS = 3
ADD, URL, MODEL, KEY_TYPED, NAME = "add_backend", "own_url", "own_model", "own_key", "own_name"


def show_lineup(disabled: bool) -> None:
    """The chips and the button that adds one; while a race runs the line-up is fixed."""
    known = offers()
    chosen = lineup()
    data = {
        "chips": [_chip(known[id_], place) for place, id_ in enumerate(chosen)],
        "removable": len(chosen) > state.FEWEST_LANES and not disabled,
        "remove": _("Remove {name}"),
        "help": _("Drag, or Alt+Left and Alt+Right, to change the order."),
    }
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _mount(key=KEY, data=data, width="content", on_change_change=_change)
        full = len(chosen) >= state.MOST_LANES
        with st.popover(_("+ backend"), disabled=disabled or full, key="add_popover"):
            _show_offers(known)
            show_ghost(lambda id_: state.set_lineup((*lineup(), id_)))
            if policy().allows_own_backends:
                _show_own()
        if not disabled and not full:
            _show_suggestions(known, chosen)


def _chip(offer: Offer, place: int) -> dict[str, Any]:
    backend = offer.backend
    light, dark = lane_colours(place)
    return {
        "name": backend.name, "origin": backend.origin.value, "badge": badge_word(backend.origin),
        "note": backend.note, "absent": offer.absent, "light": light, "dark": dark,
    }  # fmt: skip


def _show_offers(known: dict[str, Offer]) -> None:
    st.selectbox(
        _("Add a backend (the same one twice is fine)"),
        list(known),
        index=None,
        key=ADD,
        placeholder=_("Choose or search"),
        format_func=lambda id_: _listed(known[id_]),
        on_change=_add,
    )


def _show_suggestions(known: dict[str, Offer], chosen: tuple[str, ...]) -> None:
    """Configured backends that are not in the race yet: one click each."""
    ready = [id_ for id_, offer in known.items() if offer.is_own and id_ not in chosen]
    for id_ in ready[:MOST_SUGGESTIONS]:
        label = _("+ {name}").format(name=known[id_].backend.name)
        st.button(plain(label), key=f"suggest_{id_}", type="tertiary", on_click=_suggest, args=(id_,))


def _suggest(id_: str) -> None:
    state.set_lineup((*lineup(), id_))


def _listed(offer: Offer) -> str:
    told = f"{offer.backend.name} · {badge_word(offer.backend.origin)}"
    return f"{told} · {_('not now')}" if offer.absent else told


def _show_own() -> None:
    with st.form("own_backend", border=False, enter_to_submit=False):
        st.caption(
            _("Or any OpenAI-compatible server. The key stays in this visit and is never shown again.")
        )
        st.text_input(_("Base URL"), key=URL, placeholder="https://api.example.com/v1")
        st.text_input(_("Model"), key=MODEL)
        st.text_input(_("Key"), key=KEY_TYPED, type="password", autocomplete="off")
        st.text_input(_("Name on the lane"), key=NAME, placeholder=_("the model's name"))
        st.form_submit_button(_("Add"), on_click=_add_own)


def _add() -> None:
    chosen = state.value(ADD, None)
    if chosen:
        state.set_lineup((*lineup(), chosen))
        state.put(ADD, None)


def _add_own() -> None:
    model = str(state.value(MODEL, "")).strip()
    try:
        url = clean(str(state.value(URL, "")))
        check(url, policy())
    except (AddressError, AddressRefused) as error:
        state.leave_notice(str(error))
        return
    if not model:
        state.leave_notice(_("Give the model's name as the server knows it."))
        return
    name = str(state.value(NAME, "")).strip() or model
    backend = Backend(state.new_own_id(), name, url, model)
    state.add_own_backend(Configured(backend, str(state.value(KEY_TYPED, "")).strip()))
    state.put(KEY_TYPED, "")
    state.set_lineup((*lineup(), backend.id))


def _change() -> None:
    change = state.component_value(KEY, "change")
    if not change or not state.command_is_new(KEY, change["n"]):
        return
    ids = list(lineup())
    if "remove" in change and len(ids) > state.FEWEST_LANES:
        ids.pop(change["remove"])
    elif "move" in change:
        origin, target = change["move"]
        ids.insert(target, ids.pop(origin))
    state.set_lineup(tuple(ids))
