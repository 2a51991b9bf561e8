"""The process that runs the local model: `python -m lib.local_model`.

It prints one JSON line when it answers, {"base_url", "model", "engine", "pid"}, or {"error": sentence}
when it cannot, and runs until it is told to stop (SIGTERM, Ctrl-C, or the end of its standard input).
It serves an OpenAI-compatible API on loopback; it is no part of the measuring.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType

from lib.i18n import _
from lib.local_model import converted, weights
from lib.local_model.gguf_header import read_header
from lib.local_model.variants import BY_ID, VARIANTS, Speculation

try:
    from lib.local_model import server
except ImportError:  # the engine is an optional package; `unavailable_reason` says so in words
    server = None  # type: ignore[assignment]

YIELDING = 5  # niceness: on a small machine the clock of the race comes before the model's speed


def main() -> int:
    """Run the server until told to stop; the exit code is 1 when it could not start."""
    options = _options()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    if hasattr(os, "nice"):
        os.nice(YIELDING)
    error = _serve(options)
    if error is not None:
        print(json.dumps({"error": error}), flush=True)
        return 1
    if options.until_stdin_closes:
        sys.stdin.buffer.read()
    else:
        threading.Event().wait()
    _leave(0, None)
    return 0


def _serve(options: argparse.Namespace) -> str | None:
    """Start serving and announce it; a sentence when that is not possible."""
    reason = weights.engine_unavailable_reason() if options.model else weights.unavailable_reason()
    if server is None or reason is not None:
        return reason or _("The local model's engine is installed but could not be loaded.")
    try:
        settings = _settings(options)
        running, base_url = server.serve(settings)
    except (OSError, server.LoadError, weights.WeightsError) as error:
        return str(error)
    _running.append(running)
    line = {"base_url": base_url, "model": settings.name, "engine": weights.engine_name(), "pid": os.getpid()}
    print(json.dumps(line), flush=True)
    return None


def _settings(options: argparse.Namespace) -> server.Settings:
    """Which file is served and how. Raises WeightsError."""
    asked = Speculation(options.speculation) if options.speculation else None
    if options.model:
        file = Path(options.model)
        context = min(server.CONTEXT_PER_SLOT, read_header(file).context_tokens or server.CONTEXT_PER_SLOT)
        name = weights.model_name(file.stem)
        return server.Settings(file, options.threads, options.port, name, asked, context)
    variant = BY_ID[options.variant]
    name = weights.model_name(f"smollm2-135m-instruct-{variant.width.value}")
    file = converted.file_of(variant.width)
    guesses = asked or variant.speculation
    return server.Settings(file, options.threads, options.port, name, guesses, slots=variant.slots)


_running: list[object] = []  # the server stops when nothing refers to it


def _leave(_number: int, _frame: FrameType | None) -> None:
    """End at once: the engine's native threads may be in the middle of an answer nobody waits for."""
    os._exit(0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m lib.local_model", description=__doc__)
    parser.add_argument("--model", metavar="PATH", help="any GGUF file instead of the installed SmolLM2")
    parser.add_argument(
        "--variant",
        default=VARIANTS[0].id,
        choices=tuple(BY_ID),
        help="form of SmolLM2 (default: as shipped)",
    )
    parser.add_argument("--speculation", choices=tuple(Speculation), help="guess tokens ahead")
    parser.add_argument("--threads", type=int, default=1, help="threads of the engine (default: 1)")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (default: any free one)")
    parser.add_argument("--until-stdin-closes", action="store_true", help="end with the parent process")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
