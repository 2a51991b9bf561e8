"""The lists of the Backends page: configured and own backends with their actions, and what comes along."""

from __future__ import annotations

from urllib.parse import urlsplit

import pandas as pd
import streamlit as st

from lib.backends.table import Configured, SettingsError, as_toml
from lib.domain.run import Origin
from lib.i18n import _
from lib.provenance import badge_word
from lib.ui import backend_form, state
from lib.ui.markdown import plain
from lib.ui.probe_view import show_probe, show_probes
from lib.ui.race_setup import lineup, offers, settings
from lib.ui.wiring import catalogue, policy

_ACTIONS = (1.1, 1.0, 0.9, 1.3, 1.1)


def show_configured() -> None:
    """Backends from the settings and of this visit, each with what can be done with it."""
    try:
        configured = settings()
    except SettingsError as error:
        st.error(_("The settings cannot be used. {reason}").format(reason=plain(str(error))))
        configured = ()
    own = state.own_backends()
    if not configured and not own:
        st.info(
            _(
                "No backend of your own yet. Put a key into the environment (OPENAI_API_KEY, GROQ_API_KEY, …), write "
                "one into .streamlit/secrets.toml, find a server on this machine, or type one in below."
            )
        )
        return
    for entry in (*configured, *own):
        _show_entry(entry, entry in own)
    if st.button(_("Probe all"), key="probe_all", help=_("Asks each for a few tokens, one after another.")):
        show_probes([*((entry, False) for entry in configured), *((entry, True) for entry in own)])
    if own:
        _show_toml(own)


def show_built_in() -> None:
    """Simulated and recorded backends with where their speed comes from."""
    with st.expander(_("Simulated and recorded backends that come along")):
        known = [o.backend for o in catalogue().offers().values() if o.backend.origin is not Origin.LIVE]
        rows = [(b.name, badge_word(b.origin), b.note, _price(b.prices)) for b in known]
        columns = [_("Name"), _("Badge"), _("Where its speed comes from"), _("Price per million, in / out")]
        st.dataframe(pd.DataFrame(rows, columns=columns), hide_index=True, height="content")


def _show_entry(entry: Configured, own: bool) -> None:
    backend = entry.backend
    with st.container(border=True, key=f"entry_{backend.id}"):
        told, actions = st.columns([3, 4], vertical_alignment="center")
        with told:
            st.markdown(f"**{plain(backend.name)}**")
            key = _("key set") if entry.key else _("no key")
            where = urlsplit(backend.base_url).netloc
            parts = (
                backend.model,
                where,
                key,
                _price(backend.prices),
                _("this visit") if own else _("settings"),
            )
            st.caption(" · ".join(plain(part) for part in parts))
        with actions:
            _show_actions(entry, own)
        if state.value("probed", "") == backend.id:
            state.put("probed", "")
            show_probe(entry, typed=own)


def _show_actions(entry: Configured, own: bool) -> None:
    id_ = entry.backend.id
    race, probe, edit, copy, remove = st.columns(_ACTIONS, gap="small")
    with race:
        full = len(lineup()) >= state.MOST_LANES
        st.button(
            _("To the race"), key=f"race_{id_}", on_click=_race, args=(id_,), disabled=full, width="stretch"
        )
    with probe:
        st.button(_("Probe"), key=f"probe_{id_}", on_click=state.put, args=("probed", id_), width="stretch")
    with edit:
        st.button(_("Edit"), key=f"edit_{id_}", on_click=backend_form.edit, args=(entry,), disabled=not own,
                  help=None if own else _("It comes from the settings."), width="stretch")  # fmt: skip
    with copy:
        st.button(
            _("Duplicate"), key=f"copy_{id_}", on_click=backend_form.duplicate, args=(entry,), width="stretch",
            disabled=not policy().allows_own_backends,
        )  # fmt: skip
    with remove:
        st.button(
            _("Remove"), key=f"remove_{id_}", on_click=_remove, args=(id_,), disabled=not own, width="stretch"
        )


def _race(id_: str) -> None:
    state.set_lineup((*lineup(), id_))
    state.leave_notice(_("{name} is in the race.").format(name=offers()[id_].backend.name))


def _remove(id_: str) -> None:
    state.remove_own_backend(id_)
    left = tuple(chosen for chosen in lineup() if chosen != id_)
    state.set_lineup(left if len(left) >= state.FEWEST_LANES else catalogue().default_ids())


def _show_toml(own: tuple[Configured, ...]) -> None:
    with st.expander(_("These as settings, keys left out")):
        st.caption(_("Put this into .streamlit/secrets.toml and the keys into the variables it names."))
        st.code("\n".join(as_toml(entry) for entry in own), language="toml")


def _price(prices: object) -> str:
    given = [getattr(prices, name, None) for name in ("input", "output")]
    if given == [None, None]:
        return _("price not published")
    return " / ".join("–" if price is None else f"${price}" for price in given)
