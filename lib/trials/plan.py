"""The order of trials: rounds in random order, each backend once a round, so that a round is a pair.

Interleaving keeps a slow hour from being one backend's fault alone. Nothing is sent from here.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from lib.domain.run import Backend, Mode, Params, Prompt, Run

WARM_UP_ROUND = 0
WARM_UP_TOKENS = 16  # a request small enough to discard, large enough for every server to accept


class Condition(StrEnum):
    """What the server may know of the prompt already; figures of the two are never mixed."""

    COLD = "cold"  # a nonce in front: no prefix of the prompt can be in a cache
    WARM = "warm"  # the same prompt each time: a cache may hold it


@dataclass(frozen=True, slots=True)
class Turn:
    """One request: the round (0 is the discarded warm-up) and the backend's place in the plan."""

    round: int
    place: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is asked, of whom and in which order; no keys."""

    id: str
    prompt: Prompt
    params: Params
    backends: tuple[Backend, ...]
    rounds: int
    mode: Mode = Mode.BY_BACKEND
    condition: Condition = Condition.COLD
    has_warm_up: bool = True
    seed: int = 0
    started_at: str = ""  # wall clock, ISO 8601 UTC; for display only
    own_params: Mapping[int, Params] = field(default_factory=dict)  # of places that differ from `params`

    @property
    def turns(self) -> tuple[tuple[Turn, ...], ...]:
        """The rounds in order, the warm-up first; the same seed gives the same order."""
        chance = random.Random(self.seed)
        first = WARM_UP_ROUND if self.has_warm_up else WARM_UP_ROUND + 1
        places = range(len(self.backends))
        return tuple(
            tuple(Turn(number, place) for place in chance.sample(places, len(places)))
            for number in range(first, self.rounds + 1)
        )

    @property
    def requests(self) -> int:
        """How many requests the plan makes, warm-up included."""
        return (self.rounds + self.has_warm_up) * len(self.backends)

    def queues(self, turns: Sequence[Turn]) -> tuple[tuple[Turn, ...], ...]:
        """The turns of one round by queue: a queue's turns wait for each other, queues run in parallel."""
        found: dict[str, list[Turn]] = {}
        for turn in turns:
            found.setdefault(self.mode.queue(turn.place, self.backends[turn.place]), []).append(turn)
        return tuple(tuple(queue) for queue in found.values())

    def as_run(self) -> Run:
        """What is asked of whom, as a run to which nothing has come back yet."""
        return Run(
            self.id,
            self.prompt,
            self.params,
            self.mode,
            self.backends,
            self.started_at,
            own_params=self.own_params,
        )

    def params_of(self, turn: Turn) -> Params:
        """The parameters of a turn; a warm-up asks for a few tokens only."""
        params = self.own_params.get(turn.place, self.params)
        if turn.round != WARM_UP_ROUND:
            return params
        most = params.max_tokens
        return replace(params, max_tokens=WARM_UP_TOKENS if most is None else min(most, WARM_UP_TOKENS))

    def prompt_with(self, nonce: str) -> Prompt:
        """The prompt of one request: cold ones begin with the nonce, warm ones are all the same."""
        return with_nonce(self.prompt, nonce) if self.condition is Condition.COLD else self.prompt


def with_nonce(prompt: Prompt, nonce: str) -> Prompt:
    """The prompt with a nonce at the very start of its first message, where a prefix cache begins to compare."""
    mark = f"[{nonce}] "
    if prompt.system:
        return replace(prompt, system=mark + prompt.system)
    if prompt.history:
        (role, text), *rest = prompt.history
        return replace(prompt, history=((role, mark + text), *rest))
    return replace(prompt, text=mark + prompt.text)
