"""What a loop is made of, from what the visitor chose; and the actions behind the buttons of the agent page."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from sqlalchemy.exc import SQLAlchemyError

from lib.agents.desk import Desk, TooManyTasks
from lib.agents.keeping import Keeping
from lib.agents.loop import LoopRun, Witness
from lib.agents.otel import read_any
from lib.agents.record import is_loop
from lib.agents.showing import Showing
from lib.agents.task_lane import LoopPlan
from lib.agents.trace import Trace, TraceError, samples
from lib.agents.work import Access, mode_of
from lib.backends.catalogue import Offer
from lib.domain.codec import RecordingError
from lib.domain.run import Prompt, Run, new_id
from lib.grace import Grace, grace_s
from lib.i18n import _
from lib.live.live_run import LiveRun
from lib.store.rows import NoSuchRunError
from lib.ui import race_settings, state
from lib.ui.race_settings import ParamsError
from lib.ui.race_setup import START_WAIT_S, lineup, offers
from lib.ui.wiring import catalogue, hub, services, store

TRACE, STEPS, PAUSES, SHOWN = "agent_trace", "agent_steps", "agent_pauses", "agent_shown"
OWN, UPLOAD = "agent_own_trace", "agent_upload"
FIRST = "coding-task"
_LOOP = "loop"

desk: Desk[LoopRun] = Desk()


def begin() -> None:
    """Give every widget its first value."""
    race_settings.begin()
    for key, first in ((TRACE, FIRST), (STEPS, len(samples()[FIRST].steps)), (PAUSES, False)):
        state.begin(key, first)


def traces() -> dict[str, Trace]:
    """The traces to choose from: the visitor's own first."""
    own = state.value(OWN, None)
    return {**({OWN: own} if own is not None else {}), **samples()}


def trace() -> Trace:
    """The chosen trace with as many steps as are asked for."""
    known = traces()
    chosen = known.get(state.value(TRACE, FIRST)) or known[FIRST]
    return chosen.cut(int(state.value(STEPS, len(chosen.steps))))


def take_steps() -> None:
    """Another trace was chosen: it comes with all its steps."""
    state.put(STEPS, len(traces()[state.value(TRACE, FIRST)].steps))


def take_upload() -> None:
    """A file was given: it becomes the chosen trace, or a notice says which line is at fault."""
    given = state.value(UPLOAD, None)
    if given is None:
        return
    try:
        state.put(OWN, read_any(given.getvalue()))
    except TraceError as error:
        state.leave_notice(str(error))
        return
    state.put(TRACE, OWN)
    take_steps()


def current() -> LoopRun | None:
    """The loop on screen: from the address, or from before a page switch."""
    known = state.asked(_LOOP) or state.value(_LOOP, None)
    loop = desk.get(known)
    if loop is not None:
        _remember(loop.plan.id)
    return loop


def kept() -> Run | None:
    """A loop that this server holds no more, from the history; None when there is none of that id."""
    asked, history = state.asked(_LOOP), store()
    if asked is None or history is None or desk.get(asked) is not None:
        return None
    try:
        run = history.open(asked)
        return run if is_loop(run) else None
    except (NoSuchRunError, RecordingError, SQLAlchemyError):
        return None


def start() -> None:
    """Start a loop with what is chosen now; what hinders it becomes a notice."""
    ready = ready_offers()
    if not ready:
        return
    try:
        params = race_settings.params()
        backends = tuple(offer.backend for offer in ready)
        plan = LoopPlan(
            new_id(), trace(), backends, params, bool(state.value(PAUSES, False)),
            datetime.now(UTC).isoformat(timespec="seconds"), mode_of(backends),
        )  # fmt: skip
        _begin(plan, access_of(ready))
        _remember(plan.id)
    except ParamsError as error:
        state.leave_notice(_("Not started: {reason}").format(reason=error))
    except TooManyTasks:
        state.leave_notice(_("Not started: so many tasks run already that another would disturb them."))


def ready_offers() -> list[Offer]:
    """The chosen backends that can be asked now; the others become a notice."""
    chosen = lineup()
    catalogue().start(chosen)
    catalogue().wait(START_WAIT_S)
    known = offers()
    for id_ in chosen:
        if known[id_].absent:
            state.leave_notice(f"{known[id_].backend.name}: {known[id_].absent}")
    return [known[id_] for id_ in chosen if not known[id_].absent]


def access_of(ready: list[Offer]) -> Access:
    """Keys, limits and the spend cap for these backends."""
    return Access(
        [offer.key for offer in ready], [offer.limits for offer in ready], race_settings.spend_cap()
    )


def stop() -> None:
    """Stop the loop on screen; what is there stays."""
    loop = current()
    if loop is not None:
        loop.stop()


def obey(command: dict[str, object] | None) -> None:
    """A lane's own Stop button was pressed on the stage."""
    loop = current()
    if command and loop is not None and state.command_is_new("stage", command.get("n")) and command["kind"] == "stop":
        loop.stop_lane(int(str(command["lane"])))


def approve(lane: int) -> None:
    """The visitor has looked at a lane's step."""
    loop = current()
    if loop is not None:
        loop.approve(lane)


def leave() -> None:
    """Back to the predictions."""
    state.put(_LOOP, None)
    state.ask(_LOOP, None)


def _begin(plan: LoopPlan, access: Access) -> None:
    """Start the loop with those who follow it: the history, and whoever looks. Raises TooManyTasks."""
    live = LiveRun(lanes_of(plan), grace=Grace(grace_s()))
    keeper = services().keeper
    witnesses: list[Witness] = [Showing(live.say, partial(setattr, live, "ended", True))]
    if keeper is not None:
        witnesses.append(Keeping(keeper))
    desk.start(plan.id, LoopRun(plan, access, witnesses=witnesses, grace=live.grace))
    hub().adopt(live)


def lanes_of(plan: LoopPlan) -> Run:
    """The loop as the stage announces it: a lane for each backend."""
    prompt = Prompt(plan.trace.task or plan.trace.name)
    return Run(plan.id, prompt, plan.params, plan.mode, plan.backends, plan.started_at)


def _remember(id_: str) -> None:
    state.put(_LOOP, id_)
    state.ask(_LOOP, id_)
