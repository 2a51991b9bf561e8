"""A loop as a recording: one run whose lanes are the requests, in the order they began.

Every event is on the task's one clock, so the run replays as it was. What is no request (the tool, the person) stands
in the lane's note in a fixed form, and `read_loop` reads it back; docs/agents.md has the form.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from lib.agents.loop import LoopRun
from lib.agents.phases import Kind, Piece, StepRecord
from lib.domain.events import Generation
from lib.domain.run import Backend, Prompt, Run

TAG = "agent loop"
_NOTE = re.compile(
    r"agent (\d+) step (\d+)/(\d+) try (\d+)(?: · tool (\d+)-(\d+) us)?(?: · person (\d+)-(\d+) us)? · (.{1,60})"
)
_NAME = re.compile(r"(.*) · (\d+)(?: \(\d+\))?", re.DOTALL)
_US = 1000


def run_of(loop: LoopRun) -> Run | None:
    """The loop's recording so far, or None before its first request."""
    with_lanes = _asked(loop)
    if not with_lanes:
        return None
    plan = loop.plan
    return Run(
        id=plan.id,
        prompt=Prompt(plan.trace.task or plan.trace.name),
        params=replace(plan.params, max_tokens=None),
        mode=plan.mode,
        backends=tuple(backend for backend, _step, _generation in with_lanes),
        started_at=plan.started_at,
        generations=tuple(Generation(lane, one.events) for lane, (_backend, _step, one) in enumerate(with_lanes)),
        clock_health_ms=loop.clock_health_ms,
        versions=dict(loop.versions),
        own_params={
            lane: replace(plan.params, max_tokens=plan.trace.steps[step].output_tokens)
            for lane, (_backend, step, _generation) in enumerate(with_lanes)
        },
    )


def _asked(loop: LoopRun) -> list[tuple[Backend, int, Generation]]:
    """(the lane, its step, what came) of each request, in the order they began."""
    steps, found = [lane.steps for lane in loop.lanes], []
    for place, step, number in tuple(loop.asked):
        known = steps[place][step] if step < len(steps[place]) else StepRecord(step, loop.plan.trace.steps[step].tool)
        generation = known.tries[number - 1] if number <= len(known.tries) else Generation(0)
        backend = _lane(loop.plan.backends[place], place, len(loop.plan.trace.steps), known, number)
        found.append((backend, step, generation))
    return found


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


def is_loop(run: Run) -> bool:
    """Whether the run is a loop: every lane says which step it is."""
    return bool(run.backends) and all(_NOTE.fullmatch(backend.note) for backend in run.backends)


def steps_of(run: Run) -> int:
    """How many steps the trace of a kept loop has; 0 when the run is no loop."""
    found = _NOTE.fullmatch(run.backends[0].note) if run.backends else None
    return 0 if found is None else int(found[3])


def asked_tokens(run: Run) -> dict[int, int]:
    """The output tokens that each step of a kept loop asked for, by step from 0."""
    found = [_NOTE.fullmatch(backend.note) for backend in run.backends]
    return {int(one[2]) - 1: run.params_of(lane).max_tokens or 1 for lane, one in enumerate(found) if one is not None}


def tasks_in(names: Sequence[str]) -> dict[str, int]:
    """From the names of a loop's lanes: each backend with how many steps it began; empty when one is no such name."""
    found = [_NAME.fullmatch(name) for name in names]
    begun: dict[str, int] = {}
    for one in found:
        if one is None:
            return {}
        begun[one[1]] = max(begun.get(one[1], 0), int(one[2]))
    return begun


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


def _piece(kind: Kind, start_us: str | None, end_us: str | None) -> Piece | None:
    if start_us is None or end_us is None:
        return None
    return Piece(kind, int(start_us) * _US, int(end_us) * _US)
