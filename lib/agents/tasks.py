"""The tasks of a loop, one for each backend: carried out, under way, kept, or predicted by the closed form.

Each on its own clock, which begins with its first request: a backend that had to wait for another is not charged for
that. The page, the stage and the files all say what is computed here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from lib.agents.amdahl import end_to_end_gain
from lib.agents.closed_form import Speed, predicted, predicted_figures, tokens_of
from lib.agents.figures import Shares, SixFigures, shares_of, six_figures
from lib.agents.loop import LoopRun
from lib.agents.phases import Piece, StepRecord, StepTimes, end_ns, sums_s, times_of
from lib.agents.record import asked_tokens, read_loop, steps_of
from lib.agents.task_lane import LaneState
from lib.agents.trace import Step, Trace
from lib.charts.result_lanes import names_apart
from lib.domain import events as ev
from lib.domain.run import Backend, Origin, Run
from lib.i18n import _, ngettext
from lib.metrics.cost import as_decimal, runs_here
from lib.metrics.quantity import Quantity
from lib.metrics.timeline import NS_PER_S
from lib.numbers import percent, ratio, seconds, whole
from lib.provenance import (
    Conditions,
    Facts,
    badge_word,
    common_facts,
    conditions_of,
    counted_by,
    in_words,
    made_by,
    shared_facts,
)
from lib.simulator.profiles import DEFAULT_IDS, Profile, load_profiles

WORTH_SAYING = 1.15  # a decode gain that is not larger than the whole gain by this much is no "yet only"


@dataclass(frozen=True, slots=True)
class TaskView:
    """One backend's task as it is shown."""

    name: str
    backend: Backend
    times: tuple[StepTimes, ...]
    figures: SixFigures
    ended: str  # as in `LaneState`; "predicted" for the closed form
    waits_for_person: bool = False
    how: Facts = ()  # how its figures came about

    @property
    def badge(self) -> str:
        """Its badge as a word; a prediction says that it is one."""
        return _("predicted") if self.ended == "predicted" else badge_word(self.backend.origin)

    @property
    def label(self) -> str:
        """Name and badge."""
        return f"{self.name}, {self.badge}"

    @property
    def seconds(self) -> float:
        """How far its clock has come."""
        return end_ns(self.times) / NS_PER_S

    @property
    def own_s(self) -> float:
        """Time of the task in no piece: what the loop itself took between them."""
        return max(0.0, self.seconds - sum(sums_s(self.times).values())) if self.ended != "predicted" else 0.0

    @property
    def shares(self) -> Shares:
        """Its time by what a faster decode would change."""
        return shares_of(self.times)

    @property
    def cost(self) -> Decimal | None:
        """What the task cost, or None when that is not known."""
        return as_decimal(self.figures.cost) if isinstance(self.figures.cost, Quantity) else None


def tasks_of(loop: LoopRun) -> tuple[TaskView, ...]:
    """Every lane of a loop as it stands now."""
    now_ns, of = loop.now_ns, len(loop.plan.trace.steps)
    lanes = zip(names_apart(loop.plan.backends), loop.plan.backends, loop.lanes, strict=True)
    plan = loop.plan
    known = Conditions(plan.mode, plan.started_at, loop.versions, loop.clock_health_ms)
    return tuple(_measured(task_view(*lane, now_ns=now_ns, of=of), lane[2], known) for lane in lanes)


def task_view(name: str, backend: Backend, lane: LaneState, *, now_ns: int, of: int) -> TaskView:
    """One lane as it is shown; what still runs reaches to `now_ns` of the loop's clock."""
    times = _from_zero(tuple(times_of(record, now_ns) for record in lane.steps))
    figures = six_figures(lane.steps, times, backend, of, lane.ended)
    return TaskView(name, backend, times, figures, lane.ended, lane.waits_for_person)


def kept_tasks(run: Run) -> tuple[tuple[TaskView, ...], Trace]:
    """The tasks of a loop from the history, and its trace as far as it came; no tasks when the run is no loop."""
    of, lanes = steps_of(run), read_loop(run)
    names = names_apart(tuple(backend for backend, _steps in lanes))
    states = [LaneState(steps, _ended(steps, of)) for _backend, steps in lanes]
    known = conditions_of(run)
    found = [_measured(task_view(name, backend, state, now_ns=0, of=of), state, known)
             for name, (backend, _steps), state in zip(names, lanes, states, strict=True)]  # fmt: skip
    tools = {record.step: record.tool for _backend, steps in lanes for record in steps}
    most = asked_tokens(run)
    kept = tuple(Step(most.get(place, 1), tool=tools.get(place, "none")) for place in range(max(tools, default=-1) + 1))
    return tuple(found), Trace(run.prompt.text, run.prompt.text, kept)


def footer_of(tasks: Sequence[TaskView]) -> str:
    """How the figures of all tasks came about, on one line for a picture; the badges are told there."""
    return in_words(common_facts([task.how[1:] for task in tasks]))


def _measured(task: TaskView, lane: LaneState, known: Conditions) -> TaskView:
    """The task, saying how its figures came about."""
    answers = [record.answered for record in lane.steps if record.answered is not None]
    source = counted_by([not answer.of(ev.Usage) for answer in answers])
    condition = _("each step sends the conversation again; what the server caches of it is its own")
    shared = shared_facts(replace(known, trials=_("one task"), condition=condition))
    return replace(task, how=(*made_by(task.backend, source), *shared))


def _ended(steps: Sequence[StepRecord], of: int) -> str:
    """How a kept task ended, by what was kept of it."""
    if sum(record.answered is not None for record in steps) == of:
        return "complete"
    return "failed" if steps and times_of(steps[-1], 0).has_failed else "stopped"


def _from_zero(times: tuple[StepTimes, ...]) -> tuple[StepTimes, ...]:
    """The same pieces since the first of them began."""
    start_ns = min((piece.start_ns for step in times for piece in step.pieces), default=0)
    return tuple(
        replace(step, pieces=tuple(Piece(p.kind, p.start_ns - start_ns, p.end_ns - start_ns) for p in step.pieces))
        for step in times
    )


def predictions(trace: Trace, chosen: Sequence[str]) -> tuple[TaskView, ...]:
    """The trace by the closed form for the simulated backends among these ids, or for the three of a first visit."""
    known = {profile.id: profile for profile in load_profiles()}
    ids = [id_ for id_ in dict.fromkeys(chosen) if id_ in known] or list(DEFAULT_IDS)
    return tuple(_prediction(trace, known[id_]) for id_ in ids)


def _prediction(trace: Trace, profile: Profile) -> TaskView:
    speed = Speed(profile.ttft_ms / 1000, profile.tok_s)
    backend = Backend(profile.id, profile.name, "", profile.id, Origin.SIMULATED, "", profile.prices)
    figures = predicted_figures(trace, speed, profile.prices, cached=False)
    return TaskView(profile.name, backend, predicted(trace, speed), figures, "predicted")


def ended_words(ended: str) -> str:
    """Why a task is not whole, in words; empty when it is, or still runs."""
    words = {
        "failed": _("failed"), "stopped": _("stopped"), "cap": _("spend cap reached"),
        "unwatched": _("stopped, since nobody watched"), "fault": _("could not go on"),
    }  # fmt: skip
    return words.get(ended, "")


def how_far(task: TaskView) -> str:
    """How far a task came and how long it took."""
    time = seconds(task.seconds)
    if task.ended in ("complete", "predicted"):
        return time
    done = _("{done} of {of} steps, {time}").format(done=task.figures.steps, of=task.figures.of, time=time)
    return ", ".join(word for word in (done, ended_words(task.ended)) if word)


def turns_in_words(tasks: Sequence[TaskView]) -> str:
    """That backends of this machine waited for each other, when they did; else an empty text."""
    here = [task.name for task in tasks if runs_here(task.backend)]
    if len(here) < 2:
        return ""
    return _("{names} share this machine: they do the task one after another, each on its own clock.").format(
        names=", ".join(here)
    )


def headline(tasks: Sequence[TaskView]) -> str:
    """One sentence by rule: how much faster the whole became, and what the time goes to now."""
    done = [task for task in tasks if task.ended in ("complete", "predicted") and task.seconds > 0]
    if not done:
        return f"{', '.join(map(_so_far, tasks))}."
    fast, slow = min(done, key=lambda t: t.seconds), max(done, key=lambda t: t.seconds)
    rest = percent(fast.shares.unaccelerated)
    if len(done) < 2 or fast is slow:
        told = _("{name} needs {time} for the task; {rest} of it is not decoding.")
        return told.format(name=fast.name, time=seconds(fast.seconds), rest=rest)
    decode = slow.shares.decode_s / fast.shares.decode_s if fast.shares.decode_s > 0 else math.inf
    gain = slow.seconds / fast.seconds
    told = _("{fast} decodes {decode} as fast as {slow}, yet the whole task is done only {whole} as fast: "
             "{rest} of what is left is not decoding.")  # fmt: skip
    if math.isinf(decode) or decode < gain * WORTH_SAYING:
        told = _("{fast} does the task {whole} as fast as {slow}; {rest} of its time is not decoding.")
    return told.format(
        fast=fast.name, slow=slow.name, decode=ratio(decode) if math.isfinite(decode) else "",
        whole=ratio(gain), rest=rest,
    )  # fmt: skip


def _so_far(task: TaskView) -> str:
    done = _("{name} has done {done} of {of} steps").format(name=task.name, done=task.figures.steps, of=task.figures.of)
    ended = ended_words(task.ended)
    return f"{done} ({ended})" if ended else done


def gain_points(task: TaskView) -> tuple[tuple[float, float], ...]:
    """(decode gain, end-to-end gain) from 1 to 1000 times, by Amdahl's law with the measured shares."""
    share = task.shares.unaccelerated
    gains = [10 ** (power / 10) for power in range(31)]
    return tuple((gain, found) for gain in gains if (found := end_to_end_gain(share, gain)) is not None)


def task_in_words(trace: Trace) -> str:
    """The task's name, its calls and what they send."""
    calls = ngettext("{name}: {n} call; {tokens}", "{name}: {n} calls; {tokens}", len(trace.steps))
    return calls.format(name=trace.name, n=len(trace.steps), tokens=resent_words(trace))


def resent_words(trace: Trace) -> str:
    """How many tokens the resent history makes of a trace."""
    found = tokens_of(trace)
    return _("{input} input and {output} output tokens, since every call sends everything again").format(
        input=whole(found.input), output=whole(found.output)
    )
