"""How many chunks per second the collector takes before it falls behind, and what a chunk costs it.

Falling behind: the stamp error of any lane grows by more than 1 % of the time (least-squares slope). A rate
at which the truth server itself does not keep its schedule says nothing about the client: the climb ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tests.bench.accuracy import Pair, percentile
from tests.bench.machine import cpu_s, rss_mb
from tests.bench.pace import Pace
from tests.bench.product import Product
from tests.bench.races import raced_by, specs
from tests.bench.report import Finding, Section
from tests.bench.truth import Truth
from tests.bench.truth_content import Spec

LANES = 8
RATES = (6_000, 24_000, 40_000, 48_000, 64_000)
BEHIND_PERCENT = 1.0


def run(pace: Pace) -> Iterator[Section]:
    """Two sections: the ceiling, and the cost at 6,000 chunks/s."""
    rates, seconds = ((6_000, 24_000, 48_000), 0.7) if pace.quick else (RATES, 1.5)
    with Truth() as truth, Product() as product:
        product.race(truth, specs(LANES, 750, 0.3))
        yield _cost(truth, product, pace)
        top, p99, limit = climb(lambda race: product.race(truth, race)[0], rates, seconds)
        floor, _, _ = climb(lambda race: raced_by("raw_client", truth, race), rates, seconds)
    yield Section(
        f"Ceiling, {LANES} lanes, rate rising until falling behind by {BEHIND_PERCENT:g} %",
        (
            Finding("kept up with", "chunks/s", (top,), at_least=48_000, note=limit),
            Finding("stamp error p99 there", "ms", (p99,)),
            Finding("bare sockets kept up with", "chunks/s", (floor,)),
        ),
    )


def climb(
    race: Callable[[list[Spec]], list[Pair]], rates: Iterable[int], seconds: float
) -> tuple[float, float, str]:
    """The highest rate kept up with, chunks/s; the p99 error there, ms; what ended the climb.

    A rate that fails is tried once more: one pause of the machine is not a ceiling.
    """
    top, p99 = 0.0, 0.0
    for rate in rates:
        for _ in range(2):
            pairs = race(specs(LANES, rate / LANES, seconds))
            if not server_kept_up(pairs, rate / LANES):
                reason = f"the truth server did not keep {rate:,} chunks/s"
            elif max(pair.falling_behind_percent for pair in pairs) > BEHIND_PERCENT:
                reason = f"fell behind at {rate:,}"
            else:
                break
        else:
            return top, p99, reason
        top, p99 = float(rate), percentile([e for pair in pairs for e in pair.errors_ms], 0.99)
    return top, p99, "no higher rate was tried"


def server_kept_up(pairs: list[Pair], rate: float) -> bool:
    """Whether the server sent within 1 % of the rate it was asked for."""
    for pair in pairs:
        sends = pair.sent.sends_ns
        if (len(sends) - 1) / (sends[-1] - sends[0]) * 1e9 < 0.99 * rate:
            return False
    return True


def _cost(truth: Truth, product: Product, pace: Pace) -> Section:
    seconds, times = (2.5, 1) if pace.quick else (4.0, 3)
    race = specs(LANES, 750, seconds)
    chunks = sum(spec.chunks for spec in race)

    def once() -> tuple[float, float]:
        before_s = cpu_s(product.pid)
        _, kept = product.race(truth, race)
        return (cpu_s(product.pid) - before_s) * 1e6 / chunks, kept.view_bytes / chunks

    measured = pace.repeat(times, once)
    costs, bytes_per_token = [cost for cost, _ in measured], [size for _, size in measured]
    return Section(
        f"Cost of the collector at 6,000 chunks/s ({seconds:g} s, {times} x)",
        (
            Finding("processor time per 1,000 chunks", "ms", tuple(costs), at_most=45),
            Finding("share of one core", "%", tuple(cost * 6 / 10 for cost in costs)),
            Finding("view stream per token", "bytes", tuple(bytes_per_token), at_most=10),
            Finding("resident memory", "MB", (rss_mb(product.pid),)),
        ),
    )
