"""`python -m lib measure`: the collector without a page, one JSON document as the result.

Trials run one after another; with several backends they are interleaved, each round in random order.
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson
from sqlalchemy.exc import SQLAlchemyError

from lib import __version__
from lib.arguments import amount
from lib.backends.settings import Configured, configured
from lib.collector.address import AddressError, clean
from lib.domain.run import Backend, Limits, Mode, Params, Prices, Prompt, new_id
from lib.metrics.keys import measure_keys
from lib.store.keeper import Keeper
from lib.store.location import AddressOfDatabaseError
from lib.store.migrate import NewerHistoryError
from lib.store.store import Store
from lib.trials.asking import StoppableMeasurer
from lib.trials.goodput import Goals
from lib.trials.keeping import Keeping, SingleRound
from lib.trials.plan import WARM_UP_ROUND, Condition, Plan, Turn
from lib.trials.report import backend_summary, series_summary
from lib.trials.trial import Trial, trial_of

DEFAULT_PROMPT = "Explain to a visitor how a lighthouse was kept before electricity. About 400 words."
DEFAULT_LIMITS = Limits()
TAG = "measure"  # of what this command keeps
DEFAULT_GOALS = Goals()
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
    add("--cold", action="store_true", help="a nonce in front of each prompt, so that no cache can know it")
    add("--warm-up", action="store_true", help="one discarded request to each backend first")
    add("--good-ttfat-ms", type=float, default=DEFAULT_GOALS.ttfat_ms, metavar="MS", help="limit of goodput")
    add("--good-stall-ms", type=float, default=DEFAULT_GOALS.stall_ms, metavar="MS", help="limit of goodput")
    add("--good-wait-s", type=float, default=DEFAULT_GOALS.starved_s, metavar="S", help="limit of goodput")
    add("--connect-timeout", type=float, default=DEFAULT_LIMITS.connect_s, metavar="S")
    add("--first-token-timeout", type=float, default=DEFAULT_LIMITS.first_token_s, metavar="S")
    add("--stall-timeout", type=float, default=DEFAULT_LIMITS.stall_s, metavar="S")
    add("--total-timeout", type=float, default=DEFAULT_LIMITS.total_s, metavar="S")
    add("--max-attempts", type=int, default=DEFAULT_LIMITS.max_attempts)
    add("--stop-after-ms", type=float, metavar="N", help="press Stop N ms after the request")
    for name in ("in", "out", "cached"):
        add(f"--price-{name}", type=amount, metavar="PER_MILLION")
    add("--json", action="store_true", help="one JSON document on standard output")
    add(
        "--save",
        action="store_true",
        help="keep what is measured in the history: a series of trials, or the run of a single one",
    )


def run(options: argparse.Namespace) -> int:
    """Measure as the options say; the exit code is 0 when every trial completed."""
    try:
        entries = _entries(options)
        prompt = sys.stdin.read() if options.prompt == "-" else options.prompt
        plan = _plan(entries, Prompt(prompt, options.system), options)
        with _keeper(options) as keeper:
            found = _measure(entries, plan, options, keeper)
        if keeper is not None:
            _say_kept(keeper, plan)
    except (AddressError, LookupError, *HISTORY_FAULTS) as error:
        print(error, file=sys.stderr)
        return 2
    documents = [_document(entry, [one for one in found if one.trial.turn.place == place], options)
                 for place, entry in enumerate(entries)]  # fmt: skip
    document = documents[0] if len(documents) == 1 else _several(documents, found, entries, plan, options)
    text = orjson.dumps(document, option=orjson.OPT_INDENT_2, default=str).decode()
    print(text if options.json else _table(documents, document))
    return 0 if found and all(one.trial.is_complete for one in found) else 1


@dataclass(frozen=True, slots=True)
class _Measured:
    """One trial and the keys that are printed of it."""

    trial: Trial
    keys: dict[str, Any]


def _plan(entries: Sequence[Configured], prompt: Prompt, options: argparse.Namespace) -> Plan:
    return Plan(
        id=new_id(12),
        prompt=prompt,
        params=Params(max_tokens=options.max_tokens, temperature=options.temperature),
        backends=tuple(entry.backend for entry in entries),
        rounds=options.trials,
        mode=Mode.ONE_BY_ONE,
        condition=Condition.COLD if options.cold else Condition.WARM,
        has_warm_up=options.warm_up,
        seed=random.getrandbits(32),
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


@contextmanager
def _keeper(options: argparse.Namespace) -> Iterator[Keeper | None]:
    """The history's writer, when it is wanted; leaving it waits until all is written."""
    if not options.save:
        yield None
        return
    with closing(Store()) as store, closing(Keeper(store)) as keeper:
        yield keeper


def _say_kept(keeper: Keeper, plan: Plan) -> None:
    lost = keeper.is_lost(plan.id)
    told = "the history could not be written; nothing is kept" if lost else f"kept as {plan.id}"
    print(told, file=sys.stderr, flush=True)


def _order(plan: Plan, options: argparse.Namespace) -> list[Turn]:
    """Rounds in random order, or all trials of one backend after the other; warm-ups first."""
    turns = [turn for round_ in plan.turns for turn in round_]
    if options.interleave:
        return turns
    return sorted(turns, key=lambda turn: (turn.round != WARM_UP_ROUND, turn.place, turn.round))


def _measure(
    entries: Sequence[Configured], plan: Plan, options: argparse.Namespace, keeper: Keeper | None
) -> list[_Measured]:
    found: list[_Measured] = []
    order = _order(plan, options)
    left, why = Counter(turn.round for turn in order), ""
    with StoppableMeasurer() as measurer:
        keeping = None if keeper is None else _keeping(plan, keeper)
        if keeping is not None:
            keeping.begin(measurer.versions)
        try:
            for turn in order:
                backend, prompt = entries[turn.place].backend, plan.prompt_with(secrets.token_hex(8))
                hear = None if keeping is None else keeping.ask(turn)
                key, params = entries[turn.place].key, plan.params_of(turn)
                generation = measurer.generation(backend, key, prompt, params, _limits(options), hear)
                left[turn.round] -= 1
                if keeping is not None and not left[turn.round]:
                    keeping.end_round(turn.round, measurer.clock_health_ms)
                if turn.round == WARM_UP_ROUND:
                    continue
                keys = measure_keys(generation, backend)
                found.append(_Measured(trial_of(turn, plan.condition, generation, backend, None), keys))
                total = plan.rounds * len(entries)
                print(_progress(len(found), total, backend, keys), file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            why = "stopped"
            print("stopped; the trials so far follow", file=sys.stderr)
        finally:
            if keeping is not None:
                keeping.end(why, measurer.clock_health_ms)
    return found


def _keeping(plan: Plan, keeper: Keeper) -> Keeping:
    """A single trial is a run like any other, several are a series."""
    single = plan.rounds == 1 and not plan.has_warm_up
    return (SingleRound if single else Keeping)(plan, keeper, (TAG,))


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


def _limits(options: argparse.Namespace) -> Limits:
    return Limits(
        connect_s=options.connect_timeout,
        first_token_s=options.first_token_timeout,
        stall_s=options.stall_timeout,
        total_s=options.total_timeout,
        max_attempts=options.max_attempts,
        stop_after_s=None if options.stop_after_ms is None else options.stop_after_ms / 1000,
    )


def _document(entry: Configured, found: Sequence[_Measured], options: argparse.Namespace) -> dict[str, Any]:
    backend, keys = entry.backend, [one.keys for one in found]
    goals = Goals(options.good_ttfat_ms, options.good_stall_ms, options.good_wait_s)
    return {
        "product": "tokenrace",
        "version": __version__,
        "backend": {
            "id": backend.id,
            "name": backend.name,
            "base_url": backend.base_url,
            "model": backend.model,
        },
        "trials": keys,
        "summary": backend_summary(keys, [one.trial for one in found], goals),
    }


def _several(
    documents: list[dict[str, Any]],
    found: Sequence[_Measured],
    entries: Sequence[Configured],
    plan: Plan,
    options: argparse.Namespace,
) -> dict[str, Any]:
    trials, names = [one.trial for one in found], [entry.backend.name for entry in entries]
    return {
        "product": "tokenrace",
        "version": __version__,
        "backends": [
            {key: document[key] for key in ("backend", "trials", "summary")} for document in documents
        ],
        "summary": series_summary(
            trials, names, plan.condition.value, plan.rounds, interleaved=options.interleave
        ),
    }


def _progress(number: int, total: int, backend: Backend, keys: dict[str, Any]) -> str:
    rate = keys["decode_tok_s"]
    told = f"{rate:.1f} tok/s" if rate is not None else keys["error_message"] or "no rate"
    return f"{number}/{total} {backend.name}: {keys['status']}, {told}"


def _table(documents: list[dict[str, Any]], whole: dict[str, Any]) -> str:
    lines = []
    for document in documents:
        summary = document["summary"]
        lines.append(f"{document['backend']['name']}: {summary['complete']} of {summary['trials']} complete")
        lines += [f"  median {name}: {_with_range(summary, name)}" for name in summary["median"]]
        good = summary["goodput"]
        lines.append(f"  good enough: {good['good']} of {good['judged']}")
    several = whole["summary"] if len(documents) > 1 else {}
    lines += [f"{one['sentence']} [{one['figure']}]" for one in several.get("ratios", ())]
    lines += [several["reason"]] if several.get("reason") else []
    return "\n".join(lines)


def _with_range(summary: dict[str, Any], name: str) -> str:
    median, span = summary["median"][name], summary["range"][name]
    if median is None:
        return "none"
    percentiles = [f"{p} {summary[p][name]}" for p in ("p90", "p99") if summary[p][name] is not None]
    return ", ".join([f"{median} ({span[0]} to {span[1]})", *percentiles])
