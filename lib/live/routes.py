"""The stream routes: a run's messages over a WebSocket, and the same as server-sent events.

`from` is the number of messages the viewer already has. The unguessable run id is the right to read.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from lib.live.hub import Hub
from lib.live.live_run import LiveRun

HEARTBEAT_S = 10.0
NO_SUCH_RUN = 4404
SSE_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def routes(hub: Callable[[], Hub], prefix: str = "") -> list[BaseRoute]:
    """The routes below `prefix` (Streamlit's base path, which it does not add by itself)."""

    async def websocket(socket: WebSocket) -> None:
        live = hub().get(socket.path_params["run"])
        if not _same_origin(socket):
            await socket.close()
            return
        await socket.accept()
        if live is None:
            await socket.close(NO_SUCH_RUN, "no such run")
            return
        await _follow(socket, live, _from(socket.query_params.get("from")))

    async def events(request: Request) -> Response:
        live = hub().get(request.path_params["run"])
        if live is None:
            return PlainTextResponse("no such run\n", 404)
        received = request.headers.get("last-event-id")
        start = int(received) + 1 if received and received.isdecimal() else None
        start = _from(request.query_params.get("from")) if start is None else start
        return StreamingResponse(_events(live, start), media_type="text/event-stream", headers=SSE_HEADERS)

    base = prefix.strip("/")
    base = f"/{base}" if base else ""
    return [
        WebSocketRoute(f"{base}/race/ws/{{run}}", websocket),
        Route(f"{base}/race/sse/{{run}}", events),
    ]


async def _follow(socket: WebSocket, live: LiveRun, index: int) -> None:
    """Send until the viewer leaves; its leaving is only noticed by someone who listens."""
    sender = asyncio.create_task(_send(socket, live, index))
    try:
        while True:
            await socket.receive_text()
    except (WebSocketDisconnect, RuntimeError):
        pass
    finally:
        sender.cancel()


async def _send(socket: WebSocket, live: LiveRun, index: int) -> None:
    with _Bell(live) as bell:
        while True:
            while index < len(live.messages):
                await socket.send_text(live.messages[index])
                index += 1
            await bell.wait()


async def _events(live: LiveRun, index: int) -> AsyncIterator[str]:
    with _Bell(live) as bell:
        while True:
            while index < len(live.messages):
                yield f"id: {index}\ndata: {live.messages[index]}\n\n"
                index += 1
            try:
                await asyncio.wait_for(bell.wait(), HEARTBEAT_S)
            except TimeoutError:
                yield ":\n\n"


class _Bell:
    """Rings in this event loop when the run has a new message, whichever thread appended it."""

    def __init__(self, live: LiveRun) -> None:
        self._live = live
        self._event = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def __enter__(self) -> _Bell:
        self._live.watch(self._ring)
        return self

    def __exit__(self, *_: object) -> None:
        self._live.unwatch(self._ring)

    async def wait(self) -> None:
        """Until the next ring, or at once when it rang since the last wait."""
        await self._event.wait()
        self._event.clear()

    def _ring(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closing
            self._loop.call_soon_threadsafe(self._event.set)


def _same_origin(socket: WebSocket) -> bool:
    """Browsers let any page open a WebSocket: only our own may (a client without Origin is no browser)."""
    origin = socket.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == socket.headers.get("host")


def _from(text: str | None) -> int:
    return int(text) if text and text.isdecimal() else 0
