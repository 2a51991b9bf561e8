"""A stream client: follows one run on the app's WebSocket as a browser does, and draws nothing.

    python -m tests.bench.follower ws://127.0.0.1:8501/race/ws/RUN

Prints one JSON line when the result has come: messages, bytes, and the letters of each lane's text (white
space left out), so that lost or doubled text shows.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter

import aiohttp

RESULT = '"result":{'  # within a text its quotation marks would be escaped


async def follow(address: str) -> dict[str, object]:
    """Read until the result; parse afterwards."""
    received: list[str] = []
    async with aiohttp.ClientSession() as session, session.ws_connect(address, max_msg_size=0) as socket:
        async for message in socket:
            received.append(message.data)
            if RESULT in message.data:
                break
    letters: Counter[int] = Counter()
    for text in received:
        for lane, _channel, entries in json.loads(text).get("d", ()):
            letters[lane] += sum(len("".join(piece.split())) for piece in entries[1::2])
    size = sum(len(text.encode()) for text in received)
    return {"messages": len(received), "bytes": size, "letters": [letters[lane] for lane in sorted(letters)]}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(follow(sys.argv[1]))))
