"""What a series of trials is made of, from what the visitor chose; and the actions behind its buttons."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from functools import lru_cache

import streamlit as st

from lib.domain.run import Mode, new_id
from lib.grace import Grace, grace_s
from lib.i18n import _, current_language
from lib.reading import ReadingSpeed
from lib.series_files import read_series
from lib.store.rows import NoSuchRunError
from lib.trials.goodput import Goals
from lib.trials.keeping import Keeping
from lib.trials.kept import KeptSeries
from lib.trials.plan import Condition, Plan
from lib.trials.runner import Access, Desk, Series, TooManyTrials
from lib.ui import race_settings, state
from lib.ui.race_settings import ParamsError
from lib.ui.race_setup import DEFAULT_PROMPT, START_WAIT_S, lineup, offers, reading_speed
from lib.ui.watching import watch
from lib.ui.wiring import catalogue, services, store

FEWEST_ROUNDS, MOST_ROUNDS, DEFAULT_ROUNDS = 1, 500, 5
ROUNDS, CONDITION, MODE, WARM_UP = "trials_rounds", "trials_condition", "trials_mode", "trials_warm_up"
TTFAT_MS, STALL_MS, STARVED_S = "trials_ttfat_ms", "trials_stall_ms", "trials_starved_s"
MODES = (Mode.BY_BACKEND, Mode.ONE_BY_ONE)
_SERIES = "series"
_GOALS = Goals()
KEPT = 16  # kept series that are remembered

desk = Desk()


def begin() -> None:
    """Give every widget its first value."""
    race_settings.begin()
    for key, first in (
        (state.PROMPT, DEFAULT_PROMPT),
        (ROUNDS, DEFAULT_ROUNDS),
        (CONDITION, Condition.COLD.value),
        (MODE, Mode.BY_BACKEND.value),
        (WARM_UP, True),
        (TTFAT_MS, _GOALS.ttfat_ms),
        (STALL_MS, _GOALS.stall_ms),
        (STARVED_S, _GOALS.starved_s),
    ):
        state.begin(key, first)


def goals() -> Goals:
    """What is good enough by the limits on the page."""
    return Goals(
        state.value(TTFAT_MS, _GOALS.ttfat_ms),
        state.value(STALL_MS, _GOALS.stall_ms),
        state.value(STARVED_S, _GOALS.starved_s),
    )


def current() -> Series | KeptSeries | None:
    """The series on screen, from the address or from before a page switch: this server's own, else the kept one."""
    known = st.query_params.get(_SERIES) or state.value(_SERIES, None)
    series = desk.get(known)
    if series is None:
        found = kept(known)
        if found is not None:
            _remember(found.plan.id)
        return found
    _remember(series.plan.id)
    watch(series.grace)
    return series


def kept(known: str | None) -> KeptSeries | None:
    """The series of that id as the history has it; None when it has none."""
    history = store()
    if not known or history is None:
        return None
    try:
        found = history.row(known)
        if found.series is None:
            return None
        return _read(known, found.series.kept, found.status, reading_speed(), current_language())
    except NoSuchRunError:
        return None


@lru_cache(KEPT)
def _read(
    series_id: str, _rounds: int, _status: str, speed: ReadingSpeed | None, _language: str
) -> KeptSeries | None:
    """Read once; with more rounds, another outcome or in another language it is read anew."""
    history = store()
    return None if history is None else read_series(history, series_id, speed)


def start() -> None:
    """Start a series with what is chosen now; what hinders it becomes a notice."""
    chosen = lineup()
    catalogue().start(chosen)
    catalogue().wait(START_WAIT_S)
    known = offers()
    ready = [place for place, id_ in enumerate(chosen) if not known[id_].absent]
    for place, id_ in enumerate(chosen):
        if place not in ready:
            state.leave_notice(f"{known[id_].backend.name}: {known[id_].absent}")
    if not ready:
        return
    found = [known[chosen[place]] for place in ready]
    access = Access(
        [offer.key for offer in found], [offer.limits for offer in found], reading_speed(), race_settings.spend_cap()
    )  # fmt: skip
    try:
        plan, keeper = _plan(ready), services().keeper
        keeping = None if keeper is None else Keeping(plan, keeper)
        series = Series(plan, access, keeping=keeping, grace=Grace(grace_s()))
        desk.start(series)
        _remember(series.plan.id)
    except ParamsError as error:
        state.leave_notice(_("Not started: {reason}").format(reason=error))
    except TooManyTrials:
        state.leave_notice(_("Not started: so many series run already that another would disturb them."))


def stop() -> None:
    """Stop the series on screen; what is there stays."""
    series = current()
    if isinstance(series, Series):
        series.stop()


def _plan(places: list[int]) -> Plan:
    known, chosen = offers(), lineup()
    own = race_settings.own_params(len(chosen))
    return Plan(
        id=new_id(),
        prompt=race_settings.prompt(state.value(state.PROMPT, DEFAULT_PROMPT)),
        params=race_settings.params(),
        backends=tuple(known[chosen[place]].backend for place in places),
        rounds=int(state.value(ROUNDS, DEFAULT_ROUNDS)),
        mode=Mode(state.value(MODE, Mode.BY_BACKEND.value)),
        condition=Condition(state.value(CONDITION, Condition.COLD.value)),
        has_warm_up=bool(state.value(WARM_UP, True)),
        seed=random.getrandbits(32),
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        own_params={new: own[place] for new, place in enumerate(places) if place in own},
    )


def _remember(id_: str) -> None:
    state.put(_SERIES, id_)
    if st.query_params.get(_SERIES) != id_:
        st.query_params[_SERIES] = id_
