"""What keeping costs: the writer's time and the size of a run, a list of 100,000 runs, and stamps beside a race.

The long list comes from `long_history`. The stamps are those of `stamps`, in turn with the history written as in the
app and without it.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

from lib import tokens
from lib.collector.client import CollectorClient
from lib.domain.run import Mode, Origin, Run
from lib.store.keeper import Keeper
from lib.store.rows import Filter
from lib.store.store import Store
from tests.bench.accuracy import Pair
from tests.bench.long_history import EVERY_RECORDED, LANES, RARE, TOKENS, day_ms, fill, full_run, settle
from tests.bench.pace import Pace
from tests.bench.product import Keeper as Sink
from tests.bench.product import Kept, Product, run_of
from tests.bench.races import specs
from tests.bench.report import Finding, Section
from tests.bench.stamps import at_share, errors, for_comparison
from tests.bench.truth import Truth
from tests.bench.truth_content import Spec
from tests.store.postgresql_server import Server
from tests.store.runs import shipped

PER_BATCH = 20  # rows of a lane that come within 27 ms at 750 tok/s


def run(pace: Pace) -> Iterator[Section]:
    """Writing, the long list, stamps."""
    tokens.warm()
    with tempfile.TemporaryDirectory() as folder:
        yield writing(Path(folder) / "written.sqlite", 100 if pace.quick else 1000)
        long = 10_000 if pace.quick else 100_000
        yield listing(f"sqlite:///{folder}/long.sqlite", long)
        yield on_postgresql(long)
        yield beside_a_race(Path(folder) / "raced.sqlite", pace)


def writing(path: Path, runs: int) -> Section:
    """Runs kept as they come, in the thread that measures; a whole run is one value."""
    made = full_run()
    batches = shipped(made, PER_BATCH)
    spent_ms: list[float] = []
    processor_ns = 0
    with closing(Store(f"sqlite:///{path}")) as store:
        empty = size(path)
        for number in range(runs):
            one = replace(made, id=f"run-{number}")
            began_ns = time.thread_time_ns()
            spent_ms.append(timed_ms(lambda one=one: keep(store, one, batches)))
            processor_ns += time.thread_time_ns() - began_ns
        checked = [found for found in store.verify_all() if not found.ok]
    per_run_kib = (size(path) - empty) / runs / 1024
    spent_ms.sort()
    return Section(
        f"History: {runs:,} runs of {LANES} lanes x {TOKENS} tokens, kept as they come ({len(batches)} batches each)",
        (
            Finding("writer time of a run, median", "ms", (median(spent_ms),), at_most=20),
            Finding("writer time of a run, p95", "ms", (spent_ms[int(len(spent_ms) * 0.95)],)),
            Finding("writer time of a run, p99", "ms", (spent_ms[int(len(spent_ms) * 0.99)],)),
            Finding("processor time of a run, mean", "ms", (processor_ns / runs / 1e6,)),
            Finding("size of a run", "KiB", (per_run_kib,)),
            Finding("runs whose figures verify", "", (float(runs - len(checked)),), at_least=runs),
        ),
    )


def on_postgresql(runs: int) -> Section:
    """The same list on a server of the benchmark's own."""
    try:
        server = Server()
    except LookupError as error:
        return Section("History: the same list on PostgreSQL", absent=str(error))
    with closing(server):
        return listing(server.url(), runs)


def listing(url: str, runs: int) -> Section:
    """The list of many runs, series of trials among them: first page, filters, search, opening."""
    with closing(Store(url)) as store:
        fill(store, runs)
        settle(store)
        asked = {
            "first page": Filter(),
            "filter: backend in every second run": Filter(backend="Sol"),
            "filter: backend in few runs": Filter(backend="Rarely"),
            "filter: status": Filter(status="error"),
            "filter: simulated": Filter(origin=Origin.SIMULATED),
            "filter: mode and two days": Filter(mode=Mode.ONE_BY_ONE, since_ms=day_ms(3), until_ms=day_ms(5)),
            "filter: tag": Filter(tag="board"),
            "search: a word of every run": Filter(text="visitor"),
            "search: two words": Filter(text="lighth visit"),
            "search: Chinese": Filter(text="灯塔"),
            "search: a word of one run": Filter(text=RARE),
        }
        found = [
            Finding(name, "ms", times(lambda wanted=wanted: store.page(wanted)), at_most=200,
                    note=f"{store.page(wanted).total:,} runs")
            for name, wanted in asked.items()
        ]  # fmt: skip
        found.append(Finding("last page", "ms", times(lambda: store.page(Filter(), store.page().total - 50))))
        found.append(Finding("choices of the filters", "ms", times(lambda: (store.backends(), store.tags()))))
        recorded = random.Random(1).sample(range(0, runs, EVERY_RECORDED), 20)
        opened = tuple(timed_ms(lambda one=one: store.open(f"long-{one}")) for one in recorded)
        found.append(Finding("opening a run", "ms", opened, at_most=300))
    kind = "PostgreSQL" if url.startswith("postgresql") else "SQLite"
    return Section(f"History: a list of {runs:,} runs of {LANES} lanes on {kind}", tuple(found))


def beside_a_race(path: Path, pace: Pace) -> Section:
    """Stamps of the same race, in turn with the history written by its keeper and without."""
    times_, seconds = (2, 2.5) if pace.quick else (8, 4.0)
    race_ = specs(8, 750.0, seconds)
    with (
        Truth() as truth,
        closing(Store(f"sqlite:///{path}")) as store,
        closing(Keeper(store)) as keeper,
        Product() as bare,
        KeptProduct(keeper) as kept,
    ):
        first_is_kept = cycle((True, False))
        both = pace.repeat(times_, lambda: in_turn(bare, kept, truth, race_, kept_first=next(first_is_kept)))
    with closing(Store(f"sqlite:///{path}")) as store:
        rows = [row for row in store.page(Filter(status="complete")).rows if len(row.lanes) == len(race_)]
    whole = Finding("races kept whole", "", (float(len(rows)),), at_least=times_)
    return Section(
        f"History: stamps with it and without, 8 lanes x 750 tok/s ({seconds:g} s, {times_} x)",
        (
            *errors([one for one, _ in both]),
            *for_comparison("without history", [one for _, one in both]),
            *(
                Finding(
                    f"p{share * 100:g} with history minus without, pair by pair",
                    "ms",
                    differences(both, share),
                )
                for share in (0.5, 0.99)
            ),
            whole,
        ),
    )


def in_turn(
    bare: Product, kept: Product, truth: Truth, race_: list[Spec], *, kept_first: bool
) -> tuple[list[Pair], list[Pair]]:
    """The race with the history and without, one right after the other."""
    if kept_first:
        return kept.race(truth, race_)[0], bare.race(truth, race_)[0]
    without = bare.race(truth, race_)[0]
    return kept.race(truth, race_)[0], without


def differences(both: Sequence[tuple[list[Pair], list[Pair]]], share: float) -> tuple[float, ...]:
    """By how much the error that this share does not exceed was larger with the history, for each pair of races, ms."""
    with_it, without = (at_share([pair[place] for pair in both], share) for place in (0, 1))
    return tuple(one - other for one, other in zip(with_it, without, strict=True))


class KeptSink(Sink):
    """The benchmark's sink, with the history listening as it does at the hub."""

    def __init__(self, keeper: Keeper) -> None:
        super().__init__()
        self._history = keeper

    def on_rows(self, run_id: str, rows: bytes) -> None:
        super().on_rows(run_id, rows)
        self._history.on_rows(run_id, rows)

    def on_end(self, run_id: str, health: dict[str, Any]) -> None:
        self._history.on_end(run_id, health)
        super().on_end(run_id, health)


class KeptProduct(Product):
    """The product with its history."""

    def __init__(self, keeper: Keeper) -> None:
        super().__init__()
        self._history = keeper
        self._keeper = KeptSink(keeper)
        self._client = CollectorClient(self._keeper)

    def race(self, truth: Truth, specs: Sequence[Spec]) -> tuple[list[Pair], Kept]:
        self._history.on_begin(run_of(f"bench-{self._number + 1}", truth.base_url, specs))
        return super().race(truth, specs)


def keep(store: Store, one: Run, batches: Sequence[bytes]) -> None:
    """All that the keeper does for a run."""
    store.begin(one)
    for batch in batches:
        store.append(one.id, batch)
    store.end(one.id, 0.2)


def size(path: Path) -> int:
    """Bytes of the database with its log."""
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*") if file.is_file())


def times(ask: Callable[[], object], count: int = 7) -> tuple[float, ...]:
    """How long it took, so many times."""
    return tuple(timed_ms(ask) for _ in range(count))


def timed_ms(ask: Callable[[], object]) -> float:
    """How long it took."""
    began_ns = time.perf_counter_ns()
    ask()
    return (time.perf_counter_ns() - began_ns) / 1e6
