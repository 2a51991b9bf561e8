"""Bodies of refusals, cut to a size a person could read: the SDK reads them whole before it raises.

Without the cut a server that answers an error status with a body that never ends would fill the memory.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

MAX_ERROR_BYTES = 256 * 1024


class CappedErrors(httpx2.AsyncBaseTransport):
    """The transport it is given, but that a body of status 300 or more ends after MAX_ERROR_BYTES."""

    def __init__(self, transport: httpx2.AsyncBaseTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send it, and cap what comes back if it is no answer."""
        response = await self._transport.handle_async_request(request)
        if response.status_code >= 300 and isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Capped(response.stream)
        return response

    async def aclose(self) -> None:
        """Close the transport."""
        await self._transport.aclose()


class _Capped(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_ERROR_BYTES
        async for piece in self._stream:
            yield piece[:left]
            left -= len(piece)
            if left <= 0:
                return

    async def aclose(self) -> None:
        await self._stream.aclose()
