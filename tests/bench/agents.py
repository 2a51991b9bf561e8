"""Many agents at once: 64 concurrent lanes by the loops' own asker, their stamps against the truth.

Each lane is a request of its own run in one collector process, asked from a thread of its own, as loops and prompt
sets ask. Bare sockets race the same lanes right after it: with 64 of them the half millisecond that half of all
chunks are late is the machine's own (64 sockets to wake for, one thread that sends to them all), not the collector's:
a chunk costs it the same in 64 lanes as in 8. So p50 is held against that floor. A lane's rate rests on its first and
last stamp: 2 ms in each, over 5 s, are 0.08 %.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

from lib.agents.asking import Asked, LoopAsker
from lib.domain import events as ev
from lib.domain.run import Backend, Limits, Params, Prompt
from tests.bench.accuracy import Pair, Stamped, match
from tests.bench.machine import cpu_s
from tests.bench.pace import Pace
from tests.bench.races import raced_by, specs
from tests.bench.report import Finding, Section
from tests.bench.stamps import at_share, for_comparison, worst_rate
from tests.bench.truth import Truth
from tests.bench.truth_content import Spec

LANES, RATE = 64, 50.0
FEW = 8  # lanes that together are as fast


def run(pace: Pace) -> Iterator[Section]:
    """One section: stamp errors of all lanes."""
    seconds, times = (2.5, 1) if pace.quick else (5.0, 3)
    with Truth() as truth, LoopAsker() as asker:
        asked_by(asker, truth, specs(8, RATE, 0.5))  # connections and threads are warm
        both = pace.repeat(times, beside_floor, asker, truth, specs(LANES, RATE, seconds))
        work = [share_of_chunk(asker, truth, specs(lanes, RATE * LANES / lanes, seconds)) for lanes in (LANES, FEW)]
    ours, floor = [mine for mine, _ in both], [bare for _, bare in both]
    title = f"Agents, {LANES} concurrent lanes x {RATE:g} tok/s, each a request of its own ({seconds:g} s, {times} x)"
    yield Section(title, (*against(ours, floor), *for_comparison("bare sockets", floor)))
    many, few = work
    yield Section(f"The same {RATE * LANES:,.0f} tok/s in {LANES} lanes and in {FEW}: the collector's own work", (
        Finding(f"CPU time for each chunk, {LANES} lanes", "us", (many,)),
        Finding(f"CPU time for each chunk, {FEW} lanes", "us", (few,)),
        Finding("a chunk of many lanes against one of few", "", (many / few,), at_most=1.25),
    ))  # fmt: skip


def share_of_chunk(asker: LoopAsker, truth: Truth, wanted: list[Spec]) -> float:
    """Microseconds of CPU that the collector spends on one chunk of these lanes."""
    pid = asker.pid
    assert pid is not None
    before_s = cpu_s(pid)
    asked_by(asker, truth, wanted)
    return (cpu_s(pid) - before_s) * 1e6 / sum(spec.tokens for spec in wanted)


def beside_floor(asker: LoopAsker, truth: Truth, wanted: list[Spec]) -> tuple[list[Pair], list[Pair]]:
    """The lanes by the loops' asker, and the same by bare sockets right after it."""
    return asked_by(asker, truth, wanted), raced_by("raw_client", truth, wanted)


def against(ours: list[list[Pair]], floor: list[list[Pair]]) -> tuple[Finding, ...]:
    """Stamp and rate errors with their targets; the median against what bare sockets reach."""
    above = tuple(mine - bare for mine, bare in zip(at_share(ours, 0.5), at_share(floor, 0.5), strict=True))
    return (
        Finding("stamp error p50", "ms", at_share(ours, 0.5)),
        Finding("stamp error p50 above bare sockets", "ms", above, at_most=0.2),
        Finding("stamp error p99", "ms", at_share(ours, 0.99), at_most=2.0),
        Finding("stamp error max", "ms", at_share(ours, 1.0)),
        Finding("rate error, worst lane", "%", tuple(map(worst_rate, ours)), at_most=0.1),
    )


def asked_by(asker: LoopAsker, truth: Truth, wanted: list[Spec]) -> list[Pair]:
    """Every lane asked from its own thread; held against the truth."""
    found: dict[int, ev.Generation] = {}

    def ask(lane: int, spec: Spec) -> None:
        backend = Backend(spec.name, spec.name, truth.base_url, spec.name)
        found[lane] = asker.ask(lane, Asked(backend, Prompt("Go"), Params(max_tokens=None), Limits(), "bench"))

    threads = [threading.Thread(target=ask, args=pair) for pair in enumerate(wanted)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seen = [stamped(spec, found[lane]) for lane, spec in enumerate(wanted)]
    return match(seen, truth.wait_for(len(wanted)))


def stamped(spec: Spec, generation: ev.Generation) -> Stamped:
    """One lane's stamps, which are absolute already. Raises ValueError when it did not complete."""
    ended, sent = generation.last(ev.Ended), generation.last(ev.Sent)
    if ended is None or sent is None or ended.status is not ev.Status.COMPLETE:
        raise ValueError(f"{spec.name}: {generation.events[-2:]}")
    return Stamped(spec.name, sent.at_ns, tuple(delta.at_ns for delta in generation.of(ev.Delta)))
