"""What an agent sends: the task, then everything said and returned so far, again with every call.

Texts only; lengths follow the trace. A backend's own answers are what it is sent again.
"""

from __future__ import annotations

from dataclasses import dataclass

from lib import tokens
from lib.agents import tools
from lib.agents.trace import Step, Trace
from lib.domain.run import Prompt

SYSTEM = (
    "You carry out a task in steps. In each step think about what is known, say what you do next and why, "
    "and stop; the result of the step comes back as the next message."
)
_ON = "Continue with the next step."
_NO_ANSWER = "(no answer text)"


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages so far, without the system text; roles alternate between user and assistant."""

    trace: Trace
    said: tuple[tuple[str, str], ...] = ()
    pending: str = ""  # the last tool's result

    def prompt(self, place: int) -> Prompt:
        """The prompt of step `place` with the whole history in front of it."""
        return Prompt(self._text(place), SYSTEM, self.said)

    def after(self, place: int, answer: str) -> Conversation:
        """The conversation when step `place` was answered and its tool has returned."""
        step = self.trace.steps[place]
        said = (*self.said, ("user", self._text(place)), ("assistant", answer or _NO_ANSWER))
        result = "" if step.tool == "none" else tools.result(step.tool, place, step.tool_tokens)
        return Conversation(self.trace, said, result)

    def _text(self, place: int) -> str:
        step = self.trace.steps[place]
        parts = [self.trace.task if place == 0 else "", self.pending, step.prompt, _notes(step, place, self.trace)]
        return "\n\n".join(part for part in parts if part) or _ON


def _notes(step: Step, place: int, trace: Trace) -> str:
    """Filler of the length that the trace says, where it holds no text; the task counts into the first."""
    if step.prompt or not step.prompt_tokens:
        return ""
    known = tokens.count(trace.task) if place == 0 else 0
    return tools.filler("Notes at hand. ", place, step.prompt_tokens - known)
