"""Adding and editing a backend of one's own: preset, address, model, key, prices; servers found here.

A key typed here lives in this visitor's session only and is never shown again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from urllib.parse import urlsplit

import streamlit as st

from lib.backends.discovery import FoundServer, local_servers
from lib.backends.models import ModelsUnavailable, list_models
from lib.backends.policy import AddressRefused, check
from lib.backends.presets import Preset, presets
from lib.backends.table import Configured
from lib.collector.address import AddressError, clean
from lib.domain.run import Backend, Prices, WarmUp
from lib.i18n import _, ngettext
from lib.ui import state
from lib.ui.markdown import plain
from lib.ui.probe_view import show_probe
from lib.ui.wiring import policy

PRESET, URL, MODEL, KEY, NAME, EDITED = (
    "form_preset",
    "form_url",
    "form_model",
    "form_key",
    "form_name",
    "form_edited",
)
PRICES = ("form_price_in", "form_price_out", "form_price_cached")
WARM = "form_warm"
LISTED, PICKED, FOUND = "form_listed", "form_picked", "form_found"


class FormError(ValueError):
    """What was typed cannot be used; the message says what is missing."""


def show_form() -> None:
    """The form, and what its buttons do."""
    if not policy().allows_own_backends:
        st.caption(_("This server races only the backends its operator has configured."))
        return
    edited = state.value(EDITED, "")
    st.markdown(f"#### {_('Change a backend') if edited else _('Add a backend')}")
    if policy().loopback_only_server:
        _show_found()
    left, right = st.columns(2, gap="large")
    with left:
        st.selectbox(
            _("Preset"), [known.id for known in presets()], index=None, key=PRESET, on_change=_take_preset,
            format_func=lambda id_: _preset(id_).name, placeholder=_("Any OpenAI-compatible server"),
        )  # fmt: skip
        st.text_input(_("Base URL"), key=URL, placeholder="https://api.example.com/v1")
        st.text_input(_("Key"), key=KEY, type="password", autocomplete="off",
                      help=_("Stays in this visit. From the keyboard, end it with Enter."),
                      placeholder=_("unchanged") if edited else _("none needed for most local servers"))  # fmt: skip
    with right:
        _show_model()
        st.text_input(_("Name on the lane"), key=NAME, placeholder=_("the model's name"))
        for column, key, label in zip(
            st.columns(3), PRICES, (_("Price in"), _("Price out"), _("Price cached")), strict=True
        ):
            column.number_input(label, 0.0, None, value=None, key=key, placeholder=_("not publ."), format="%.4g",
                                help=_("Per million tokens, in dollars."))  # fmt: skip
    with left:
        st.segmented_control(
            _("Before a race"), [kind.value for kind in WarmUp], key=WARM, default=WarmUp.NONE.value,
            format_func=lambda kind: _warm_words()[kind],
            help=_("Opens the connection, or makes one request that is thrown away; its time is told apart."),
        )  # fmt: skip
    _show_preset_facts()
    _show_buttons(bool(edited))


def _warm_words() -> dict[str, str]:
    return {
        WarmUp.NONE.value: _("nothing"),
        WarmUp.CONNECTION.value: _("open the connection"),
        WarmUp.REQUEST.value: _("one discarded request"),
    }


def edit(entry: Configured) -> None:
    """Fill the form with an own backend; the key is kept and not shown."""
    _fill(entry)
    state.put(EDITED, entry.backend.id)


def duplicate(entry: Configured) -> None:
    """Add a copy of any backend under a new name, for this visit."""
    copy = replace(
        entry.backend, id=state.new_own_id(), name=_("{name} copy").format(name=entry.backend.name)
    )
    state.add_own_backend(replace(entry, backend=copy))


def _show_buttons(editing: bool) -> None:
    probe, add, cancel, _rest = st.columns([1, 1, 1, 4])
    tried = probe.button(_("Probe"), key="form_probe", width="stretch")
    add.button(_("Save") if editing else _("Add"), key="form_add", on_click=_add, width="stretch")
    if editing:
        cancel.button(_("Cancel"), key="form_cancel", on_click=_clear, width="stretch")
    notice = state.notice()
    if notice:
        st.info(plain(notice))
    if tried:
        try:
            show_probe(_entry(), typed=True)
        except FormError as error:
            st.warning(plain(str(error)))


def _show_model() -> None:
    field, button = st.columns([3, 1], vertical_alignment="bottom")
    field.text_input(
        _("Model"), key=MODEL, help=_("As the server knows it; List asks the server for its models.")
    )
    button.button(_("List"), key="form_list", on_click=_list_models, width="stretch")
    listed = state.value(LISTED, ())
    if len(listed) > 1:
        st.selectbox(
            _("Models of this server"), listed, index=None, key=PICKED, on_change=_pick, label_visibility="collapsed",
            placeholder=_("{count} models: choose or search").format(count=len(listed)),
        )  # fmt: skip


def _pick() -> None:
    state.put(MODEL, state.value(PICKED, None) or "")


def _show_preset_facts() -> None:
    chosen = state.value(PRESET, None)
    if chosen:
        known = _preset(chosen)
        variable = known.key_variable(os.environ)
        told = [_("key found in {variable}").format(variable=variable)] if variable else []
        told += [*known.quirks, _("read {date}: {link}").format(date=known.read.isoformat(), link=known.docs)]
        st.caption(" · ".join(plain(part) for part in told))


def _show_found() -> None:
    st.button(_("Find local servers"), key="form_find", on_click=_find,
              help=_("Looks at the known ports of this machine only."))  # fmt: skip
    found: tuple[FoundServer, ...] | None = state.value(FOUND, None)
    if found is None:
        return
    if not found:
        st.caption(_("No server answers at the known ports of this machine."))
    for place, server in enumerate(found):
        kind = server.preset.name if server.preset else _("a server")
        models = ngettext("{count} model", "{count} models", len(server.models)).format(
            count=len(server.models)
        )
        told, use = st.columns([4, 1], vertical_alignment="center")
        told.markdown(plain(f"{kind} · {server.base_url} · {models}"))
        use.button(_("Use"), key=f"use_{place}", on_click=_use, args=(server,), width="stretch")


def _find() -> None:
    state.put(FOUND, tuple(local_servers()))


def _use(server: FoundServer) -> None:
    state.put(URL, server.base_url)
    state.put(LISTED, server.models)
    state.put(MODEL, server.models[0] if server.models else "")
    state.put(NAME, server.preset.name if server.preset else "")


def _take_preset() -> None:
    chosen = state.value(PRESET, None)
    if chosen:
        known = _preset(chosen)
        state.put(URL, known.base_url)
        state.put(NAME, known.name)
        state.put(LISTED, (known.model,) if known.model else ())
        state.put(MODEL, known.model)


def _list_models() -> None:
    try:
        models = tuple(list_models(_url(), _key(), policy=policy()))
        state.put(LISTED, models)
        if len(models) == 1:
            state.put(MODEL, models[0])
        state.leave_notice(
            ngettext("{count} model listed.", "{count} models listed.", len(models)).format(count=len(models))
        )
    except (FormError, ModelsUnavailable, AddressRefused) as error:
        state.leave_notice(str(error))


def _add() -> None:
    try:
        entry = _entry()
    except FormError as error:
        state.leave_notice(str(error))
        return
    state.add_own_backend(entry)
    _clear()
    state.leave_notice(_("{name} is kept for this visit.").format(name=entry.backend.name))


def _clear() -> None:
    for key in (URL, KEY, NAME, EDITED, MODEL):
        state.put(key, "")
    for key in (PRESET, *PRICES):
        state.put(key, None)
    state.put(LISTED, ())


def _fill(entry: Configured) -> None:
    backend = entry.backend
    state.put(URL, backend.base_url)
    state.put(NAME, backend.name)
    state.put(LISTED, (backend.model,))
    state.put(MODEL, backend.model)
    for key, name in zip(PRICES, ("input", "output", "cached_input"), strict=True):
        price = getattr(backend.prices, name, None)
        state.put(key, None if price is None else float(price))


def _entry() -> Configured:
    """What the form holds. Raises FormError."""
    model = str(state.value(MODEL, "")).strip()
    if not model:
        raise FormError(_("Give the model's name as the server knows it."))
    id_ = state.value(EDITED, "") or state.new_own_id()
    name = str(state.value(NAME, "") or "").strip() or model
    warmup = WarmUp(state.value(WARM, WarmUp.NONE.value) or WarmUp.NONE.value)
    return Configured(Backend(id_, name, _url(), model, prices=_prices()), _key(), warmup=warmup)


def _url() -> str:
    try:
        url = clean(str(state.value(URL, "") or ""))
        check(url, policy())
    except (AddressError, AddressRefused) as error:
        raise FormError(str(error)) from error
    return url


def _key() -> str:
    typed = str(state.value(KEY, "") or "").strip()
    if typed:
        return typed
    kept = {entry.backend.id: entry for entry in state.own_backends()}.get(state.value(EDITED, ""))
    if kept is None or not kept.key:
        return _from_environment(os.environ)
    if not _same_server(_url(), kept.backend.base_url):
        raise FormError(_("The address leads to another server now: type the key for it."))
    return kept.key


def _from_environment(environment: Mapping[str, str]) -> str:
    """The key of the chosen preset, for the preset's own server only: no other may be sent it."""
    chosen = state.value(PRESET, None)
    if not chosen:
        return ""
    known = _preset(chosen)
    if not (_same_server(_url(), known.base_url) or (known.placeholder and policy().loopback_only_server)):
        return ""
    return environment.get(known.key_variable(environment), "").strip()


def _same_server(one: str, other: str) -> bool:
    return urlsplit(one)[:2] == urlsplit(other)[:2]


def _prices() -> Prices | None:
    given = [state.value(key, None) for key in PRICES]
    if given == [None] * len(PRICES):
        return None
    tokens_in, tokens_out, cached = (None if price is None else Decimal(str(price)) for price in given)
    return Prices(tokens_in, tokens_out, cached, source=_("typed"))


def _preset(id_: str) -> Preset:
    return next(known for known in presets() if known.id == id_)
