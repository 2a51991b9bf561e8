"""What a prompt set says of one backend: wall time, throughput, cost, errors, retries, the spread over questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from lib.agents.set_state import Outcome
from lib.domain.events import Status
from lib.i18n import _
from lib.metrics.quantity import Figure, Quantity, Unavailable
from lib.metrics.statistics import Spread, percentile, spread


@dataclass(frozen=True, slots=True)
class SetSummary:
    """One backend; `of` is how many questions the set has."""

    answered: int
    failed: int
    of: int
    wall_s: Figure  # being asked, over all sessions
    output_tok_s: Figure  # output tokens of all complete answers over the wall time
    cost: Figure
    retries: int
    seconds: Spread | Unavailable  # per question, complete answers only
    p90_s: Figure


def summary_of(outcomes: Sequence[Outcome], of: int, wall_s: float) -> SetSummary:
    """The figures of one backend so far."""
    complete = [one for one in outcomes if one.status == Status.COMPLETE.value]
    times = [one.seconds for one in complete]
    return SetSummary(
        len(complete), len(outcomes) - len(complete), of,
        Quantity(wall_s, "s") if outcomes else Unavailable(_("No question was answered yet.")),
        _throughput(complete, wall_s), _cost(complete), sum(one.attempts - 1 for one in outcomes),
        spread(times), percentile(times, 90.0, "s"),
    )  # fmt: skip


def _throughput(complete: Sequence[Outcome], wall_s: float) -> Figure:
    counts = [one.output_tokens for one in complete]
    if not counts or wall_s <= 0:
        return Unavailable(_("No question was answered yet."))
    if any(count is None for count in counts):
        return Unavailable(_("Not every answer could be counted."))
    return Quantity(sum(count or 0 for count in counts) / wall_s, "tok/s")


def _cost(complete: Sequence[Outcome]) -> Figure:
    costs = [one.cost for one in complete if one.cost is not None]
    if not complete:
        return Unavailable(_("No question was answered yet."))
    if len(costs) < len(complete):
        return Unavailable(_("The price is not published, or not every answer was billed."))
    return Quantity(sum(costs, Decimal(0)), complete[0].currency)
