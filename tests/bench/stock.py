"""The plain way beside ours: same server, same loads, same minute.

The stock loop (`async for chunk in client.chat.completions.create(stream=True)`) runs in a thread of a
process whose other thread draws half of the time; our collector runs while such a process draws beside it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

from tests.bench.accuracy import Pair, percentile
from tests.bench.ceiling import climb
from tests.bench.pace import Pace
from tests.bench.product import Product
from tests.bench.races import raced_by, specs
from tests.bench.report import Finding, Section, number
from tests.bench.truth import ROOT, Truth
from tests.bench.truth_content import Spec

RATES = (3_000, 4_000, 5_000, 6_000, 8_000)


def run(pace: Pace) -> Iterator[Section]:
    """One section: errors at 8 x 750 and at 8 x 500, and the ceiling of the stock loop."""
    seconds, times, rates, loads = (2.0, 1, (), (750.0,)) if pace.quick else (3.0, 2, RATES, (500.0, 750.0))
    findings: list[Finding] = []
    with Truth() as truth:
        for rate in loads:
            race = specs(8, rate, seconds)
            both = pace.repeat(times, _both, truth, race)
            ours, stock = [mine for mine, _ in both], [theirs for _, theirs in both]
            findings += _beside(f"8 x {rate:g}", ours, stock)
        if rates:
            top, _, limit = climb(lambda race: raced_by("stock_client", truth, race), rates, 1.5)
            findings.append(Finding("stock ceiling", "chunks/s", (top,), note=limit))
    title = f"The stock SDK loop in a drawing process, ours beside one ({seconds:g} s, {times} x)"
    yield Section(title, tuple(findings))


def _both(truth: Truth, race: list[Spec]) -> tuple[list[Pair], list[Pair]]:
    with Product() as product, drawing():
        ours = product.race(truth, race)[0]
    return ours, raced_by("stock_client", truth, race)


@contextmanager
def drawing() -> Iterator[None]:
    """A process that draws half of the time, for as long as the block lasts."""
    command = [sys.executable, "-m", "tests.bench.drawing"]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield
    finally:
        process.stdin.close()
        process.wait(timeout=10)
        process.stdout.close()


def _beside(load: str, ours: list[list[Pair]], stock: list[list[Pair]]) -> Iterator[Finding]:
    for name, share in (("p50", 0.5), ("p99", 0.99)):
        mine, theirs = _errors(ours, share), _errors(stock, share)
        ratio = f"{number(median(theirs) / median(mine))} times ours"
        yield Finding(f"{load} stamp error {name}, ours", "ms", mine)
        yield Finding(f"{load} stamp error {name}, stock", "ms", theirs, note=ratio)
    for who, races in (("ours", ours), ("stock", stock)):
        worst = tuple(max(abs(pair.ttft_error_ms) for pair in pairs) for pairs in races)
        yield Finding(f"{load} TTFT error, worst lane, {who}", "ms", worst)
    yield Finding(f"{load} rate error, stock", "%", tuple(_rate(pairs) for pairs in stock))


def _errors(races: list[list[Pair]], share: float) -> tuple[float, ...]:
    return tuple(percentile([e for pair in pairs for e in pair.errors_ms], share) for pairs in races)


def _rate(pairs: list[Pair]) -> float:
    return max(abs(pair.rate_error_percent) for pair in pairs)
