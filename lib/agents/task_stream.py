"""A loop as view messages: one lane for each backend, whose text goes on step after step.

The live view and a replay are made of the same rows by the same functions (docs/recording.md, "A loop on the stage").
Between the answers stand marks: which step begins, which tool is waited for, that a person looks. Nothing is timed here.
"""

from __future__ import annotations

from typing import Any

import orjson

from lib import numbers
from lib.agents.figure_texts import text_of
from lib.agents.phases import Kind
from lib.agents.tasks import TaskView, headline
from lib.collector.shipping import ViewEncoder
from lib.domain.codec import Row
from lib.domain.failures import FAILURES
from lib.domain.run import Backend, Mode, Params, Prompt, Run
from lib.i18n import _
from lib.metrics.quantity import Figure, Unavailable
from lib.provenance import common_facts
from lib.view_stream import announcement

MARK = "x"  # the channel of a mark: text that no model wrote and that no count holds
_STATUS = {"complete": "complete", "failed": "error", "fault": "interrupted"}
_NS_PER_MS = 1_000_000


def announced(
    run_id: str, prompt: Prompt, backends: tuple[Backend, ...], mode: Mode, started_at: str, steps: int
) -> str:
    """Message 0: a run with a lane for each backend, and how many steps its task has."""
    run = Run(run_id, prompt, Params(max_tokens=None), mode, backends, started_at)
    return _text({"now": 0, "run": {**announcement(run), "task": steps}})


class TaskStream:
    """One backend's part of the view stream; remembers which request runs and what the servers counted before it."""

    def __init__(self, place: int, steps: int) -> None:
        self._place, self._steps = place, steps
        self._encoder = ViewEncoder(place)
        self._pending = ""  # the mark that opens the request that comes
        self._step = 0
        self._counted, self._before = 0, 0  # output tokens of this request, of those before it
        self._error: Row | None = None

    def request(self, step: int, number: int) -> None:
        """A request of this step (from 0) is about to be made for the `number`th time."""
        self._before, self._counted, self._step = self._before + self._counted, 0, step
        self._encoder = ViewEncoder(self._place)  # no piece of this request is told at a time before its mark
        self._pending = _("Step {n} of {of}").format(n=step + 1, of=self._steps)
        if number > 1:
            why = FAILURES.get(self._error[2]) if self._error else None
            self._pending += f", {_('asked again')}" + (f" ({_(why.title)})" if why else "")
        self._error = None

    def rows(self, rows: list[Row]) -> str | None:
        """What came of the request, as a message; None when there is nothing to show."""
        texts: list[Any] = []
        events: list[Any] = []
        shown = [row for row in rows if row[1] not in ("error", "end", "usage", "restart")]
        for row in rows:
            if row[1] == "attempt" and self._pending:
                at_ms = row[0] // _NS_PER_MS
                texts.append(self._mark(at_ms, self._pending))
                events.append([self._place, at_ms, "step", self._step + 1])
                self._pending = ""
            elif row[1] == "error":
                self._error = row
            elif row[1] == "usage" and isinstance(row[2].get("completion_tokens"), int):
                self._counted = row[2]["completion_tokens"]
                events.append([self._place, row[0] // _NS_PER_MS, "usage", self._before + self._counted])
        written, happened = self._encoder.encode(shown)
        return _message(rows[-1][0], texts + written, events + happened) if rows else None

    def pause(self, kind: Kind, tool: str, start_ns: int, seconds: float | None) -> str | None:
        """A tool or a person is waited for from `start_ns` on; `seconds` None: for as long as it takes."""
        name = tool if kind is Kind.TOOL else _("a person looks at it")
        time = "" if seconds is None else f", {numbers.seconds(seconds)}"
        at_ms = start_ns // _NS_PER_MS
        asked_ms = None if seconds is None else seconds * 1000
        return _message(
            start_ns, [self._mark(at_ms, f"{name}{time}")], [[self._place, at_ms, "act", kind.value, name, asked_ms]]
        )

    def end(self, task: TaskView, at_ns: int) -> list[str]:
        """The task is over: its end, then its exact figures."""
        at_ms = at_ns // _NS_PER_MS
        status = _STATUS.get(task.ended, "stopped")
        _texts, events = self._encoder.encode([self._error] if self._error and status == "error" else [])
        for event in events:
            event[-1] = {**event[-1], "retry_helps": False}  # a task goes on from no step but its first
        if task.ended == "cap":
            events.append([self._place, at_ms, "warning", "spend_cap"])
        ending = {"now": at_ms, "e": [*events, [self._place, at_ms, "end", status]]}
        figures = {"now": at_ms, "f": [[self._place, lane_figures(task, status)]]}
        return [_text(ending), _text(figures)]

    def _mark(self, at_ms: int, text: str) -> list[Any]:
        return [self._place, MARK, [at_ms, f"{text}\n"]]


def result(tasks: tuple[TaskView, ...], at_ns: int) -> str:
    """The last message: the sentence by rule, and the order in which whole tasks were done, each on its own clock."""
    done = sorted(task.seconds for task in tasks if task.ended == "complete")
    places = [done.index(task.seconds) + 1 if task.ended == "complete" else None for task in tasks]
    how = common_facts([task.how[1:-1] for task in tasks])
    told = {"verdict": [[headline(tasks), ""]], "places": places, "how": how[-1:], "lanes_how": how[:-1]}
    return _text({"now": at_ns // _NS_PER_MS, "result": told})


def lane_figures(task: TaskView, status: str) -> dict[str, Any]:
    """The exact figures of an ended task in the places of a lane's; what a task does not have is left out."""
    six, ms = task.figures, task.seconds * 1000
    return {
        "status": status,
        "place": None,
        "hero": _hero(task),
        "how": task.how[:-2],  # the clock is known at the end, the screen knows its own lag
        "ttft": _figure(six.ttft_ms),
        "tokens": {"text": None if six.output_tokens is None else numbers.whole(six.output_tokens),
                   "source": _("All steps together."), "count": six.output_tokens, "reason": None},
        "tokens_total": six.output_tokens,
        "elapsed": {"text": numbers.clock(ms), "ms": ms},
        "cost": _figure(six.cost),
        "warnings": [],
        "failure": None,
    }  # fmt: skip


def _hero(task: TaskView) -> dict[str, Any]:
    """The whole task's time is what counts here; how far it came, where it was not done."""
    total = task.figures.total_s
    if isinstance(total, Unavailable):
        return {"text": None, "unit": None, "value": None, "note": "", "reason": total.reason}
    seconds = float(total.value)
    unit = _("the whole task, {n} steps").format(n=task.figures.steps)
    return {"text": numbers.clock(seconds * 1000), "unit": unit, "value": seconds, "note": "", "reason": None}


def _figure(figure: Figure) -> dict[str, Any]:
    if isinstance(figure, Unavailable):
        return {"text": None, "reason": figure.reason}
    return {"text": text_of(figure), "reason": None}


def _message(at_ns: int, texts: list[Any], events: list[Any]) -> str | None:
    body: dict[str, Any] = {"now": at_ns // _NS_PER_MS}
    if texts:
        body["d"] = texts
    if events:
        body["e"] = events
    return _text(body) if len(body) > 1 else None


def _text(content: dict[str, Any]) -> str:
    return orjson.dumps(content, default=str).decode()
