"""A run as the columns beside its recording: what lists, filters and search read.

Every figure comes from `lib/metrics`; `verify` computes the same again. Texts lose what a database column cannot
hold (NUL, halves of characters); the header keeps them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields
from datetime import UTC, datetime
from decimal import Decimal
from statistics import median
from typing import Any

from lib.domain.events import Generation, Status
from lib.domain.run import Backend, Origin, Prompt, Run, public_address
from lib.metrics import catalogue, rates
from lib.metrics.cost import as_decimal, cost
from lib.metrics.measurement import measure
from lib.metrics.quantity import Quantity, number
from lib.store.packing import pack_header
from lib.store.rows import Difference, Summary
from lib.store.schema import RUNNING

WORST_FIRST = (Status.INTERRUPTED, Status.ERROR, Status.STOPPED, Status.INCOMPLETE, Status.COMPLETE)
MOST_TOKENS = 2**63 - 1  # a database's integer; who claims more made it up


def run_columns(run: Run, now_ms: int) -> dict[str, Any]:
    """The columns of a run that begins; `now_ms` stands in when it does not say when it was started."""
    origins = {backend.origin for backend in run.backends}
    return {
        "id": run.id,
        "started_ms": started_ms(run.started_at, now_ms),
        "status": RUNNING,
        "mode": run.mode.value,
        **{f"is_{origin.value}": origin in origins for origin in Origin},
        "prompt_digest": prompt_digest(run.prompt.text),
        "clock_health_ms": run.clock_health_ms,
        "notes": "",
        "prompt": column(run.prompt.text),
        "header": pack_header(run),
    }


def lane_columns(run: Run) -> list[dict[str, Any]]:
    """The columns of each lane, before it has ended."""
    return [
        {
            "lane": lane,
            "backend_id": column(backend.id),
            "name": column(backend.name),
            "model": column(backend.model),
            "base_url": column(public_address(backend.base_url)),
            "origin": backend.origin.value,
            "status": RUNNING,
        }
        for lane, backend in enumerate(run.backends)
    ]


def summary(generation: Generation, backend: Backend) -> Summary:
    """The figures of one lane that lists show."""
    measured = measure(generation, backend)
    failed, amount = measured.time.failed, cost(measured)
    claimed = measured.output_tokens
    tokens = claimed if claimed is not None and claimed <= MOST_TOKENS else None
    return Summary(
        status=measured.time.status.value,
        error_kind=failed.kind if failed else None,
        ttft_ms=number(catalogue.ttft_ms(measured)),
        ttfat_ms=number(catalogue.ttfat_ms(measured)),
        whole_ms=number(catalogue.whole_ms(measured)),
        decode_tok_s=number(rates.decode_rate(measured)),
        e2e_tok_s=number(rates.end_to_end_rate(measured)),
        normalised_e2e_tok_s=number(rates.normalised_end_to_end_rate(measured)),
        output_tokens=tokens,
        is_estimated=None if tokens is None else measured.is_estimated,
        cost=as_decimal(amount) if isinstance(amount, Quantity) else None,
    )


def joined(trials: Sequence[Summary]) -> Summary:
    """One lane of a series: medians over its complete trials, the worst outcome, what they cost together."""
    complete = [one for one in trials if one.status == Status.COMPLETE.value]
    medians = {
        name: median(values)
        if (values := [v for one in complete if (v := getattr(one, name)) is not None])
        else None
        for name in _MEDIANS
    }
    costs = [one.cost for one in trials if one.cost is not None]
    tokens = medians["output_tokens"]
    return Summary(
        **{**medians, "output_tokens": None if tokens is None else int(tokens)},
        status=worst(one.status for one in trials) if trials else Status.STOPPED.value,
        error_kind=next((one.error_kind for one in trials if one.error_kind), None),
        is_estimated=any(one.is_estimated for one in complete) if tokens is not None else None,
        cost=sum(costs, Decimal(0)) if costs else None,
    )


def summary_columns(found: Summary) -> dict[str, Any]:
    """A summary as columns."""
    values = dict(zip(SUMMARY, astuple(found), strict=True))
    return {**values, "cost": None if found.cost is None else f"{found.cost:f}"}


def summary_of(row: Any) -> Summary:
    """A row of the lanes' table as a summary."""
    values = {name: getattr(row, name) for name in SUMMARY}
    return Summary(**{**values, "cost": None if row.cost is None else Decimal(row.cost)})


def worst(statuses: Iterable[str]) -> str:
    """The status of a run: the worst of its lanes."""
    return min(statuses, key=[status.value for status in WORST_FIRST].index)


def differences(lane: int, kept: Summary, computed: Summary) -> tuple[Difference, ...]:
    """Where the two do not say exactly the same."""
    pairs = zip(SUMMARY, astuple(kept), astuple(computed), strict=True)
    return tuple(Difference(lane, name, str(was), str(now)) for name, was, now in pairs if was != now)


def searched(prompt: Prompt, backends: Iterable[Backend], tags: Iterable[str], notes: str) -> list[str]:
    """The texts by which a run is found."""
    named = {text for backend in backends for text in (backend.name, backend.model, backend.note)}
    return [notes, *tags, *sorted(named), prompt.text, prompt.system]


def prompt_digest(text: str) -> str:
    """By which the runs of one prompt are found."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def started_ms(started_at: str, otherwise_ms: int) -> int:
    """An ISO 8601 time as milliseconds since 1970 UTC (without a zone it is UTC)."""
    try:
        moment = datetime.fromisoformat(started_at)
    except ValueError:
        return otherwise_ms
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def column(text: str) -> str:
    """The text as every database holds it."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


SUMMARY = tuple(field.name for field in fields(Summary))
_MEDIANS = tuple(name for name in SUMMARY if name not in ("status", "error_kind", "is_estimated", "cost"))
