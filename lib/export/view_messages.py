"""A recording as the messages a live viewer got, and lanes of several recordings as the messages of one race.

The player draws both alike, to the millisecond: text is merged by the collector's own encoder, for which it does not
matter where messages are cut. Here it is every 30 ms of the run's clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import orjson

from lib.collector.shipping import ViewEncoder, message
from lib.domain import events as ev
from lib.domain.codec import Row, encode_event
from lib.domain.run import Backend, Mode, Params, Prompt, Run
from lib.metrics.measurement import measure
from lib.metrics.timeline import timeline
from lib.provenance import Facts, facts_without_display, lane_facts
from lib.reading import ReadingSpeed
from lib.view_stream import announcement, lane_figures, race_result

STEP_NS = 30_000_000
Lane = tuple[Run, int]  # a recording and the place of one of its lanes


def view_messages(run: Run, speed: ReadingSpeed | None = None) -> list[str]:
    """The run's messages in order: message 0, text and events, figures of each lane that ended, the result.

    `speed` None takes the reader of each answer's language.
    """
    return list(_messages(run, speed, announcement(run)))


def merged_messages(parts: Sequence[Lane], speed: ReadingSpeed | None = None) -> list[str]:
    """Lanes of several runs on one start line, message 0 marked `merged`: a race that never took place."""
    run = merged_run(parts)
    how = [_own_how(one, lane) for one, lane in parts]
    return list(_messages(run, speed, {**announcement(run), "merged": True, "how": ()}, how))


def merged_run(parts: Sequence[Lane]) -> Run:
    """The lanes as one run whose t0 (the request that was answered) is the same moment in every lane.

    What came before the answered attempt is left out. Prompt and parameters are kept only where all runs agree.
    """
    tails = [_answered(run.generations[lane]) for run, lane in parts]
    line_ns = max((t0_ns - events[0].at_ns for t0_ns, events in tails if events), default=0)
    generations = tuple(
        ev.Generation(place, tuple(replace(e, at_ns=e.at_ns - t0_ns + line_ns) for e in events))
        for place, (t0_ns, events) in enumerate(tails)
    )
    prompts = {run.prompt.text: run.prompt for run, _lane in parts}
    params = [run.params_of(lane) for run, lane in parts]
    return Run(
        id="merged-" + "-".join(f"{run.id}.{lane}" for run, lane in parts),
        prompt=next(iter(prompts.values())) if len(prompts) == 1 else Prompt(""),
        params=params[0] if params and all(one == params[0] for one in params) else Params(max_tokens=None),
        mode=Mode.ALL_AT_ONCE,
        backends=tuple(_backend(run, lane) for run, lane in parts),
        generations=generations,
    )


def _backend(run: Run, lane: int) -> Backend:
    """The backend, saying when it ran."""
    backend = run.backends[lane]
    day = run.started_at[:10]
    return replace(backend, note=", ".join(word for word in (backend.note, day) if word))


def _answered(generation: ev.Generation) -> tuple[int, tuple[ev.Event, ...]]:
    """t0 in ns and the events from the attempt that was answered on."""
    events = generation.events
    first_ns = events[0].at_ns if events else 0
    sent_ns = timeline(generation).sent_ns
    t0_ns = first_ns if sent_ns is None else sent_ns
    begun = [i for i, e in enumerate(events) if type(e) is ev.Attempt and e.at_ns <= t0_ns]
    return t0_ns, events[begun[-1] if begun else 0 :]


def _own_how(run: Run, lane: int) -> Facts:
    """How the figures of one lane came about in the run it is of."""
    backend = run.backends[lane]
    return (*lane_facts(backend, measure(run.generations[lane], backend)), *facts_without_display(run))


def _messages(
    run: Run, speed: ReadingSpeed | None, told: dict[str, Any], how: Sequence[Facts] = ()
) -> Iterator[str]:
    """`how`: of lanes that were measured apart; then they have nothing in common."""
    yield _text({"now": 0, "run": told})
    encoders = [ViewEncoder(lane) for lane in range(len(run.backends))]
    end_ns, ended = 0, 0
    for step, rows in _steps(run):
        end_ns = (step + 1) * STEP_NS
        view = message(end_ns, [encoders[lane].encode(found) for lane, found in rows])
        if view is not None:
            yield view.decode()
        for lane in (lane for lane, found in rows if found[-1][1] == "end"):
            ended += 1
            own = {"how": how[lane]} if how else {}
            figures = {**lane_figures(run, lane, speed), **own}
            yield _text({"now": end_ns // 1_000_000, "f": [[lane, figures]]})
    if ended == len(run.backends):
        yield _text({"now": end_ns // 1_000_000, "result": race_result(run, speed) | ({"how": ()} if how else {})})


def _steps(run: Run) -> Iterator[tuple[int, list[tuple[int, list[Row]]]]]:
    """The rows by step of the run's clock: (number of the step, [(lane, its rows in it)])."""
    placed = []
    for lane, generation in enumerate(run.generations):
        latest_ns = 0
        for event in generation.events:
            latest_ns = max(latest_ns, event.at_ns)
            placed.append((latest_ns // STEP_NS, lane, encode_event(event)))
    placed.sort(key=lambda row: row[:2])
    for step, rows in groupby(placed, key=lambda row: row[0]):
        yield (
            step,
            [(lane, [row[2] for row in found]) for lane, found in groupby(rows, key=lambda row: row[1])],
        )


def _text(content: dict[str, Any]) -> str:
    return orjson.dumps(content, default=str).decode()
