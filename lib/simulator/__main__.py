"""`python -m lib.simulator`: the simulated and recorded backends as one HTTP server on loopback.

    python -m lib.simulator --port 8600
    curl -N http://127.0.0.1:8600/v1/chat/completions -H 'Content-Type: application/json' -d '{
      "model": "gpt-5.6-sol-ultrafast", "stream": true, "stream_options": {"include_usage": true},
      "messages": [{"role": "user", "content": "How was a lighthouse kept before electricity?"}]}'

GET /v1/models lists every backend; `origin` says simulated or recorded. A recording is sent byte for byte at
its own times, whatever the prompt. A simulated answer keeps the TTFT and the rate of its profile; max_tokens,
max_completion_tokens, stop, seed, reasoning_effort, stream_options and ignore_eos mean what they mean
elsewhere. Tokens are those of o200k_base.

The extra key "simulator" changes the profile for one request:
    ttft_ms, tok_s, tokens_per_chunk, jitter_cv    other speeds
    tokens                                         exactly so many answer tokens
    thinking_tokens                                visible thinking of about that length
    fault, after_tokens, times, key, ...           something goes wrong:
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import os
import signal
import sys
import threading
from collections.abc import Callable

from aiohttp import web

from lib.simulator import answers, faults
from lib.simulator.profiles import load_profiles
from lib.simulator.recordings import load_recordings
from lib.simulator.server import Simulator

try:
    import uvloop

    _new_loop: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
except ImportError:  # not on every platform; asyncio's own loop keeps the same deadlines
    _new_loop = asyncio.new_event_loop

HOST = "127.0.0.1"
_SHUTDOWN_S = 0.2
USAGE = f"{__doc__}\n{(faults.__doc__ or '').partition(chr(10) * 2)[2]}"


async def serve(port: int, *, until_stdin_closes: bool) -> None:
    """Serve until SIGTERM or SIGINT (or the end of stdin); prints one JSON line when it listens."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # no signal handlers on this platform's loop
            loop.add_signal_handler(number, stop.set)
    if until_stdin_closes:
        _watch_stdin(loop, stop)
    simulator = Simulator(load_profiles(), load_recordings(), usage=USAGE)
    runner = web.AppRunner(
        simulator.application(), access_log=None, handler_cancellation=True, shutdown_timeout=_SHUTDOWN_S
    )
    await runner.setup()
    await web.TCPSite(runner, HOST, port).start()
    _say_ready(runner.addresses[0][1])
    await stop.wait()
    await runner.cleanup()


def _say_ready(port: int) -> None:
    line = {"base_url": f"http://{HOST}:{port}/v1", "port": port, "pid": os.getpid()}
    print(json.dumps(line), flush=True)


def _watch_stdin(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    def wait() -> None:
        while os.read(0, 4096):
            pass
        with contextlib.suppress(RuntimeError):  # the loop has already ended
            loop.call_soon_threadsafe(stop.set)

    threading.Thread(target=wait, name="stdin", daemon=True).start()


def _warm_up() -> None:
    answers.warm_up()
    gc.collect()
    gc.freeze()


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and serve."""
    parser = argparse.ArgumentParser(
        prog="python -m lib.simulator",
        description=USAGE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=int, default=0, help="0 (the default) takes any free port")
    parser.add_argument("--until-stdin-closes", action="store_true", help="end when standard input does")
    options = parser.parse_args(arguments)
    _warm_up()
    try:
        with asyncio.Runner(loop_factory=_new_loop) as runner:
            runner.run(serve(options.port, until_stdin_closes=options.until_stdin_closes))
    except OSError as error:
        print(json.dumps({"error": f"cannot listen on {HOST}:{options.port}: {error.strerror}"}), flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
