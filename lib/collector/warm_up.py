"""What is done with a backend before its race: its connection opened, or one request made and discarded.

Nothing of it enters a recording: the race that follows finds an open connection (`setup_ms` null), and the time
this took is handed back apart. A connection is opened by asking for the list of models, which costs nothing
and keeps it open whatever the answer is.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from dataclasses import replace

import openai

from lib.collector.connection import LANE, Network, now_ns
from lib.collector.errors import kind_of_transport
from lib.collector.lane import Lane, Refused
from lib.collector.order import Order, Warmed
from lib.collector.redact import redact, redactor
from lib.domain.run import WarmUp

MOST_S = 60.0  # for one backend, whatever its own limits are


class _SetUp:
    """Hears when the connection is there (`connection.Moments`)."""

    setup_ms: float | None = None

    def connected(self, _at_ns: int, setup_ms: float | None, _dns_ms: float | None) -> None:
        self.setup_ms = setup_ms

    def sent(self, _at_ns: int) -> None:
        """Not timed."""


async def warm_up(orders: Iterable[tuple[WarmUp, Order]], network: Network, refused: Refused) -> list[Warmed]:
    """Warm every order: those of one queue one after another, queues beside each other; never raises."""
    queues: dict[str, asyncio.Lock] = {}

    async def one(kind: WarmUp, order: Order) -> Warmed:
        async with queues.setdefault(order.queue, asyncio.Lock()):
            try:
                async with asyncio.timeout(MOST_S):
                    if kind is WarmUp.REQUEST:
                        return await _request(order, network, refused)
                    return await _connection(order, network)
            except TimeoutError:
                return Warmed(order.lane, None, f"The limit is {MOST_S:g} s.")

    return await asyncio.gather(*(one(kind, order) for kind, order in orders if kind is not WarmUp.NONE))


async def _connection(order: Order, network: Network) -> Warmed:
    LANE.set(watch := _SetUp())
    limits = order.limits
    try:
        client = network.client(order.base_url, order.key.strip(), limits.connect_s, limits.allowed_hosts)
        with contextlib.suppress(openai.APIStatusError):  # an answer, so the connection is there
            await client.models.with_raw_response.list()
    except Exception as error:  # transport faults come as classes of three libraries
        _kind, message = kind_of_transport(error, False, False)
        return Warmed(order.lane, watch.setup_ms, redact(message, redactor(order.key)))
    return Warmed(order.lane, watch.setup_ms)


async def _request(order: Order, network: Network, refused: Refused) -> Warmed:
    """One whole request of one token, its rows thrown away; what it learns about refused parameters stays."""
    lane = Lane(replace(order, params={**order.params, "max_tokens": 1}), now_ns(), network, refused)
    if await lane.turn(asyncio.Lock()):
        await lane.run()
    rows = lane.take()
    setups = [row[2] for row in rows if row[1] == "connected" and row[2] is not None]
    errors = [str(row[3] or row[2]) for row in rows if row[1] == "error"]
    return Warmed(order.lane, setups[0] if setups else None, errors[-1] if errors else "")
