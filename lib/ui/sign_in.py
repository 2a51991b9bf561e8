"""Optional sign-in: the screen in front of every page, and the guard in front of the stream routes.

Streamlit does the OpenID Connect flow (`st.login`, `[auth]` in the settings); who is let in is decided by
`lib/backends/admission.py`. Settings that cannot be read let nobody in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

import streamlit as st
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.auth_util import get_origin_from_redirect_uri, get_secrets_auth_section
from streamlit.web.server.starlette import starlette_websocket
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from lib.backends import settings
from lib.backends.admission import SignIn
from lib.backends.table import SettingsError
from lib.i18n import _
from lib.ui.markdown import plain
from lib.ui.settings_files import settings_files

STREAMS = "/race/"
WIDTH_PX = 380
_REFUSED_SOCKET = 4401


def sign_in() -> SignIn:
    """Who must sign in on this server, read anew. Raises SettingsError."""
    return settings.sign_in(settings_files())


def let_in() -> bool:
    """Whether this visitor may see the pages; if not, the sign-in screen is drawn in their place."""
    try:
        rule = sign_in()
    except SettingsError as error:
        st.error(_("The settings cannot be used. {reason}").format(reason=plain(str(error))))
        return False
    user = st.user.to_dict()
    if rule.admits(user):
        return True
    st.space("large")
    with st.container(horizontal_alignment="center"), st.container(width=WIDTH_PX, key="sign_in"):
        if not _providers():
            st.error(_("Signing in is required here, but the settings have no \\[auth\\] table with a client_id."))
        elif user.get("is_logged_in") is True:
            _show_refused(user)
        else:
            _show_sign_in()
    return False


def show_who() -> None:
    """At the foot of a page: who is signed in, and the way out. Nothing where nobody signs in."""
    if sign_in().required:
        with st.container(horizontal=True, vertical_alignment="center", key="signed_in"):
            st.caption(_("Signed in as {name}").format(name=plain(_name(st.user.to_dict()))), width="content")
            st.button(_("Sign out"), key="sign_out", on_click=st.logout, type="tertiary")


def user_of(connection: HTTPConnection) -> dict[str, Any]:
    """What Streamlit's signed cookie says about the person behind a request; empty without a valid one.

    This is the one place that leans on Streamlit's private parts (1.67); tests/browser/test_sign_in.py and
    tests/ui/test_sign_in.py fail when they move.
    """
    raw = starlette_websocket._get_signed_cookie_with_chunks(dict(connection.cookies), USER_COOKIE_NAME)
    if not raw:
        return {}
    user = cast("dict[str, Any]", json.loads(raw))
    return user if user.get("origin") == get_origin_from_redirect_uri() else {}


class StreamGuard:
    """In front of the stream routes: where signing in is required, a run's id alone opens nothing."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is no stream, and streams of people who may come in."""
        if scope["type"] not in ("http", "websocket") or STREAMS not in scope["path"] or _admits(scope):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _REFUSED_SOCKET, "reason": "sign in first"})
        else:
            await PlainTextResponse("sign in first\n", 401)(scope, receive, send)


def _admits(scope: Scope) -> bool:
    try:
        rule = sign_in()
    except SettingsError:
        return False
    return not rule.required or rule.admits(user_of(HTTPConnection(scope)))


def _show_sign_in() -> None:
    st.markdown(f"### {_('Sign in to Tokenrace')}")
    st.markdown(_("One prompt, several models, side by side, at the speed they really have."))
    for provider, label in _providers().items():
        st.button(label, key=f"sign_in_{provider}", type="primary", on_click=st.login,
                  args=(provider,) if provider else ())  # fmt: skip


def _show_refused(user: Mapping[str, Any]) -> None:
    st.markdown(f"### {_('Not for this account')}")
    told = _("{name} may not use this server. Its operator decides who may.")
    st.markdown(told.format(name=f"**{plain(_name(user))}**"))
    st.button(_("Sign out"), key="sign_out", on_click=st.logout)


def _providers() -> dict[str, str]:
    """The identity providers of the settings and what their button says; the unnamed one is an empty text."""
    auth = get_secrets_auth_section().to_dict()
    named = [name for name, table in auth.items() if isinstance(table, dict) and table.get("client_id")]
    found = {name: _("Sign in with {name}").format(name=plain(name.title())) for name in named}
    return {"": _("Sign in"), **found} if auth.get("client_id") else found


def _name(user: Mapping[str, Any]) -> str:
    return str(user.get("email") or user.get("name") or user.get("sub") or _("somebody"))
