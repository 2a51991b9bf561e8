"""`python -m lib agents|promptset`: a loop or a whole prompt set without a page, one JSON document as the result.

`agents` writes its recording to a file (`-o`), which `python -m lib import` takes into the history.
"""

from __future__ import annotations

import argparse
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from lib.agents.figures import SixFigures
from lib.agents.loop import LoopRun
from lib.agents.otel import read_any
from lib.agents.phases import sums_s
from lib.agents.prompt_set import MOST_TOKENS, PromptSetError, read_prompt_set
from lib.agents.record import run_of
from lib.agents.set_run import MOST_CONCURRENCY, SetPlan, SetRun
from lib.agents.set_state import StateFile, state_path
from lib.agents.set_summary import SetSummary, summary_of
from lib.agents.task_lane import LoopPlan
from lib.agents.tasks import tasks_of
from lib.agents.trace import MOST_STEPS, Trace, TraceError, samples
from lib.agents.work import Access, Work, mode_of
from lib.arguments import amount, whole_from
from lib.backends.settings import Configured, configured
from lib.collector.address import AddressError, clean
from lib.domain.codec import encode_run
from lib.domain.run import Backend, Params, Prices, new_id
from lib.i18n import _
from lib.metrics.quantity import Quantity, Unavailable

LOOK_S = 0.5


def add_agents(parser: argparse.ArgumentParser) -> None:
    """The options of `agents`."""
    parser.add_argument("trace", help=f"a trace file, or one of {', '.join(samples())}")
    parser.add_argument("--steps", type=whole_from(1, MOST_STEPS), help="so many steps; a shorter trace begins again")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="where the recording goes")
    _add_backends(parser)


def add_prompt_set(parser: argparse.ArgumentParser) -> None:
    """The options of `promptset`."""
    parser.add_argument("file", type=Path, help="questions as JSON lines or CSV")
    parser.add_argument("--concurrency", type=whole_from(1, MOST_CONCURRENCY), default=4,
                        help=f"per backend, 1 to {MOST_CONCURRENCY}")  # fmt: skip
    parser.add_argument("--at-once", action="store_true", help="all backends at the same time")
    parser.add_argument("--anew", action="store_true", help="forget what an earlier run has answered")
    parser.add_argument("--again", action="store_true", help="ask once more what an earlier run could not get answered")
    parser.add_argument("--max-tokens", type=whole_from(1, MOST_TOKENS), default=512)
    _add_backends(parser)


def run_agents(options: argparse.Namespace) -> int:
    """`agents`: exit code 0 when every backend did the whole task, 1 when not, 2 when nothing could be done."""
    try:
        entries, trace = _entries(options), _trace(options.trace)
        if options.output is not None:
            options.output.open("ab").close()  # told before anything is asked and billed
    except (AddressError, LookupError, TraceError, OSError) as error:
        return _refuse(error)
    backends = tuple(entry.backend for entry in entries)
    plan = LoopPlan(
        new_id(), trace.cut(options.steps or len(trace.steps)), backends, Params(),
        started_at=datetime.now(UTC).isoformat(timespec="seconds"), mode=mode_of(backends),
    )  # fmt: skip
    loop = LoopRun(plan, _access(entries, options))
    _until_ended(loop)
    run = run_of(loop)
    if options.output is not None and run is not None:
        options.output.write_bytes(encode_run(run))
    _print({"id": plan.id, "trace": trace.name, "steps": len(plan.trace.steps), "backends": _lanes(loop)})
    return 0 if all(lane.ended == "complete" for lane in loop.lanes) else 1


def run_prompt_set(options: argparse.Namespace, folder: Path) -> int:
    """`promptset`: exit code 0 when every question was answered by everybody; `folder` holds the state file."""
    try:
        entries, questions = _entries(options), read_prompt_set(options.file.name, options.file.read_bytes())
    except (AddressError, LookupError, PromptSetError, OSError) as error:
        return _refuse(error)
    backends, params = tuple(entry.backend for entry in entries), Params(max_tokens=options.max_tokens)
    state = StateFile(state_path(folder, questions.digest, backends, params))
    if options.anew:
        state.forget()
    plan = SetPlan(new_id(), questions, backends, params, options.concurrency, options.at_once)
    run = SetRun(plan, _access(entries, options), state, failed_again=options.again)
    _until_ended(run)
    of = len(questions.questions)
    found = [summary_of(run.outcomes(place), of, run.wall_s(place)) for place in range(len(backends))]
    named = [{"name": b.name, **_summary(one)} for b, one in zip(backends, found, strict=True)]
    _print({"file": questions.name, "resumed": run.resumed, "state": str(state.path), "ended_early": run.ended_early,
            "concurrency": options.concurrency, "clock_health_ms": run.clock_health_ms, "backends": named})  # fmt: skip
    return 0 if all(one.answered == of for one in found) else 1


def _until_ended(work: Work) -> None:
    """Carry it out; Ctrl+C stops it, and what is there is told."""
    work.start()
    try:
        while not work.wait(LOOK_S):
            pass
    except KeyboardInterrupt:
        work.stop()
        work.wait(10.0)


def _add_backends(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--base-url", help="address of an OpenAI-compatible API, usually ending in /v1")
    add("--model", help="model name")
    add("--api-key-env", metavar="VAR", help="environment variable that holds the key")
    add("--backend", action="append", default=[], metavar="NAME", help="a backend from the settings; repeatable")
    add("--cap", type=amount, help="the most that may be spent, in the currency of the prices")
    for name in ("in", "out", "cached"):
        add(f"--price-{name}", type=amount, metavar="PER_MILLION")


def _entries(options: argparse.Namespace) -> list[Configured]:
    known = {entry.backend.id: entry for entry in configured()} if options.backend else {}
    missing = [name for name in options.backend if name not in known]
    if missing:
        raise LookupError(_("There is no backend {name} in the settings.").format(name=missing[0]))
    entries = [known[name] for name in options.backend]
    if options.base_url and options.model:
        prices = Prices(options.price_in, options.price_out, options.price_cached)
        own = None if options.price_in is None and options.price_out is None else prices
        backend = Backend("own", options.model, clean(options.base_url), options.model, prices=own)
        entries.append(Configured(backend, os.environ.get(options.api_key_env or "", "")))
    if not entries:
        raise LookupError(_("Name a backend of the settings, or give --base-url and --model."))
    return entries


def _trace(name: str) -> Trace:
    known = samples()
    return known[name] if name in known else read_any(Path(name).read_bytes())


def _access(entries: list[Configured], options: argparse.Namespace) -> Access:
    return Access([entry.key for entry in entries], [entry.limits for entry in entries], options.cap)


def _lanes(loop: LoopRun) -> list[dict[str, Any]]:
    found = []
    for backend, task in zip(loop.plan.backends, tasks_of(loop), strict=True):
        by_kind = {kind.value: round(seconds, 6) for kind, seconds in sums_s(task.times).items()}
        values = _values(task.figures, SixFigures)
        found.append({"name": backend.name, "ended": task.ended, **values, "seconds_by_kind": by_kind})
    return found


def _summary(one: SetSummary) -> dict[str, Any]:
    spread = one.seconds
    values = _values(one, SetSummary)
    if not isinstance(spread, Unavailable):
        values["seconds"] = {"median": spread.median, "least": spread.least, "most": spread.most}
    return values


def _values(one: Any, kind: type) -> dict[str, Any]:
    """Figures as values, marks such as `lower_bound` beside them; an absent one is null with its reason beside it."""
    found: dict[str, Any] = {}
    for name in kind.__slots__:  # type: ignore[attr-defined]
        figure = getattr(one, name)
        found[name] = figure.value if isinstance(figure, Quantity) else figure
        if isinstance(figure, Quantity) and figure.marks:
            found[f"{name}_marks"] = figure.marks
        if isinstance(figure, Unavailable):
            found |= {name: None, f"{name}_reason": figure.reason}
    return found


def _refuse(error: Exception) -> int:
    sys.stderr.write(f"{error}\n")
    return 2


def _print(document: dict[str, Any]) -> None:
    sys.stdout.write(orjson.dumps(document, option=orjson.OPT_INDENT_2, default=str).decode() + "\n")
