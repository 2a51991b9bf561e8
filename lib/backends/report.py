"""What a probe found, step by step, in values that a page and a command line can both show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lib.i18n import _


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was tried. `ok` None: not tried, or it cannot be told; `ms` None: nothing was timed.

    `name` is one of `STEPS` and never translated; `advice` says what to do, where something can be done.
    """

    name: str
    ok: bool | None
    detail: str
    advice: str = ""
    ms: float | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """All steps of one probe. Only `stream` decides: a backend that streams an answer can race."""

    steps: tuple[Step, ...]

    @property
    def ok(self) -> bool:
        """Whether the backend can race."""
        return any(step.name == "stream" and step.ok is True for step in self.steps)

    def document(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {
            "ok": self.ok,
            "steps": [{name: getattr(step, name) for name in Step.__slots__} for step in self.steps],
        }


STEPS = ("address", "resolve", "tcp", "tls", "models", "stream", "first_token", "usage", "stream_options",
         "reasoning", "tokens_per_chunk", "buffering")  # fmt: skip


def title(name: str) -> str:
    """A step's name as people read it."""
    return {
        "address": _("Address"), "resolve": _("Name resolved"), "tcp": _("Connection"), "tls": _("TLS"),
        "models": _("List of models"), "stream": _("Streamed answer"), "first_token": _("First token"),
        "usage": _("Token counts"), "stream_options": _("stream_options"), "reasoning": _("Thinking"),
        "tokens_per_chunk": _("Tokens per chunk"), "buffering": _("Buffering"),
    }.get(name, name)  # fmt: skip
