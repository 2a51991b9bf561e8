"""`python -m lib measure`: the collector without a page, one JSON document as the result.

Trials run one after another; with several backends they are interleaved, each round in random order.
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
import statistics
import sys
from collections.abc import Sequence
from contextlib import closing, nullcontext
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import orjson
from sqlalchemy.exc import SQLAlchemyError

from lib import __version__
from lib.backends.settings import Configured, configured
from lib.collector.address import AddressError, clean
from lib.collector.single import Measurer
from lib.domain.run import Backend, Limits, Mode, Params, Prices, Prompt, Run
from lib.metrics.keys import measure_keys
from lib.store.location import AddressOfDatabaseError
from lib.store.migrate import NewerHistoryError
from lib.store.store import Store

DEFAULT_PROMPT = "Explain to a visitor how a lighthouse was kept before electricity. About 400 words."
DEFAULT_LIMITS = Limits()
HISTORY_FAULTS = (SQLAlchemyError, OSError, AddressOfDatabaseError, NewerHistoryError)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    add = parser.add_argument
    add("--base-url", help="address of an OpenAI-compatible API, usually ending in /v1")
    add("--model", help="model name")
    add("--api-key-env", metavar="VAR", help="environment variable that holds the key")
    add(
        "--backend",
        action="append",
        default=[],
        metavar="NAME",
        help="a backend from the settings; repeatable",
    )
    add("--interleave", action="store_true", help="with several backends: rounds in random order")
    add("--prompt", default=DEFAULT_PROMPT, help="the prompt, or - to read it from standard input")
    add("--system", default="", help="system text")
    add("--max-tokens", type=int, default=512)
    add("--temperature", type=float)
    add("--trials", type=int, default=1)
    add("--connect-timeout", type=float, default=DEFAULT_LIMITS.connect_s, metavar="S")
    add("--first-token-timeout", type=float, default=DEFAULT_LIMITS.first_token_s, metavar="S")
    add("--stall-timeout", type=float, default=DEFAULT_LIMITS.stall_s, metavar="S")
    add("--total-timeout", type=float, default=DEFAULT_LIMITS.total_s, metavar="S")
    add("--max-attempts", type=int, default=DEFAULT_LIMITS.max_attempts)
    add("--stop-after-ms", type=float, metavar="N", help="press Stop N ms after the request")
    for name in ("in", "out", "cached"):
        add(f"--price-{name}", type=Decimal, metavar="PER_MILLION")
    add("--json", action="store_true", help="one JSON document on standard output")
    add("--save", action="store_true", help="keep each trial in the history, as a run of one lane")


def run(options: argparse.Namespace) -> int:
    """Measure as the options say; the exit code is 0 when every trial completed."""
    try:
        entries = _entries(options)
        prompt = sys.stdin.read() if options.prompt == "-" else options.prompt
        with closing(Store()) if options.save else nullcontext() as store:
            trials = _measure(
                entries, _rounds(options, len(entries)), Prompt(prompt, options.system), options, store
            )
    except (AddressError, LookupError, *HISTORY_FAULTS) as error:
        print(error, file=sys.stderr)
        return 2
    documents = [_document(entry, [keys for index, keys in trials if index == place])
                 for place, entry in enumerate(entries)]  # fmt: skip
    document = documents[0] if len(documents) == 1 else _interleaved(documents)
    text = orjson.dumps(document, option=orjson.OPT_INDENT_2, default=str).decode()
    print(text if options.json else _table(documents))
    return 0 if trials and all(keys["status"] == "complete" for _, keys in trials) else 1


def _measure(
    entries: Sequence[Configured],
    order: Sequence[int],
    prompt: Prompt,
    options: argparse.Namespace,
    store: Store | None,
) -> list[tuple[int, dict[str, Any]]]:
    found: list[tuple[int, dict[str, Any]]] = []
    params = Params(max_tokens=options.max_tokens, temperature=options.temperature)
    with Measurer() as measurer:
        try:
            for number, place in enumerate(order, 1):
                backend, key = entries[place].backend, entries[place].key
                started_at = datetime.now(UTC).isoformat(timespec="seconds")
                generation = measurer.generation(backend, key, prompt, params, _limits(options))
                if store is not None:
                    run = Run(secrets.token_urlsafe(12), prompt, params, Mode.ONE_BY_ONE, (backend,), started_at,
                              (generation,), versions={"tokenrace": __version__})  # fmt: skip
                    _save(store, run)
                keys = measure_keys(generation, backend)
                found.append((place, keys))
                print(_progress(number, len(order), backend, keys), file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            print("stopped; the trials so far follow", file=sys.stderr)
    return found


def _save(store: Store, run: Run) -> None:
    """Keep one trial; when that fails it is said, and the measurement goes on."""
    try:
        print(f"kept as {store.save(run, ('measure',))}", file=sys.stderr, flush=True)
    except HISTORY_FAULTS as error:
        print(f"this trial could not be kept: {error}", file=sys.stderr, flush=True)


def _entries(options: argparse.Namespace) -> tuple[Configured, ...]:
    if options.backend:
        known = {entry.backend.id: entry for entry in configured()}
        missing = [name for name in options.backend if name not in known]
        if missing:
            raise LookupError(
                f"no backend {missing[0]!r} in the settings; known: {', '.join(known) or 'none'}"
            )
        return tuple(known[name] for name in options.backend)
    if not options.base_url or not options.model:
        raise LookupError("give --base-url and --model, or --backend NAME")
    prices = None
    if (options.price_in, options.price_out, options.price_cached) != (None, None, None):
        prices = Prices(options.price_in, options.price_out, options.price_cached, source="command line")
    key = os.environ.get(options.api_key_env, "") if options.api_key_env else ""
    backend = Backend("measured", options.model, clean(options.base_url), options.model, prices=prices)
    return (Configured(backend, key),)


def _rounds(options: argparse.Namespace, backends: int) -> list[int]:
    places = list(range(backends))
    if not options.interleave:
        return [place for place in places for _ in range(options.trials)]
    return [place for _ in range(options.trials) for place in random.sample(places, backends)]


def _limits(options: argparse.Namespace) -> Limits:
    return Limits(
        connect_s=options.connect_timeout,
        first_token_s=options.first_token_timeout,
        stall_s=options.stall_timeout,
        total_s=options.total_timeout,
        max_attempts=options.max_attempts,
        stop_after_s=None if options.stop_after_ms is None else options.stop_after_ms / 1000,
    )


def _document(entry: Configured, trials: list[dict[str, Any]]) -> dict[str, Any]:
    backend = entry.backend
    return {
        "product": "tokenrace",
        "version": __version__,
        "backend": {
            "id": backend.id,
            "name": backend.name,
            "base_url": backend.base_url,
            "model": backend.model,
        },
        "trials": trials,
        "summary": _summary(trials),
    }


def _interleaved(documents: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "product": "tokenrace",
        "version": __version__,
        "backends": [
            {key: document[key] for key in ("backend", "trials", "summary")} for document in documents
        ],
    }


def _summary(trials: list[dict[str, Any]]) -> dict[str, Any]:
    """Medians over the complete trials; a figure nobody has is null."""
    complete = [keys for keys in trials if keys["status"] == "complete"]
    names = ("ttft_ms", "first_answer_ms", "end_ms", "decode_tok_s", "output_tokens", "cost_usd")
    medians = {name: _median([keys[name] for keys in complete]) for name in names}
    return {"trials": len(trials), "complete": len(complete), "median": medians}


def _median(values: Sequence[Any]) -> float | None:
    known = [float(value) for value in values if value is not None]
    return statistics.median(known) if known else None


def _progress(number: int, total: int, backend: Backend, keys: dict[str, Any]) -> str:
    rate = keys["decode_tok_s"]
    told = f"{rate:.1f} tok/s" if rate is not None else keys["error_message"] or "no rate"
    return f"{number}/{total} {backend.name}: {keys['status']}, {told}"


def _table(documents: list[dict[str, Any]]) -> str:
    lines = []
    for document in documents:
        summary = document["summary"]
        lines.append(f"{document['backend']['name']}: {summary['complete']} of {summary['trials']} complete")
        lines += [f"  median {name}: {value if value is not None else 'none'}"
                  for name, value in summary["median"].items()]  # fmt: skip
    return "\n".join(lines)
