"""The product's collector, driven as the app drives it, its rows turned into absolute stamps."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import orjson

from lib.collector.client import CollectorClient
from lib.domain.run import Backend, Limits, Mode, Params, Prompt, Run
from tests.bench.accuracy import Pair, Stamped, match
from tests.bench.truth import Truth
from tests.bench.truth_content import Spec

TEXT = ("a", "r")


@dataclass(slots=True)
class Kept:
    """What the collector shipped of one run."""

    payloads: list[bytes] = field(default_factory=list)
    view_bytes: int = 0
    health: dict[str, Any] = field(default_factory=dict)
    ended: threading.Event = field(default_factory=threading.Event)

    def rows(self) -> dict[int, list[list[Any]]]:
        """All rows, by lane."""
        found: dict[int, list[list[Any]]] = {}
        for payload in self.payloads:
            for lane, rows in orjson.loads(payload):
                found.setdefault(lane, []).extend(rows)
        return found


class Keeper:
    """A sink that keeps everything and looks at nothing while a race runs."""

    def __init__(self) -> None:
        self.runs: dict[str, Kept] = {}

    def on_begun(self, run_id: str, origin_ns: int) -> None:
        """Its origin comes again at the end."""

    def on_view(self, run_id: str, message: bytes) -> None:
        self.runs[run_id].view_bytes += len(message)

    def on_rows(self, run_id: str, rows: bytes) -> None:
        self.runs[run_id].payloads.append(rows)

    def on_lane_end(self, run_id: str, lane: int) -> None:
        pass

    def on_end(self, run_id: str, health: dict[str, Any]) -> None:
        self.runs[run_id].health = health
        self.runs[run_id].ended.set()

    def on_died(self, run_ids: list[str]) -> None:
        for run_id in run_ids:
            self.runs[run_id].ended.set()


class Product:
    """One collector process of one's own, as a context manager."""

    def __init__(self) -> None:
        self._keeper = Keeper()
        self._client = CollectorClient(self._keeper)
        self._number = 0

    def __enter__(self) -> Product:
        self._client.start()
        if not self._client.ready.wait(30):
            raise TimeoutError("the collector did not get ready within 30 s")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    @property
    def pid(self) -> int:
        """Process id of the collector."""
        assert self._client.pid is not None
        return self._client.pid

    def race(self, truth: Truth, specs: Sequence[Spec]) -> tuple[list[Pair], Kept]:
        """Race one lane per spec, all at once; the lanes held against the truth, and all that was shipped."""
        self._number += 1
        run = run_of(f"bench-{self._number}", truth.base_url, specs)
        kept = self._keeper.runs[run.id] = Kept()
        self._client.start_run(run, dict.fromkeys(range(len(specs)), "bench"), Limits())
        if not kept.ended.wait(120) or not kept.health:
            raise TimeoutError("the collector did not finish the race")
        rows = kept.rows()
        seen = [stamped(spec, rows[lane], kept.health["origin_ns"]) for lane, spec in enumerate(specs)]
        return match(seen, truth.wait_for(len(specs))), kept


def run_of(run_id: str, base_url: str, specs: Sequence[Spec]) -> Run:
    """A run with one lane per spec."""
    lanes = tuple(Backend(spec.name, spec.name, base_url, spec.name) for spec in specs)
    return Run(run_id, Prompt("Go"), Params(max_tokens=None), Mode.ALL_AT_ONCE, lanes)


def stamped(spec: Spec, rows: list[list[Any]], origin_ns: int) -> Stamped:
    """One lane's rows as absolute stamps. Raises ValueError when the lane did not complete."""
    if rows[-1][1:] != ["end", "complete"]:
        raise ValueError(f"{spec.name}: {rows[-2:]}")
    sent = [row[0] for row in rows if row[1] == "sent"]
    texts = [row[0] for row in rows if row[1] in TEXT]
    return Stamped(spec.name, origin_ns + sent[-1], tuple(origin_ns + at for at in texts))
