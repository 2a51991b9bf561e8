"""The SDK's way to the network, with the two moments we need: connection ready, request written.

aiohttp carries the SDK's requests (its transport costs a fifth of httpx2's per chunk and tells when the
body has been written). Which lane a callback belongs to is found through a context variable, since one
session, and so one pool of open connections, serves all lanes. Without aiohttp the SDK's own transport
works too; the moments are then coarser, and `Network.exact` says so.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextvars import ContextVar
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import SimpleNamespace
from typing import Any, Protocol

import httpx2
from openai import AsyncOpenAI

try:
    import aiohttp
    from openai._vendor.httpx_aiohttp.transport import AiohttpTransport
except ImportError:  # pragma: no cover - the requirements contain it
    aiohttp = None  # type: ignore[assignment]

from lib.collector.address import is_local
from lib.collector.error_bodies import CappedErrors
from lib.collector.guard import AddressRefused, GuardedResolver, vet_literal
from lib.i18n import _

now_ns = time.perf_counter_ns


class Moments(Protocol):
    """What a lane wants to hear about its own request."""

    def connected(self, at_ns: int, setup_ms: float | None, dns_ms: float | None) -> None: ...

    def sent(self, at_ns: int) -> None: ...


LANE: ContextVar[Moments] = ContextVar("lane")


class Network:
    """Connection pools of this process: one for local addresses, one that may use a proxy, guarded ones."""

    def __init__(self) -> None:
        self.exact = aiohttp is not None
        self._clients: dict[tuple[bool, tuple[str, ...] | None], httpx2.AsyncClient] = {}

    def client(
        self, base_url: str, key: str, connect_s: float | None, allowed: Iterable[str] | None = None
    ) -> AsyncOpenAI:
        """An SDK client for one request; the connections behind it are shared and stay open.

        With `allowed` it reaches public addresses and these only (`lib/collector/guard.py`), past any proxy,
        since behind one nobody sees the address. Raises AddressRefused.
        """
        guarded = None if allowed is None else tuple(allowed)
        direct = is_local(base_url) or guarded is not None
        if guarded is not None:
            if not self.exact:
                raise AddressRefused(_("Without aiohttp an address cannot be checked, so none is called."))
            vet_literal(base_url, guarded)
        pool = (direct, guarded)
        if pool not in self._clients:
            self._clients[pool] = self._new_client(direct, guarded)
        return AsyncOpenAI(
            base_url=base_url,
            api_key=key or "no-key-needed",
            max_retries=0,
            timeout=httpx2.Timeout(None, connect=connect_s),
            http_client=self._clients[pool],
        )

    async def close(self) -> None:
        """Close every open connection."""
        for client in self._clients.values():
            await client.aclose()

    def _new_client(self, direct: bool, guarded: tuple[str, ...] | None) -> httpx2.AsyncClient:
        if not self.exact:
            return httpx2.AsyncClient(trust_env=not direct, follow_redirects=False, cookies=_no_cookies())

        def session() -> aiohttp.ClientSession:
            resolver: Any = None
            if guarded is not None:
                resolver = GuardedResolver(aiohttp.ThreadedResolver(), guarded)
            return aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300, resolver=resolver),
                trace_configs=[_trace()],
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=not direct,
                timeout=aiohttp.ClientTimeout(total=None),
            )

        return httpx2.AsyncClient(
            transport=CappedErrors(AiohttpTransport(client=session)),
            trust_env=False,
            follow_redirects=False,
            cookies=_no_cookies(),
        )


def _no_cookies() -> CookieJar:
    """A jar that keeps nothing: the pool is shared, and no request may carry what another one was given."""
    return CookieJar(DefaultCookiePolicy(allowed_domains=()))


def _trace() -> aiohttp.TraceConfig:
    trace = aiohttp.TraceConfig()

    async def began(_session: Any, context: SimpleNamespace, _params: Any) -> None:
        context.began = now_ns()

    async def resolved(_session: Any, context: SimpleNamespace, _params: Any) -> None:
        context.dns_ms = (now_ns() - context.dns) / 1e6

    async def resolving(_session: Any, context: SimpleNamespace, _params: Any) -> None:
        context.dns = now_ns()

    async def created(_session: Any, context: SimpleNamespace, _params: Any) -> None:
        at = now_ns()
        LANE.get().connected(at, (at - context.began) / 1e6, getattr(context, "dns_ms", None))

    async def reused(_session: Any, _context: SimpleNamespace, _params: Any) -> None:
        LANE.get().connected(now_ns(), None, None)

    async def written(_session: Any, _context: SimpleNamespace, _params: Any) -> None:
        LANE.get().sent(now_ns())

    trace.on_connection_create_start.append(began)
    trace.on_dns_resolvehost_start.append(resolving)
    trace.on_dns_resolvehost_end.append(resolved)
    trace.on_connection_create_end.append(created)
    trace.on_connection_reuseconn.append(reused)
    trace.on_request_chunk_sent.append(written)
    return trace
