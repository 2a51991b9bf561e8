"""What costs 45 to 104 ms in the first call of a process, done once before any clock runs."""

from __future__ import annotations

import platform
from importlib.metadata import version

import httpx2
from openai import AsyncOpenAI

from lib import __version__
from lib.collector.body import Body
from lib.collector.connection import Network

_STREAM = (
    b'data: {"choices":[{"index":0,"delta":{"content":"warm"}}]}\n\n'
    b'data: {"choices":[],"usage":{"completion_tokens":1}}\n\ndata: [DONE]\n\n'
)


async def warm(network: Network) -> None:
    """Exercise SDK, transport objects and decoder against a mock transport; nothing leaves the process."""
    mock = httpx2.MockTransport(
        lambda _request: httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=_STREAM)
    )
    async with httpx2.AsyncClient(transport=mock) as client:
        sdk = AsyncOpenAI(base_url="http://127.0.0.1/v1", api_key="warm", max_retries=0, http_client=client)
        create = sdk.chat.completions.with_streaming_response.create
        for _ in range(2):
            async with create(
                model="warm", messages=[{"role": "user", "content": ""}], stream=True
            ) as response:
                body = Body([], lambda: 0)
                await body.read(response.http_response.aiter_bytes())
                body.flush()
    network.client("http://127.0.0.1/v1", "warm", 1.0)
    network.client("https://localhost.invalid/v1", "warm", 1.0)


def versions(uvloop_used: bool) -> dict[str, str]:
    """Versions behind a measurement, for its provenance."""
    packages = {name: version(name) for name in ("openai", "aiohttp", "orjson")}
    loop = f"uvloop {version('uvloop')}" if uvloop_used else "asyncio"
    return {"tokenrace": __version__, "python": platform.python_version(), "loop": loop, **packages}
