"""What is raced: backends, a prompt, its parameters, and the run that holds the generations.

A key is never part of any value here; it travels beside a run, to the collector only.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from lib.domain.events import Generation

LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Origin(StrEnum):
    """Who really produces the tokens; every lane wears exactly one of these as its badge."""

    LIVE = "live"
    SIMULATED = "simulated"
    RECORDED = "recorded"


class WarmUp(StrEnum):
    """What happens with a backend before the race, so that its clock meets it warm."""

    NONE = "none"
    CONNECTION = "connection"  # the connection is opened
    REQUEST = "request"  # one request is made and its answer discarded


@dataclass(frozen=True, slots=True)
class Prices:
    """Price per million tokens, as published; a None inside means that part is not published."""

    input: Decimal | None
    output: Decimal | None
    cached_input: Decimal | None = None
    currency: str = "USD"
    source: str = ""


@dataclass(frozen=True, slots=True)
class Backend:
    """One thing that can be raced.

    `base_url` ends where `/chat/completions` is appended (usually in `/v1`). `note` says in a few
    words what stands behind the badge ("135M demonstration model on this machine").
    """

    id: str
    name: str
    base_url: str
    model: str
    origin: Origin = Origin.LIVE
    note: str = ""
    prices: Prices | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)


class Mode(StrEnum):
    """How the requests of a run share time; printed on every result."""

    ALL_AT_ONCE = "all at once"
    BY_BACKEND = "by backend"  # one request at a time per host, hosts in parallel
    ONE_BY_ONE = "one by one"

    def queue(self, lane: int, backend: Backend) -> str:
        """Lanes of the same queue run one after another.

        Simulated and recorded lanes share no machine worth waiting for. Servers of this machine share it
        whatever their port, so they wait for each other.
        """
        if self is Mode.ONE_BY_ONE:
            return ""
        if self is Mode.ALL_AT_ONCE or backend.origin is not Origin.LIVE:
            return f"lane {lane}"
        parts = urlsplit(backend.base_url)
        return "this machine" if parts.hostname in LOOPBACK else parts.netloc


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds (and attempts) a lane may take before it fails; None means no limit.

    `allowed_hosts` limits where it may connect: None is anywhere, otherwise public addresses and these
    (names, addresses, CIDR ranges).
    """

    connect_s: float | None = 10.0
    first_token_s: float | None = 120.0
    stall_s: float | None = 30.0
    total_s: float | None = 900.0
    max_attempts: int = 2
    max_wait_s: float = 30.0
    stop_after_s: float | None = None  # from the request, as if Stop were pressed
    allowed_hosts: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Params:
    """Sampling parameters sent to every lane; None means the parameter is not sent."""

    max_tokens: int | None = 512
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    reasoning_effort: str | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)  # further request fields, sent as they are


@dataclass(frozen=True, slots=True)
class Prompt:
    """The text sent to every lane, with an optional system text and an earlier conversation in front.

    `history` holds (role, text) pairs, oldest first; roles are `user` and `assistant`.
    """

    text: str
    system: str = ""
    history: tuple[tuple[str, str], ...] = ()

    def messages(self) -> list[dict[str, str]]:
        """The chat messages of this prompt in OpenAI's shape."""
        system = [{"role": "system", "content": self.system}] if self.system else []
        earlier = [{"role": role, "content": text} for role, text in self.history]
        return [*system, *earlier, {"role": "user", "content": self.text}]


@dataclass(frozen=True, slots=True)
class Run:
    """One race: what was asked of whom and when, and what came back (in lane order)."""

    id: str
    prompt: Prompt
    params: Params
    mode: Mode
    backends: tuple[Backend, ...]
    started_at: str = ""  # wall clock, ISO 8601 UTC; for display only
    generations: tuple[Generation, ...] = ()
    clock_health_ms: float | None = None  # worst delay of the collector's event loop in the run
    versions: Mapping[str, str] = field(default_factory=dict)
    own_params: Mapping[int, Params] = field(default_factory=dict)  # of lanes that differ from `params`
    display_lag_ms: float | None = None  # 95 % of the paint delays on the screen that showed it; in no figure

    def params_of(self, lane: int) -> Params:
        """The parameters that lane is asked with."""
        return self.own_params.get(lane, self.params)


def new_id(random_bytes: int = 16) -> str:
    """An id nobody guesses and no two runs share; without `-`, since a command line takes that for an option."""
    return secrets.token_urlsafe(random_bytes).replace("-", "_")


def public_address(base_url: str) -> str:
    """The address without user name, password and query, which can hold a key: as it is kept, exported and shown."""
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return ""
    if not parts.query and "@" not in parts.netloc:
        return base_url
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()
