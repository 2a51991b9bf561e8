"""What resending the history costs: an agent sends everything again with every call.

Token counts and money only, no time. Caches are idealised: what was sent before is read from the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from lib.domain.run import Prices
from lib.spend import running_cost


@dataclass(frozen=True, slots=True)
class Added:
    """What one call adds to the conversation: tokens in front of it, of its answer, of its tool's result."""

    prompt: int
    output: int
    tool: int = 0


@dataclass(frozen=True, slots=True)
class Billed:
    """Tokens of a whole task as a provider counts them; `cached` are among `input`."""

    input: int
    output: int
    cached: int = 0

    def cost(self, prices: Prices | None, *, is_cached: bool = False) -> Decimal | None:
        """The price of the task (`lib.spend.running_cost`); None when it is not published."""
        return running_cost(self.input, self.output, prices, self.cached if is_cached else 0)


def billed(steps: Sequence[Added]) -> Billed:
    """Tokens of all calls together, each of which resends everything before it.

    Call k sends P1 + ... + Pk and the answers and tool results of the calls before. Of that, what call k - 1 sent
    is what a prefix cache can know. For N equal steps after a first prompt P0: N P0 + (O + tool) N (N - 1) / 2.
    """
    input_tokens = cached = output = before = history = 0
    for step in steps:
        sent = history + step.prompt
        input_tokens += sent
        cached += before
        output += step.output
        before, history = sent, sent + step.output + step.tool
    return Billed(input_tokens, output, cached)


def equal_steps(calls: int, prompt: int, output: int, tool: int) -> tuple[Added, ...]:
    """A first prompt and then nothing but answers and tool results."""
    return (Added(prompt, output, tool), *(Added(0, output, tool) for _ in range(calls - 1)))
