"""A loop as a recording: one run whose lanes are the requests, backend by backend, step by step, try by try.

Every event is on the task's one clock, so the run replays as it was. What is no request (the tool, the person) stands
in the lane's note in a fixed form, and `read_loop` reads it back; docs/agents.md has the form.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lib.agents.loop import LoopRun
from lib.agents.phases import Kind, Piece, StepRecord
from lib.domain.events import Generation
from lib.domain.run import Backend, Mode, Prompt, Run

TAG = "agent loop"
_NOTE = re.compile(
    r"agent (\d+) step (\d+)/(\d+) try (\d+)(?: · tool (\d+)-(\d+) us)?(?: · person (\d+)-(\d+) us)? · (.{1,60})"
)
_US = 1000


def run_of(loop: LoopRun) -> Run | None:
    """The loop's recording so far, or None before its first request."""
    found = [
        (_lane(backend, place, len(loop.plan.trace.steps), record, number), generation)
        for place, (backend, state) in enumerate(zip(loop.plan.backends, loop.lanes, strict=True))
        for record in state.steps
        for number, generation in enumerate(record.tries, 1)
    ]
    if not found:
        return None
    plan = loop.plan
    return Run(
        id=plan.id,
        prompt=Prompt(plan.trace.task or plan.trace.name),
        params=replace(plan.params, max_tokens=None),
        mode=Mode.ALL_AT_ONCE,
        backends=tuple(backend for backend, _generation in found),
        started_at=plan.started_at,
        generations=tuple(Generation(lane, one.events) for lane, (_backend, one) in enumerate(found)),
        clock_health_ms=loop.clock_health_ms,
        versions=dict(loop.versions),
        own_params={
            lane: replace(plan.params, max_tokens=plan.trace.steps[_step(backend)].output_tokens)
            for lane, (backend, _generation) in enumerate(found)
        },
    )


def read_loop(run: Run) -> tuple[tuple[Backend, tuple[StepRecord, ...]], ...]:
    """The backends of a kept loop with their steps; empty when the run is no loop."""
    by_place: dict[int, tuple[Backend, dict[int, StepRecord]]] = {}
    for backend, generation in zip(run.backends, run.generations, strict=True):
        found = _NOTE.fullmatch(backend.note)
        if found is None:
            return ()
        place, step = int(found[1]), int(found[2]) - 1
        name = backend.name.rpartition(" · ")[0] or backend.name
        _backend, steps = by_place.setdefault(place, (replace(backend, name=name, note=""), {}))
        known = steps.get(step, StepRecord(step, found[9]))
        tool, person = _piece(Kind.TOOL, found[5], found[6]), _piece(Kind.HUMAN, found[7], found[8])
        steps[step] = StepRecord(step, found[9], (*known.tries, generation), tool, person)
    return tuple(
        (backend, tuple(steps[n] for n in sorted(steps))) for _place, (backend, steps) in sorted(by_place.items())
    )


def steps_of(run: Run) -> int:
    """How many steps the trace of a kept loop has; 0 when the run is no loop."""
    found = _NOTE.fullmatch(run.backends[0].note) if run.backends else None
    return 0 if found is None else int(found[3])


def _lane(backend: Backend, place: int, steps: int, record: StepRecord, number: int) -> Backend:
    again = f" ({number})" if number > 1 else ""
    is_last = number == len(record.tries)
    around = "".join(
        f" · {name} {piece.start_ns // _US}-{piece.end_ns // _US} us"
        for name, piece in (("tool", record.tool_piece), ("person", record.human_piece))
        if piece is not None and is_last
    )
    note = f"agent {place} step {record.step + 1}/{steps} try {number}{around} · {record.tool}"
    return replace(backend, name=f"{backend.name} · {record.step + 1}{again}", note=note)


def _step(backend: Backend) -> int:
    found = _NOTE.fullmatch(backend.note)
    assert found is not None, "a note of our own"
    return int(found[2]) - 1


def _piece(kind: Kind, start_us: str | None, end_us: str | None) -> Piece | None:
    if start_us is None or end_us is None:
        return None
    return Piece(kind, int(start_us) * _US, int(end_us) * _US)
