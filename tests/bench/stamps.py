"""How wrong the product's stamps are, beside the floor that bare sockets reach on the same machine.

Error = the client's stamp of a chunk minus the moment the server handed it to the kernel, so the journey
over loopback and the wake-up of the reading process are part of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.accuracy import Pair, percentile
from tests.bench.pace import Pace
from tests.bench.product import Product
from tests.bench.races import raced_by, specs
from tests.bench.report import Finding, Section
from tests.bench.truth import Truth
from tests.bench.truth_content import Spec

LOADS = ((8, 750.0), (4, 3000.0))


def run(pace: Pace) -> Iterator[Section]:
    """The section for each load, and one for TTFT."""
    seconds, times, rounds = (2.5, 1, 3) if pace.quick else (4.0, 3, 13)
    with Truth() as truth:
        for lanes, rate in LOADS:
            race = specs(lanes, rate, seconds)
            with Product() as product:
                both = pace.repeat(times, beside_floor, product, truth, race)
            ours, floor = [mine for mine, _ in both], [bare for _, bare in both]
            title = (
                f"Stamps, {lanes} lanes x {rate:,.0f} tok/s, one token per chunk ({seconds:g} s, {times} x)"
            )
            yield Section(title, (*errors(ours), *for_comparison("bare sockets", floor)))
        yield ttft(truth, rounds, pace)


def beside_floor(product: Product, truth: Truth, race: list[Spec]) -> tuple[list[Pair], list[Pair]]:
    """One race by the product, and the same by bare sockets right after it."""
    return product.race(truth, race)[0], raced_by("raw_client", truth, race)


def errors(repetitions: list[list[Pair]], p99_ms: float = 1.0) -> tuple[Finding, ...]:
    """Stamp and rate errors with their targets."""
    return (
        Finding("stamp error p50", "ms", at_share(repetitions, 0.5), at_most=0.2),
        Finding("stamp error p99", "ms", at_share(repetitions, 0.99), at_most=p99_ms),
        Finding("stamp error max", "ms", at_share(repetitions, 1.0)),
        Finding("rate error, worst lane", "%", tuple(map(worst_rate, repetitions)), at_most=0.05),
    )


def for_comparison(who: str, repetitions: list[list[Pair]]) -> tuple[Finding, ...]:
    """The same errors of another client, without targets."""
    return (
        Finding(f"{who}: p50", "ms", at_share(repetitions, 0.5)),
        Finding(f"{who}: p99", "ms", at_share(repetitions, 0.99)),
        Finding(f"{who}: rate error", "%", tuple(map(worst_rate, repetitions))),
    )


def ttft(truth: Truth, rounds: int, pace: Pace) -> Section:
    """TTFT error over rounds of 8 lanes at once; the first round is the process's first call."""
    race = specs(8, 750, 0.03, ttft_ms=50)
    with Product() as product:
        first = beside_floor(product, truth, race)
        rounds_ = [first, *pace.repeat(rounds - 1, beside_floor, product, truth, race)]
    ours = [pair.ttft_error_ms for pairs, _ in rounds_ for pair in pairs]
    floor = [pair.ttft_error_ms for _, pairs in rounds_ for pair in pairs]
    sizes = [abs(error) for error in ours]
    return Section(
        f"TTFT error, 8 lanes at once, {rounds} rounds, the first call of the process included",
        (
            Finding("TTFT error p50", "ms", (percentile(sizes, 0.5),), at_most=0.5),
            Finding(
                "TTFT error p99", "ms", (percentile(sizes, 0.99),), at_most=3.0, note=f"n = {len(sizes)}"
            ),
            Finding("first round, worst lane", "ms", (max(sizes[:8]),)),
            Finding("bare sockets: p50", "ms", (percentile([abs(e) for e in floor], 0.5),)),
            Finding("bare sockets: p99", "ms", (percentile([abs(e) for e in floor], 0.99),)),
        ),
    )


def worst_rate(pairs: list[Pair]) -> float:
    """The largest rate error of any lane, per cent, without its sign."""
    return max(abs(pair.rate_error_percent) for pair in pairs)


def at_share(repetitions: list[list[Pair]], share: float) -> tuple[float, ...]:
    """The error that this share of all chunks does not exceed, for each repetition, ms."""
    return tuple(percentile([e for pair in pairs for e in pair.errors_ms], share) for pairs in repetitions)
