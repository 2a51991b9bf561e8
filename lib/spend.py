"""What a race will cost at most and what it has cost so far, by prices per million tokens; Decimal throughout.

Reasoning tokens are output tokens, whether they are shown or not. Nothing here looks up a price
(`lib/prices.py`) or stops a lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from lib.domain.run import Prices, Prompt
from lib.i18n import _, ngettext
from lib.numbers import money
from lib.tokens import TokenizerError, count

MILLION = Decimal(1_000_000)
TOKENS_AROUND_A_MESSAGE = 8  # role and marks of the chat template
OTHER_TOKENIZER = Decimal("1.5")  # times o200k_base; those of other vendors make up to 1.35 times as many
_SHOWN_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Lane:
    """What is known of one lane before it starts; `prices` None means they are not published."""

    prompt_tokens: int
    max_tokens: int | None
    prices: Prices | None


@dataclass(frozen=True, slots=True)
class Total:
    """Bounds of the lanes that are paid in one currency; `high` None when a lane has no token limit."""

    currency: str
    low: Decimal
    high: Decimal | None


@dataclass(frozen=True, slots=True)
class RaceEstimate:
    """The estimate of all lanes; what is not published is counted, not guessed."""

    totals: tuple[Total, ...]
    lanes: int
    unpriced: int

    @property
    def costs(self) -> bool:
        """Whether anything may have to be paid for, as far as is known."""
        return any(total.high is None or total.high > 0 for total in self.totals)

    @property
    def sentence(self) -> str:
        """In words: at most $0.0161; 1 of 4 prices not published."""
        return "; ".join(
            [*(_bound(total) for total in self.totals if _is_told(total, self)), *self._unknown()]
        )

    def _unknown(self) -> list[str]:
        if not self.unpriced:
            return []
        told = ngettext(
            "{n} of {lanes} price not published", "{n} of {lanes} prices not published", self.lanes
        )
        return [told.format(n=self.unpriced, lanes=self.lanes)]


def prompt_tokens(prompt: Prompt) -> int | None:
    """Tokens of everything that is sent, by o200k_base and a little for each message; None if uncountable."""
    try:
        return sum(count(message["content"]) + TOKENS_AROUND_A_MESSAGE for message in prompt.messages())
    except TokenizerError:
        return None


def running_cost(
    prompt_tokens: int, output_tokens: int, prices: Prices | None, cached_tokens: int = 0
) -> Decimal | None:
    """What so many tokens cost, in the currency of the prices; None when they are not published.

    ((prompt - cached) x input + cached x cached input + output x output) / 1,000,000. Where the cached price
    is not published, cached tokens cost what other input tokens do: the sum is then an upper bound.
    """
    if prices is None or prices.input is None or prices.output is None:
        return None
    cached = min(max(cached_tokens, 0), prompt_tokens)
    cached_price = prices.input if prices.cached_input is None else prices.cached_input
    amount = (prompt_tokens - cached) * prices.input + cached * cached_price + output_tokens * prices.output
    return amount / MILLION


def estimate(
    prompt_tokens: int, max_tokens: int | None, prices: Prices | None
) -> tuple[Decimal, Decimal | None] | None:
    """The least and the most one request can cost; None when the prices are not published.

    Least: the prompt, from the cache where that is cheaper, and no answer. Most: 1.5 times the prompt's
    tokens (other tokenizers make more of them than ours) and all of `max_tokens`; None without that limit.
    A repeated attempt, and thinking that a provider bills beyond `max_tokens`, come on top.
    """
    low = running_cost(prompt_tokens, 0, prices, prompt_tokens)
    most_tokens = int((prompt_tokens * OTHER_TOKENIZER).to_integral_value(ROUND_CEILING))
    if low is None or prices is None or prices.input is None:
        return None
    low = min(low, prompt_tokens * prices.input / MILLION)
    return low, None if max_tokens is None else running_cost(most_tokens, max_tokens, prices)


def race_estimate(lanes: Sequence[Lane]) -> RaceEstimate:
    """The bounds of a whole race, per currency."""
    bounds: dict[str, list[tuple[Decimal, Decimal | None]]] = {}
    unpriced = 0
    for lane in lanes:
        found = estimate(lane.prompt_tokens, lane.max_tokens, lane.prices)
        if found is None or lane.prices is None:
            unpriced += 1
        else:
            bounds.setdefault(lane.prices.currency, []).append(found)
    totals = tuple(_total(currency, found) for currency, found in bounds.items())
    return RaceEstimate(totals, len(lanes), unpriced)


def _total(currency: str, bounds: Sequence[tuple[Decimal, Decimal | None]]) -> Total:
    highs = [high for _low, high in bounds if high is not None]
    whole = len(highs) == len(bounds)
    return Total(
        currency, sum((low for low, _high in bounds), Decimal(0)), sum(highs, Decimal(0)) if whole else None
    )


def _is_told(total: Total, race: RaceEstimate) -> bool:
    """A free currency beside one that is paid, or beside unknown prices, says nothing."""
    return total.high is None or total.high > 0 or not (race.costs or race.unpriced)


def _bound(total: Total) -> str:
    if total.high is None:
        least = money(total.low, total.currency)
        return _("at least {amount}, and no token limit is set").format(amount=least)
    return _("at most {amount}").format(amount=money(rounded_up(total.high), total.currency))


def rounded_up(amount: Decimal) -> Decimal:
    """The amount rounded up to the digits that are shown: a bound must not look smaller than it is."""
    places = 2 if amount >= 1 or not amount else _SHOWN_DIGITS - 1 - amount.adjusted()
    return amount.quantize(Decimal(1).scaleb(-places), rounding=ROUND_CEILING)
