"""The plain way: the OpenAI SDK's own loop in a thread of a process that also draws, for comparison only.

    python -m tests.bench.stock_client --port N --models M M ... [--idle]

Beside the loop a thread of the same process draws (`drawing`); `--idle` leaves it out. Output as
`raw_client`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import threading
import time
from dataclasses import dataclass, field

import openai

from tests.bench.drawing import draw


@dataclass(slots=True)
class Lane:
    """What the loop noted of one stream."""

    model: str
    sent_ns: int = 0
    stamps_ns: list[int] = field(default_factory=list)


async def follow(client: openai.AsyncOpenAI, lane: Lane) -> None:
    """What most programs do: take a time, create, loop over chunks."""
    lane.sent_ns = time.perf_counter_ns()
    stream = await client.chat.completions.create(
        model=lane.model, messages=[{"role": "user", "content": "Go"}], stream=True
    )
    async for chunk in stream:
        if chunk.choices and chunk.choices[0].delta.content:
            lane.stamps_ns.append(time.perf_counter_ns())


async def race(base_url: str, lanes: list[Lane]) -> None:
    """All lanes at once with one client."""
    async with openai.AsyncOpenAI(base_url=base_url, api_key="none") as client:
        await asyncio.gather(*(follow(client, lane) for lane in lanes))


def main() -> None:
    """Run the race in a thread, draw in another, print what was stamped."""
    parser = argparse.ArgumentParser(description="The stock SDK loop in a thread.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--models", nargs="+", required=True)
    parser.add_argument("--idle", action="store_true")
    options = parser.parse_args()
    lanes = [Lane(model) for model in options.models]
    stop, begun = threading.Event(), threading.Event()
    drawing = threading.Thread(target=draw, args=(stop, begun))
    if not options.idle:
        drawing.start()
        begun.wait()
    base_url = f"http://127.0.0.1:{options.port}/v1"
    racing = threading.Thread(target=asyncio.run, args=(race(base_url, lanes),))
    racing.start()
    racing.join()
    stop.set()
    if not options.idle:
        drawing.join()
    for lane in lanes:
        print(json.dumps({"model": lane.model, "sent_ns": lane.sent_ns, "stamps_ns": lane.stamps_ns}))


if __name__ == "__main__":
    main()
