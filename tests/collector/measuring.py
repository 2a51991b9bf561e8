"""How the tests of this folder measure: one request through a collector process, as a lane of a race would."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lib.collector.single import Measurer
from lib.domain import events as ev
from lib.domain.run import Backend, Limits, Params, Prompt
from lib.metrics.keys import measure_keys

KEY = "sk-wire-0123456789abcdef"
LIMITS = Limits(connect_s=5.0, first_token_s=20.0, stall_s=20.0, total_s=60.0)


@dataclass(frozen=True)
class Told:
    """One generation and the keys that are reported of it."""

    generation: ev.Generation
    keys: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.keys[name]

    @property
    def outcome(self) -> tuple[str, str | None]:
        """Status and kind of the error."""
        return self.keys["status"], self.keys["error_kind"]


def ask(measurer: Measurer, base_url: str, limits: Limits = LIMITS, prompt: str = "Speak.") -> Told:
    """Measure one request and tell everything about it."""
    backend = Backend("b", "b", base_url, "m")
    generation = measurer.generation(backend, KEY, Prompt(prompt), Params(max_tokens=64), limits)
    return Told(generation, measure_keys(generation, backend))
