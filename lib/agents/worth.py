"""When speed is worth paying for: what a saved hour of waiting costs, against what it is worth to whom.

Decimal money and seconds. A price that is not published stays unknown; `times` asks what it would be.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from lib.i18n import _
from lib.metrics.quantity import Unavailable

SECONDS_PER_HOUR = 3600


class Setting(StrEnum):
    """Who waits for the task."""

    INTERACTIVE = "interactive"  # one person looks at it
    INCIDENT = "incident"  # a service is down and several people stand by
    BATCH = "batch"  # nobody waits: it runs overnight


DEFAULT_HOUR = {
    Setting.INTERACTIVE: Decimal(60),
    Setting.INCIDENT: Decimal(1000),
    Setting.BATCH: Decimal(0),
}  # an assumption that the visitor replaces; nobody publishes what an hour is worth


@dataclass(frozen=True, slots=True)
class Task:
    """One task done by one backend; `cost` None when the price is not published."""

    seconds: float
    cost: Decimal | None


@dataclass(frozen=True, slots=True)
class Trade:
    """The faster way against the slower one; `hour` is what one hour of waiting less costs."""

    saved_s: float
    extra: Decimal
    hour: Decimal

    def pays(self, worth_of_hour: Decimal) -> bool:
        """Whether an hour of waiting is worth at least what saving it costs."""
        return self.hour <= worth_of_hour


def trade(slow: Task, fast: Task) -> Trade | Unavailable:
    """Extra cost / seconds saved x 3600: the value of an hour of waiting at which the faster way begins to pay."""
    saved_s = slow.seconds - fast.seconds
    if saved_s <= 0:
        return Unavailable(_("It is not faster."))
    if slow.cost is None or fast.cost is None:
        return Unavailable(_("A price is not published, so nothing can be weighed."))
    extra = fast.cost - slow.cost
    return Trade(saved_s, extra, max(Decimal(0), extra) * SECONDS_PER_HOUR / Decimal(str(saved_s)))


def if_it_were(times: Decimal, known: Decimal | None) -> Decimal | None:
    """What the task would cost at so many times a known price; asked for by a person, never assumed."""
    return None if known is None else times * known


def most_times(slow: Task, fast_s: float, worth_of_hour: Decimal) -> Decimal | None:
    """Up to how many times the slower task's cost the faster way pays: 1 + worth x hours saved / cost.

    None when the slower one costs nothing or its price is unknown.
    """
    if not slow.cost:
        return None
    return 1 + worth_of_hour * Decimal(str(slow.seconds - fast_s)) / SECONDS_PER_HOUR / slow.cost
