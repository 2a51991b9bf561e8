"""What a loop is made of, from what the visitor chose; and the actions behind the buttons of the agent page."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

from lib.agents.desk import Desk, TooManyTasks
from lib.agents.loop import Access, LoopPlan, LoopRun
from lib.agents.otel import read_any
from lib.agents.record import TAG, run_of
from lib.agents.trace import Trace, TraceError, samples
from lib.backends.catalogue import Offer
from lib.domain.codec import RecordingError
from lib.domain.run import Run
from lib.i18n import _
from lib.store.rows import NoSuchRunError
from lib.ui import race_settings, state
from lib.ui.race_settings import ParamsError
from lib.ui.race_setup import START_WAIT_S, lineup, offers
from lib.ui.wiring import catalogue, store

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
        return history.open(asked)
    except (NoSuchRunError, RecordingError):
        return None


def start() -> None:
    """Start a loop with what is chosen now; what hinders it becomes a notice."""
    ready = ready_offers()
    if not ready:
        return
    try:
        params = race_settings.params()
        plan = LoopPlan(
            secrets.token_urlsafe(16), trace(), tuple(offer.backend for offer in ready), params,
            bool(state.value(PAUSES, False)), datetime.now(UTC).isoformat(timespec="seconds"),
        )  # fmt: skip
        desk.start(plan.id, LoopRun(plan, access_of(ready), on_end=_keep))
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


def approve(lane: int) -> None:
    """The visitor has looked at a lane's step."""
    loop = current()
    if loop is not None:
        loop.approve(lane)


def leave() -> None:
    """Back to the predictions."""
    state.put(_LOOP, None)
    state.ask(_LOOP, None)


def _keep(loop: LoopRun) -> None:
    """Into the history, like a race."""
    run, history = run_of(loop), store()
    if run is not None and history is not None:
        history.save(run, [TAG])


def _remember(id_: str) -> None:
    state.put(_LOOP, id_)
    state.ask(_LOOP, id_)
