"""The services of this server process, made once: hub with collector, simulator, local model.

`app.py` starts them with the server; a script run without a server (tests) starts them on first use.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import streamlit as st
from sqlalchemy.exc import SQLAlchemyError
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lib import tokens
from lib.backends import settings
from lib.backends.catalogue import Catalogue
from lib.backends.policy import Policy
from lib.i18n import _
from lib.live.hub import Hub
from lib.local_model.models import LocalModels
from lib.server_process import ServerProcess
from lib.store.keeper import Keeper
from lib.store.location import AddressOfDatabaseError
from lib.store.migrate import NewerHistoryError
from lib.store.store import Store
from lib.store.trouble import sentence_of
from lib.ui.settings_files import settings_file
from lib.ui.sign_in import StreamGuard
from lib.view_stream import lane_figures, race_result

# Model output is data: a picture in an answer must never be fetched from somewhere else.
CONTENT_SECURITY_POLICY = b"img-src 'self' data: blob:; object-src 'none'; base-uri 'self'"
FORWARDING = (
    "X-Forwarded-For",
    "Forwarded",
    "X-Real-Ip",
)  # headers of a proxy or a tunnel: others can reach us


@dataclass(frozen=True, slots=True)
class Services:
    """What the pages and routes use."""

    hub: Hub
    catalogue: Catalogue
    store: Store | None
    keeper: Keeper | None
    no_history: str  # why there is none, as the database says it; empty when there is one


_log = logging.getLogger(__name__)
_lock = threading.Lock()
_made: list[Services] = []


def services() -> Services:
    """The services; made and started on the first call."""
    with _lock:
        if not _made:
            _made.append(_start())
        return _made[0]


def hub() -> Hub:
    """The hub of live runs."""
    return services().hub


def catalogue() -> Catalogue:
    """What can be raced."""
    return services().catalogue


def local_models() -> LocalModels:
    """The models of this machine."""
    return services().catalogue.models


def store() -> Store | None:
    """The history, or None when its database cannot be opened (`no_history` says why)."""
    return services().store


def keeper() -> Keeper | None:
    """Who writes the history, or None where there is none."""
    return services().keeper


def no_history() -> str:
    """Why runs are not being kept at the moment; an empty text when they are."""
    made = services()
    if made.no_history:
        return _(
            "Runs are not kept: {reason}. When that is mended, start Tokenrace again; until then the buttons under a "
            "result give its recording."
        ).format(reason=made.no_history)
    trouble = made.keeper.trouble if made.keeper is not None else None
    return sentence_of(trouble) if trouble is not None else ""


def is_lost(run_id: str) -> bool:
    """Whether this run could not be kept, or not all of it."""
    keeper = services().keeper
    return keeper is not None and keeper.is_lost(run_id)


def policy() -> Policy:
    """What this visitor may call from this server. Raises SettingsError."""
    address = st.context.ip_address
    visitor = address if isinstance(address, str) else None  # nobody, when a script runs without a server
    forwarded = any(name in st.context.headers for name in FORWARDING)
    return settings.policy(st.get_option("server.address"), settings_file(), visitor, forwarded)


def close() -> None:
    """End every process that was started."""
    with _lock:
        for made in _made:
            made.hub.close()
            made.catalogue.close()
            if made.keeper is not None:
                made.keeper.close()
            if made.store is not None:
                made.store.close()
        _made.clear()


@asynccontextmanager
async def lifespan(_app: Any) -> AsyncIterator[None]:
    """Start with the server, end with it."""
    services()
    try:
        yield
    finally:
        close()


class SecurityHeaders:
    """Adds the content security policy to every response; a pure ASGI layer, so it never buffers a stream."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; add the header to HTTP responses."""

        async def with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message.get("headers", ()),
                    (b"content-security-policy", CONTENT_SECURITY_POLICY),
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"same-origin"),
                ]
            await send(message)

        await self.app(scope, receive, with_policy if scope["type"] == "http" else send)


middleware = [Middleware(SecurityHeaders), Middleware(StreamGuard)]


def _start() -> Services:
    store, why = _open_store()
    keeper = Keeper(store) if store is not None else None
    made = Services(
        Hub(lane_figures, race_result, keeper=keeper),
        Catalogue(ServerProcess("lib.simulator"), LocalModels()),
        store,
        keeper,
        why,
    )
    made.hub.collector.start()
    made.catalogue.start()
    threading.Thread(target=tokens.warm, name="tokens", daemon=True).start()
    return made


def _open_store() -> tuple[Store | None, str]:
    """The history; without a database the races go on, and the page says what is missing."""
    try:
        return Store(), ""
    except (SQLAlchemyError, NewerHistoryError, AddressOfDatabaseError, OSError) as error:
        _log.exception("the history cannot be opened")
        return None, str(error).splitlines()[0]
