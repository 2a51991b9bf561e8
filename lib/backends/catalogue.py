"""Every backend this server can offer right now: simulated, recorded, the local model, configured, added.

Simulated and recorded backends share one loopback process; the local model has its own. What is offered
and cannot be raced at the moment says why.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal

from lib.backends.table import Configured, limits_for
from lib.domain.run import Backend, Limits, Origin, Prices, WarmUp
from lib.i18n import _
from lib.local_model.models import BACKEND_ID as LOCAL_ID
from lib.local_model.models import LocalModels
from lib.prices import price_of
from lib.server_process import Absent, Failed, Idle, Ready, ServerProcess, State
from lib.simulator.profiles import DEFAULT_IDS, load_profiles
from lib.simulator.recordings import load_recordings

RECORDED_STAND_IN = "rec-llamacpp-q4-story"
_FREE = Prices(Decimal(0), Decimal(0), source="this machine")


@dataclass(frozen=True, slots=True)
class Offer:
    """A backend with what is needed to call it; `absent` is the sentence why it cannot be raced now."""

    backend: Backend
    key: str = field(default="", repr=False)
    absent: str = ""
    own_limits: Limits | None = None
    warmup: WarmUp = WarmUp.NONE
    is_own: bool = False  # configured by the operator or typed by the visitor

    @property
    def limits(self) -> Limits:
        """Its own limits, or those that suit its address."""
        return self.own_limits or limits_for(self.backend.base_url)


class Catalogue:
    """Owns the servers of this machine; offers are made anew on every call."""

    def __init__(self, simulator: ServerProcess, models: LocalModels) -> None:
        self.simulator = simulator
        self.models = models

    def start(self, ids: Iterable[str] = (LOCAL_ID,)) -> None:
        """Start the simulator and the local models among these backend ids; returns at once."""
        self.simulator.start()
        wanted = set(ids)
        for model in self.models.models():
            if self.models.backend(model.id).id in wanted:
                self.models.start(model.id)

    def wait(self, timeout_s: float) -> None:
        """Wait until no server is still starting, at most `timeout_s` each."""
        self.simulator.wait(timeout_s)
        for model in self.models.models():
            model.process.wait(timeout_s)

    def close(self) -> None:
        """End all servers."""
        self.simulator.close()
        self.models.close()

    def offers(self, more: Iterable[Configured] = ()) -> dict[str, Offer]:
        """All offers by id, in the order a picker lists them; `more` are configured or a visitor's own."""
        url, absent = _address(self.simulator.state)
        offers = [*self._local(), *_simulated(url, absent), *_recorded(url, absent)]
        offers += [
            Offer(
                _priced(entry.backend),
                entry.key,
                own_limits=entry.own_limits,
                warmup=entry.warmup,
                is_own=True,
            )
            for entry in more
        ]
        known = {offer.backend.id: offer for offer in offers}
        if why := self._why_no_local():
            known[RECORDED_STAND_IN] = _standing_in(known[RECORDED_STAND_IN], why)
        return known

    def _why_no_local(self) -> str:
        """Why the shipped local model cannot run on this machine; "" where it can."""
        models = self.models.models()
        states = (model.process.state for model in models if self.models.backend(model.id).id == LOCAL_ID)
        return next((state.reason for state in states if isinstance(state, Absent)), "")

    def default_ids(self) -> tuple[str, ...]:
        """The line-up of a first visit: the local model (or a recorded stand-in) and three simulated ones."""
        return (RECORDED_STAND_IN if self._why_no_local() else LOCAL_ID, *DEFAULT_IDS)

    def _local(self) -> list[Offer]:
        """The local models; one that does not run is offered too, since Start starts it."""
        found = []
        for model in self.models.models():
            state = model.process.state
            backend = self.models.backend(model.id)
            absent = (
                _("It is not running; Start starts it.") if isinstance(state, Idle) else _address(state)[1]
            )
            found.append(Offer(backend, absent=absent))
        return found


def _standing_in(offer: Offer, reason: str) -> Offer:
    """The recorded lane that takes the local model's place, saying so."""
    note = _("in place of the live SmolLM2: {reason} {note}").format(reason=reason, note=offer.backend.note)
    return replace(offer, backend=replace(offer.backend, note=note))


def _priced(backend: Backend) -> Backend:
    """With the published price, unless it has its own or none is known."""
    return backend if backend.prices else replace(backend, prices=price_of(backend.base_url, backend.model))


def _address(state: State) -> tuple[str, str]:
    if isinstance(state, Ready):
        return state.base_url, ""
    if isinstance(state, Absent | Failed):
        return "", state.reason
    return "", _("It is still starting; try again in a moment.")


def _simulated(url: str, absent: str) -> list[Offer]:
    return [
        Offer(
            Backend(profile.id, profile.name, url, profile.id, Origin.SIMULATED, _basis(profile.tok_s_basis),
                    profile.prices),
            absent=absent,
        )
        for profile in load_profiles()
    ]  # fmt: skip


def _basis(basis: str) -> str:
    return _("speed: {basis}").format(basis=basis)


def _recorded(url: str, absent: str) -> list[Offer]:
    return [
        Offer(Backend(r.id, r.name, url, r.id, Origin.RECORDED, r.note, _FREE), absent=absent)
        for r in load_recordings()
    ]
