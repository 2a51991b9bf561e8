"""What the app asks the collector to do for one lane, as it travels over the pipe; holds the key."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lib.domain.run import Backend, Limits, Params, Prompt


@dataclass(frozen=True, slots=True)
class Order:
    """One lane's request. Lanes with the same `queue` run one after another."""

    lane: int
    base_url: str
    model: str
    messages: list[dict[str, str]]
    params: dict[str, Any]
    limits: Limits
    queue: str
    key: str = field(default="", repr=False)
    extra_body: dict[str, Any] = field(default_factory=dict)

    def encode(self) -> dict[str, Any]:
        """JSON values of this order; the key included."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {**values, "limits": {name: getattr(self.limits, name) for name in Limits.__slots__}}

    @classmethod
    def decode(cls, values: dict[str, Any]) -> Order:
        """The inverse of `encode`."""
        return cls(**{**values, "limits": Limits(**values["limits"])})


@dataclass(frozen=True, slots=True)
class Warmed:
    """What came of a warm-up: the time to set up its connection (None: one was open), an error in words."""

    lane: int
    setup_ms: float | None
    error: str = ""


def order_for(
    lane: int, backend: Backend, prompt: Prompt, params: Params, limits: Limits, queue: str, key: str = ""
) -> Order:
    """The order that races `backend`; unset parameters are not sent at all."""
    values = {name: getattr(params, name) for name in Params.__slots__ if name != "extra_body"}
    return Order(
        lane=lane,
        base_url=backend.base_url,
        model=backend.model,
        messages=prompt.messages(),
        params={
            name: list(v) if isinstance(v, tuple) else v for name, v in values.items() if v not in (None, ())
        },
        limits=limits,
        queue=queue,
        key=key,
        extra_body={**backend.extra_body, **params.extra_body},
    )
