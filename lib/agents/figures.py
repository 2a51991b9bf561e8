"""The six figures of a task by one backend: total time, cost, TTFT, tool wait, retry rate, human review.

Figures or reasons, from recorded steps or from the closed form; no table is made here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from statistics import median

from lib.agents.phases import MOST_REMEMBERED, Kind, StepRecord, StepTimes, end_ns, status_of, sums_s
from lib.agents.remembered import Remembered
from lib.domain import events as ev
from lib.domain.run import Backend
from lib.i18n import _
from lib.metrics.cost import as_decimal, cost
from lib.metrics.measurement import Measurement, measure
from lib.metrics.quantity import Figure, Quantity, Unavailable
from lib.metrics.timeline import NS_PER_S

LOWER_BOUND = "lower_bound"  # the true value is this or more


@dataclass(frozen=True, slots=True)
class SixFigures:
    """What a task took; `steps` of `of` were done."""

    steps: int
    of: int
    total_s: Figure
    cost: Figure
    ttft_ms: Figure  # median over the steps
    tool_s: Figure
    retry_share: Figure  # attempts beyond the first, per step
    human_s: Figure
    output_tokens: int | None = None  # of all steps; None when one could not be counted


@dataclass(frozen=True, slots=True)
class Shares:
    """Seconds of a task by what a faster decode would change: decoding, first tokens, all the rest."""

    decode_s: float
    ttft_s: float
    rest_s: float

    @property
    def unaccelerated(self) -> float:
        """The share of the whole that faster decoding leaves as it is, 0..1."""
        whole_s = self.decode_s + self.ttft_s + self.rest_s
        return (self.ttft_s + self.rest_s) / whole_s if whole_s > 0 else 1.0


def six_figures(
    records: Sequence[StepRecord], times: Sequence[StepTimes], backend: Backend, of: int, ended: str
) -> SixFigures:
    """The figures of one lane; `of` is how many steps the trace has, `ended` as in `LaneState`.

    What still runs has no cost yet: nothing is billed before its end is known.
    """
    tries = [one for record in records for one in record.tries]
    measured = [_measured(one, backend) for one in tries]
    over = [found for found, one in zip(measured, tries, strict=True) if status_of(one) is not None]
    done = sum(record.answered is not None for record in records)
    sums = sums_s(times)
    whole = ended == "complete" and done == of
    return SixFigures(
        done,
        of,
        Quantity(end_ns(times) / NS_PER_S, "s") if whole else Unavailable(_not_whole(done, of)),
        _cost(over),
        _ttft(measured),
        Quantity(sums[Kind.TOOL], "s"),
        Quantity(sum(r.retries for r in records) / len(records), "") if records else Unavailable(_NOTHING()),
        Quantity(sums[Kind.HUMAN], "s"),
        _tokens(measured),
    )


def shares_of(times: Sequence[StepTimes]) -> Shares:
    """Decoding is thinking and answer; the first token is the wait; everything else up to the end is the rest."""
    sums = sums_s(times)
    decode_s, ttft_s = sums[Kind.THINKING] + sums[Kind.ANSWER], sums[Kind.WAIT]
    return Shares(decode_s, ttft_s, max(0.0, end_ns(times) / NS_PER_S - decode_s - ttft_s))


def _measured(generation: ev.Generation, backend: Backend) -> Measurement:
    """The measurement, of an answer that is over from before; who answered is no part of what was measured."""
    if status_of(generation) is None:
        return measure(generation, backend)
    return replace(_OVER.of(generation), backend=backend)


_NOBODY: Backend = Backend("", "", "", "")
_OVER: Remembered[ev.Generation, Measurement] = Remembered(lambda one: measure(one, _NOBODY), MOST_REMEMBERED)


def _NOTHING() -> str:  # noqa: N802 (a sentence, made in the reader's language)
    return _("No step has begun.")


def _not_whole(done: int, of: int) -> str:
    return _("{done} of {of} steps were done.").format(done=done, of=of)


def _ttft(measured: Sequence[Measurement]) -> Figure:
    known = [ms for one in measured if (ms := one.time.since_sent_ms(one.time.first_ns)) is not None]
    return Quantity(median(known), "ms") if known else Unavailable(_("No first token came."))


def _tokens(measured: Sequence[Measurement]) -> int | None:
    counts = [one.output_tokens for one in measured if one.has_text]
    return sum(count or 0 for count in counts) if counts and None not in counts else None


def _cost(measured: Sequence[Measurement]) -> Figure:
    """The sum over every try; a try that was cut may be billed as well, so the sum is then a lower bound."""
    if not measured:
        return Unavailable(_NOTHING())
    total, marks, currency = Decimal(0), dict[str, None](), ""
    for one in measured:
        found = cost(one)
        if isinstance(found, Unavailable):
            if status_of(one.generation) is ev.Status.COMPLETE or one.backend.prices is None:
                return found
            marks[LOWER_BOUND] = None
            continue
        total += as_decimal(found)
        currency = found.unit
        marks |= dict.fromkeys(found.marks)
    if not currency:
        return Unavailable(_("The server did not report what it billed."))
    return Quantity(total, currency, tuple(marks))
