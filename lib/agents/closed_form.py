"""A trace at set speeds without asking anybody: what the loop model says a task takes and costs.

T = sum of (TTFT + O / R + tool + review). No jitter, no connection, no retry: a prediction, and labelled as one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from lib.agents.figures import SixFigures
from lib.agents.phases import Kind, Piece, StepTimes, end_ns, sums_s
from lib.agents.resent import Added, Billed, billed
from lib.agents.trace import Step, Trace
from lib.domain.run import Prices
from lib.i18n import _
from lib.metrics.quantity import Quantity, Unavailable
from lib.metrics.timeline import NS_PER_S


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast a backend speaks; `decode_tok_s` may be infinite for the ceiling."""

    ttft_s: float
    decode_tok_s: float


def predicted(trace: Trace, speed: Speed) -> tuple[StepTimes, ...]:
    """Every step of the trace with its pieces, on a clock that begins at 0."""
    found, at_ns = [], 0
    for place, step in enumerate(trace.steps):
        pieces = tuple(_pieces(step, speed, at_ns))
        at_ns = pieces[-1].end_ns if pieces else at_ns
        found.append(StepTimes(place, step.tool, pieces))
    return tuple(found)


def predicted_figures(trace: Trace, speed: Speed, prices: Prices | None, *, cached: bool = True) -> SixFigures:
    """The six figures of the prediction; with `cached`, what was sent before is read from the cache."""
    times = predicted(trace, speed)
    sums, amount = sums_s(times), tokens_of(trace).cost(prices, is_cached=cached)
    unknown = Unavailable(_("The price is not published."))
    return SixFigures(
        len(trace.steps), len(trace.steps),
        Quantity(end_ns(times) / NS_PER_S, "s"),
        unknown if amount is None or prices is None else Quantity(amount, prices.currency),
        Quantity(speed.ttft_s * 1000, "ms"),
        Quantity(sums[Kind.TOOL], "s"), Quantity(0.0, ""), Quantity(sums[Kind.HUMAN], "s"),
    )  # fmt: skip


def tokens_of(trace: Trace) -> Billed:
    """What a provider counts for the trace, each call resending the history."""
    return billed([Added(step.prompt_tokens, step.output_tokens, step.tool_tokens) for step in trace.steps])


def _pieces(step: Step, speed: Speed, at_ns: int) -> Iterator[Piece]:
    decode_s = 0.0 if math.isinf(speed.decode_tok_s) else step.output_tokens / speed.decode_tok_s
    spent = ((Kind.WAIT, speed.ttft_s), (Kind.ANSWER, decode_s), (Kind.TOOL, step.tool_s), (Kind.HUMAN, step.review_s))
    for kind, seconds in spent:
        until_ns = at_ns + round(seconds * NS_PER_S)
        if until_ns > at_ns:
            yield Piece(kind, at_ns, until_ns)
        at_ns = until_ns
