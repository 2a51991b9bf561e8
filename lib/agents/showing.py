"""A loop on the stage: as view messages while it runs (a witness), and again from its recording.

What a message holds is `lib.agents.task_stream`'s; who reads it, the page's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

from lib.agents.loop import LoopRun
from lib.agents.phases import Kind, StepRecord, end_ns, times_of
from lib.agents.record import read_loop, steps_of
from lib.agents.task_stream import TaskStream, announced, result
from lib.agents.tasks import TaskView, kept_tasks, tasks_of
from lib.domain.codec import Row, encode_event
from lib.domain.events import Generation
from lib.domain.run import Prompt, Run


class Showing:
    """A `Witness` of one loop; `say` takes each message, in the order in which viewers must get it."""

    def __init__(self, say: Callable[[str], None], on_over: Callable[[], None] = lambda: None) -> None:
        self._say, self._on_over = say, on_over
        self._loop: LoopRun | None = None
        self._streams: tuple[TaskStream, ...] = ()
        self._locks: tuple[threading.Lock, ...] = ()  # a lane is told of by the collector's thread and by its own

    def on_begin(self, loop: LoopRun) -> None:
        """Message 0."""
        plan, steps = loop.plan, len(loop.plan.trace.steps)
        self._loop = loop
        self._streams = tuple(TaskStream(place, steps) for place in range(len(plan.backends)))
        self._locks = tuple(threading.Lock() for _stream in self._streams)
        prompt = Prompt(plan.trace.task or plan.trace.name)
        self._say(announced(plan.id, prompt, plan.backends, plan.mode, plan.started_at, steps))

    def on_request(self, place: int, step: int, number: int) -> None:
        """The next rows of the lane are of this request."""
        with self._locks[place]:
            self._streams[place].request(step, number)

    def on_rows(self, place: int, rows: list[Row]) -> None:
        """Text and events."""
        with self._locks[place]:
            self._put(self._streams[place].rows(rows))

    def on_pause(self, place: int, kind: Kind, start_ns: int, seconds: float | None) -> None:
        """The lane waits for its tool or for a person."""
        if self._loop is None:
            return
        tool = self._loop.lanes[place].steps[-1].tool
        with self._locks[place]:
            self._put(self._streams[place].pause(kind, tool, start_ns, seconds))

    def on_step(self, place: int) -> None:
        """What follows says so itself."""

    def on_lane_end(self, place: int) -> None:
        """The lane's exact figures."""
        if self._loop is None:
            return
        task, state = tasks_of(self._loop)[place], self._loop.lanes[place]
        with self._locks[place]:
            for message in self._streams[place].end(task, last_ns(state.steps)):
                self._put(message)

    def on_end(self) -> None:
        """The result."""
        if self._loop is not None:
            steps = [record for lane in self._loop.lanes for record in lane.steps]
            self._put(result(tasks_of(self._loop), last_ns(steps)))
        self._on_over()

    def _put(self, message: str | None) -> None:
        if message is not None:
            self._say(message)


def loop_messages(run: Run) -> list[str]:
    """The messages of a kept loop, as a live viewer got them but for how they were cut."""
    lanes, (tasks, _trace), steps = read_loop(run), kept_tasks(run), steps_of(run)
    backends = tuple(backend for backend, _steps in lanes)
    parts = [part for place, (_backend, records) in enumerate(lanes)
             for part in _lane(place, records, tasks[place], steps)]  # fmt: skip
    parts.sort(key=lambda part: part[0])
    last = last_ns([record for _backend, records in lanes for record in records])
    first = announced(run.id, run.prompt, backends, run.mode, run.started_at, steps)
    return [first, *(message for _at_ns, message in parts), result(tasks, last)]


def on_stage(run: Run) -> Run:
    """A kept loop as the stage names it: a lane for each backend, without what came."""
    backends = tuple(task.backend for task in kept_tasks(run)[0])
    generations = tuple(Generation(lane) for lane in range(len(backends)))
    return replace(run, backends=backends, generations=generations, own_params={})


def last_ns(steps: list[StepRecord] | tuple[StepRecord, ...]) -> int:
    """When the last piece of these steps ended, on the loop's clock."""
    return end_ns([times_of(record, 0) for record in steps])


def _lane(place: int, records: tuple[StepRecord, ...], task: TaskView, steps: int) -> Iterator[tuple[int, str]]:
    """(when it is told, the message) of one backend, in order."""
    stream, at_ns = TaskStream(place, steps), 0
    for record in records:
        for number, one in enumerate(record.tries, 1):
            stream.request(record.step, number)
            rows = [encode_event(event) for event in one.events]
            message = stream.rows(rows)
            if message is not None:
                at_ns = rows[-1][0]
                yield at_ns, message
        for piece in (record.tool_piece, record.human_piece):
            told = stream.pause(piece.kind, record.tool, piece.start_ns, piece.seconds) if piece else None
            if piece is not None and told is not None:
                at_ns = max(at_ns, piece.start_ns)  # kept in microseconds, it may seem to begin before the answer's end
                yield at_ns, told
    end = last_ns(records)
    for message in stream.end(task, end):
        yield end, message
