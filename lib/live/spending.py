"""What a race has cost so far, from its view messages, and whether it has reached its cap.

An estimate while lanes run: output tokens are guessed from the text until a lane reports its usage. The
exact cost of a lane is a figure (`lib/metrics/cost.py`).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import orjson

from lib.domain.run import Origin, Run
from lib.spend import prompt_tokens, running_cost

CHARACTERS_PER_TOKEN = 4  # of letters without accents; every other character counts as one token


class Spending:
    """Feed it every message once, in order; `reached` says when the paid lanes have cost the cap."""

    def __init__(self, run: Run, cap: Decimal) -> None:
        self.cap = cap
        paid = [lane for lane, backend in enumerate(run.backends) if backend.origin is Origin.LIVE]
        self._prices = {lane: run.backends[lane].prices for lane in paid}
        self._prompt = prompt_tokens(run.prompt) or 0
        self._output = dict.fromkeys(paid, 0.0)
        self._reported: dict[int, int] = {}
        self._asked: set[int] = set()
        self._ended: set[int] = set()
        self._read = 0

    def feed(self, messages: list[str]) -> None:
        """Take in what is new since the last call."""
        for text in messages[self._read :]:
            self._take(orjson.loads(text))
        self._read = len(messages)

    @property
    def running(self) -> tuple[int, ...]:
        """The paid lanes that have not ended."""
        return tuple(lane for lane in self._output if lane not in self._ended)

    @property
    def cost(self) -> Decimal:
        """The cost so far of all lanes whose price is published."""
        amounts = (
            running_cost(self._prompt, self._reported.get(lane) or int(self._output[lane]), self._prices[lane])
            for lane in self._asked
        )
        return sum((amount for amount in amounts if amount is not None), Decimal(0))

    @property
    def reached(self) -> bool:
        """Whether the cap is reached."""
        return self.cost >= self.cap

    def _take(self, message: dict[str, Any]) -> None:
        for lane, _channel, pieces in message.get("d", ()):
            if lane in self._output:
                self._output[lane] += sum(map(_tokens, pieces[1::2]))
        for lane, _at_ms, name, *rest in message.get("e", ()):
            if lane in self._output and name == "sent":
                self._asked.add(lane)
            elif lane in self._output and name == "usage" and isinstance(rest[0], int):
                self._reported[lane] = rest[0]
            elif name == "end":
                self._ended.add(lane)


def _tokens(text: str) -> float:
    plain = sum(character < "\x80" for character in text)
    return plain / CHARACTERS_PER_TOKEN + (len(text) - plain)
