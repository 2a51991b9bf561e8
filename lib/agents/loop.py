"""The loop perceive, think, act, observe as a run: a lane per backend, all on one clock, through one collector.

What is done so far can be read at any time, and witnesses are told what happens as it does. Stop keeps what is there.
Backends of this machine carry their tasks out one after another (`LoopPlan.mode`). Nothing is drawn or kept here.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from time import perf_counter_ns
from typing import Protocol

from lib import tokens
from lib.agents.asking import LoopAsker
from lib.agents.phases import Kind
from lib.agents.task_lane import LaneState, LoopPlan, TaskLane, Wait
from lib.agents.work import Access, Asker, MakeAsker, Work, in_threads, queues_of
from lib.domain.codec import Row
from lib.domain.run import Limits
from lib.grace import Grace
from lib.metrics.cost import as_decimal, cost
from lib.metrics.measurement import Measurement
from lib.metrics.quantity import Quantity

_log = logging.getLogger(__name__)


class Witness(Protocol):
    """Who follows a loop; told from its threads, must only put things aside and return."""

    def on_begin(self, loop: LoopRun) -> None: ...

    def on_request(self, place: int, step: int, number: int) -> None: ...

    def on_rows(self, place: int, rows: list[Row]) -> None: ...

    def on_pause(self, place: int, kind: Kind, start_ns: int, seconds: float | None) -> None: ...

    def on_step(self, place: int) -> None: ...

    def on_lane_end(self, place: int) -> None: ...

    def on_end(self) -> None: ...


class LoopRun(Work):
    """One plan being carried out: `start`, read `lanes`, `approve` where a person is asked, `stop`."""

    def __init__(
        self,
        plan: LoopPlan,
        access: Access,
        asker: MakeAsker = LoopAsker,
        clock_ns: Callable[[], int] = perf_counter_ns,
        wait: Wait = threading.Event.wait,
        witnesses: Sequence[Witness] = (),
        grace: Grace | None = None,
    ) -> None:
        super().__init__(f"loop {plan.id}", asker, grace)
        self.plan = plan
        self.asked: list[tuple[int, int, int]] = []  # (place, step, try) of each request, in the order they began
        self._access, self._clock_ns, self._witnesses = access, clock_ns, witnesses
        self._spent = Decimal(0)
        self._lock = threading.Lock()
        self._origin_ns = clock_ns()
        self._lanes = tuple(TaskLane(place, self, wait) for place in range(len(plan.backends)))

    @property
    def asker(self) -> Asker | None:
        """Who makes its requests, once it runs."""
        return self._asker

    @property
    def now_ns(self) -> int:
        """The task's clock."""
        return max(0, self._clock_ns() - self._origin_ns)

    @property
    def origin_ns(self) -> int:
        """When the task began on the machine's own clock."""
        return self._origin_ns

    @property
    def lanes(self) -> tuple[LaneState, ...]:
        """Every lane with what it has done, the step under way included."""
        return tuple(lane.state for lane in self._lanes)

    def access(self, place: int) -> tuple[str, Limits]:
        """Key and limits of a lane."""
        return self._access.keys[place], self._access.limits[place]

    def approve(self, lane: int) -> None:
        """A person has looked at this lane's step: it goes on."""
        self._lanes[lane].approve()

    def stop_lane(self, lane: int) -> None:
        """Stop one backend's task; the others go on."""
        self._lanes[lane].stop()
        if self._asker is not None:
            self._asker.stop(lane)

    def on_request(self, place: int, step: int, number: int) -> None:
        """A lane asks; told before the request is made."""
        with self._lock:
            self.asked.append((place, step, number))
        self._tell("on_request", place, step, number)

    def on_rows(self, place: int, rows: list[Row]) -> None:
        """Rows of a lane's request came; witnesses get them on the task's clock."""
        if self._witnesses:
            self._tell("on_rows", place, [[row[0] - self._origin_ns, *row[1:]] for row in rows])

    def on_pause(self, place: int, kind: Kind, start_ns: int, seconds: float | None) -> None:
        """A lane waits for its tool, or for a person (`seconds` None: for as long as it takes)."""
        self._tell("on_pause", place, kind, start_ns, seconds)

    def on_step(self, place: int, measured: Measurement | None) -> None:
        """A step of a lane is over; None when it was not answered."""
        self._tell("on_step", place)
        found = cost(measured) if measured is not None else None
        if self._access.cap is None or not isinstance(found, Quantity):
            return
        with self._lock:
            self._spent += as_decimal(found)
        if self._spent >= self._access.cap:
            self._end_early("cap")

    def on_lane_end(self, place: int) -> None:
        """A lane's task is over."""
        self._tell("on_lane_end", place)

    def _work(self, asker: Asker) -> None:
        tokens.warm()
        self._origin_ns = self._clock_ns()  # collector and tokenizer are warm: the task begins now
        for witness in self._witnesses:
            witness.on_begin(self)
        in_threads([partial(self._queue, places, asker) for places in queues_of(self.plan.backends, self.plan.mode)])

    def _queue(self, places: Sequence[int], asker: Asker) -> None:
        for place in places:
            self._lanes[place].run(asker)

    def _leave(self) -> None:
        self._tell("on_end")

    def _tell(self, what: str, *values: object) -> None:
        """Tell every witness; one that fails must not end the task."""
        for witness in self._witnesses:
            try:
                getattr(witness, what)(*values)
            except Exception:
                _log.exception("loop %s, %s", self.plan.id, what)

    def _end_early(self, why: str) -> None:
        if not self._ended.is_set():
            for lane in self._lanes:
                lane.stop(why)
        super()._end_early(why)
