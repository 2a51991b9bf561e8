"""What a race is made of, from what the visitor chose; and the actions behind the buttons."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from lib import numbers
from lib.backends.catalogue import Offer
from lib.backends.policy import limits_under
from lib.backends.settings import configured
from lib.backends.table import Configured, SettingsError
from lib.domain.run import Backend, Limits, Origin, Run, WarmUp, new_id
from lib.i18n import _
from lib.live.hub import TooManyRuns
from lib.live.live_run import LiveRun
from lib.metrics.cost import runs_here
from lib.reading import ReadingSpeed, default_for, speed
from lib.spend import Lane, prompt_tokens, race_estimate
from lib.ui import race_settings, state
from lib.ui.ghost_lanes import ghost_offers
from lib.ui.prompt_library import FIRST
from lib.ui.race_settings import ParamsError
from lib.ui.settings_files import settings_file
from lib.ui.wiring import catalogue, hub, policy
from lib.view_stream import player_reader

DEFAULT_PROMPT = FIRST.text
START_WAIT_S = 8.0  # how long Start waits for a server of ours that is still coming up


def offers() -> dict[str, Offer]:
    """Everything this visitor may race, by id."""
    try:
        entries = settings()
    except SettingsError as error:
        state.leave_notice(str(error))
        entries = ()
    own = (replace(own, own_limits=limits_under(policy(), own.limits)) for own in state.own_backends())
    known = catalogue().offers((*entries, *own))
    return {**known, **ghost_offers(state.lineup(catalogue().default_ids()), known)}


def settings() -> tuple[Configured, ...]:
    """The operator's backends, read anew so that an edited file needs no restart. Raises SettingsError."""
    return configured(secrets=settings_file())


def lineup() -> tuple[str, ...]:
    """The chosen ids that are still on offer."""
    known = offers()
    chosen = tuple(id_ for id_ in state.lineup(catalogue().default_ids()) if id_ in known)
    return chosen or catalogue().default_ids()


def backends() -> tuple[Backend, ...]:
    """The chosen backends in lane order."""
    known = offers()
    return tuple(known[id_].backend for id_ in lineup())


def reading_speed() -> ReadingSpeed | None:
    """The chosen reader; None means the silent speed for the language of each answer."""
    chosen = state.value(race_settings.READER, race_settings.BY_ANSWER)
    if chosen == race_settings.BY_ANSWER:
        return None
    if chosen == race_settings.OWN:
        per_min = float(state.value(race_settings.OWN_SPEED, 238))
        label = _("own speed")
        return ReadingSpeed(
            race_settings.OWN, "en", "word", per_min, per_min, per_min, label, _("set by you")
        )
    return speed(chosen)


def reader_for_player() -> dict[str, dict[str, Any]]:
    """The reader as the player takes it; without a choice the prompt's language decides."""
    return player_reader(reading_speed(), state.value(state.PROMPT, DEFAULT_PROMPT))


def spend_in_words() -> str:
    """What the chosen race may cost, when a backend is paid for; else an empty text."""
    known = offers()
    live = [
        (n, known[id_].backend) for n, id_ in enumerate(lineup()) if known[id_].backend.origin is Origin.LIVE
    ]
    paid = [(n, backend) for n, backend in live if not runs_here(backend)]
    if not paid:
        return ""
    tokens = prompt_tokens(race_settings.prompt(state.value(state.PROMPT, DEFAULT_PROMPT))) or 0
    try:
        most = {n: own.max_tokens for n, own in race_settings.own_params(len(lineup())).items()}
        common = race_settings.params().max_tokens
    except ParamsError:
        return ""
    return race_estimate([Lane(tokens, most.get(n, common), backend.prices) for n, backend in paid]).sentence


def reader_in_short() -> str:
    """The reader in three words for the settings line."""
    chosen = reading_speed() or default_for(state.value(state.PROMPT, DEFAULT_PROMPT))
    unit = _("words/min") if chosen.unit == "word" else _("characters/min")
    return _("Reader {rate} {unit}").format(rate=numbers.whole(chosen.per_min), unit=unit)


def start() -> None:
    """Start a race with what is chosen now; what hinders it becomes a notice."""
    catalogue().start(lineup())
    catalogue().wait(START_WAIT_S)
    known = offers()
    chosen = [known[id_] for id_ in lineup()]
    absent = [offer for offer in chosen if offer.absent]
    if absent:
        state.leave_notice(f"{absent[0].backend.name}: {absent[0].absent}")
        chosen = [offer for offer in chosen if not offer.absent]
    if not chosen:
        return
    try:
        run = _run(tuple(offer.backend for offer in chosen))
        keys = dict(enumerate(offer.key for offer in chosen))
        limits = dict(enumerate(offer.limits for offer in chosen))
        _warm(run, keys, limits, [offer.warmup for offer in chosen])
        hub().start(run, keys, limits, reading_speed(), race_settings.spend_cap())
        state.remember_run(run.id)
    except (TooManyRuns, ParamsError) as error:
        state.leave_notice(_("Not started: {reason}").format(reason=error))


def stop() -> None:
    """Stop every lane of the run on screen."""
    run = state.run_id()
    if run:
        hub().stop(run)


def obey(command: dict[str, object] | None) -> None:
    """A lane's own Stop or Retry button was pressed on the stage."""
    live = current()
    if not command or live is None or not state.command_is_new("stage", command.get("n")):
        return
    lane = int(str(command["lane"]))
    if command["kind"] == "stop":
        hub().stop(live.run.id, lane)
    elif command["kind"] == "retry":
        backend = live.run.backends[lane]
        offer = offers().get(backend.id)
        # Two visitors may each have an "own-1": the key of one must not go to the other's server.
        if offer is not None and not offer.absent and offer.backend.base_url == backend.base_url:
            hub().retry(live.run.id, lane, offer.key, offer.limits)


def current() -> LiveRun | None:
    """The run on screen, if this server still holds it."""
    return hub().get(state.run_id())


def _warm(run: Run, keys: dict[int, str], limits: dict[int, Limits], kinds: list[WarmUp]) -> None:
    """Warm the backends that ask for it; what it took is told apart from every figure."""
    warmed = hub().collector.warm(run, keys, limits, dict(enumerate(kinds)))
    told = [
        f"{run.backends[one.lane].name} {one.error or numbers.milliseconds(one.setup_ms or 0)}"
        for one in warmed
    ]
    if told:
        state.leave_notice(_("Warmed up before the race: {lanes}").format(lanes=", ".join(told)))


def _run(backends: tuple[Backend, ...]) -> Run:
    return Run(
        id=new_id(),
        prompt=race_settings.prompt(state.value(state.PROMPT, DEFAULT_PROMPT)),
        params=race_settings.params(),
        own_params=race_settings.own_params(len(backends)),
        mode=race_settings.mode(backends),
        backends=backends,
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        versions=hub().collector.versions,
    )
