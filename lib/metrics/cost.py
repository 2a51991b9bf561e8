"""What the answer cost by the published prices; an unknown price is never 0."""

from __future__ import annotations

from decimal import Decimal
from ipaddress import ip_address
from urllib.parse import urlsplit

from lib.domain import events as ev
from lib.domain.run import Backend, Origin, Prices
from lib.i18n import _
from lib.metrics.measurement import Measurement
from lib.metrics.quantity import ESTIMATED, UPPER_BOUND, Figure, Quantity, Unavailable
from lib.prices import price_of
from lib.spend import running_cost

NOTHING = Decimal(0)
_PLACES = 6


def cost(measured: Measurement) -> Figure:
    """Cost in the currency of the prices, as a Decimal (`lib.spend.running_cost` has the formula).

    Output tokens include all reasoning, shown or hidden, also where a provider counts it outside its
    completion tokens. A published price is that of the model that answered; an own price of the backend holds
    whatever answered. Where the cached price is not published, cached tokens are charged as input and the sum
    is marked as an upper bound.
    """
    prices = _prices(measured)
    prompt, output, cached = measured.usage.prompt, measured.output_tokens, measured.usage.cached or 0
    if prices is None or prices.input is None or prices.output is None:
        return Unavailable(_no_price(measured))
    if prompt is None or output is None:
        return Unavailable(_("The server did not report what it billed."))
    amount = running_cost(prompt, output, prices, cached)
    assert amount is not None, "the prices are published"
    bound = (UPPER_BOUND,) * is_charged_as_input(measured)
    return Quantity(amount, prices.currency, bound + (ESTIMATED,) * measured.is_estimated)


def is_charged_as_input(measured: Measurement) -> bool:
    """Whether cached tokens are charged as input because their own price is not published."""
    prices = _prices(measured)
    return bool(measured.usage.cached and prices is not None and prices.cached_input is None)


def _prices(measured: Measurement) -> Prices | None:
    """The prices that hold: those of the backend, unless they are published ones and another model answered."""
    backend, served = measured.backend, measured.generation.last(ev.Served)
    if backend.prices is None or served is None or served.model == backend.model:
        return backend.prices
    if backend.prices != price_of(backend.base_url, backend.model):
        return backend.prices
    return price_of(backend.base_url, backend.model, served=served.model)


def _no_price(measured: Measurement) -> str:
    served = measured.generation.last(ev.Served)
    if is_published(measured.backend) and served is not None:
        return _("{model} answered, and its price is not published.").format(model=served.model)
    return _("The price is not published.")


def cost_note(measured: Measurement) -> str:
    """What to know about the cost beside its value; empty when nothing."""
    if is_charged_as_input(measured) and isinstance(cost(measured), Quantity):
        return _("cached price not published, charged as input")
    return ""


def is_published(backend: Backend) -> bool:
    """Whether the prices needed for a cost are known."""
    prices = backend.prices
    return prices is not None and prices.input is not None and prices.output is not None


def as_decimal(amount: Quantity) -> Decimal:
    """The amount of a cost figure as the Decimal it is."""
    return amount.value if isinstance(amount.value, Decimal) else Decimal(str(amount.value))


def as_decimal_text(amount: Decimal) -> str:
    """The amount as a plain decimal string with at least six places: 0.004800."""
    exponent = amount.normalize().as_tuple().exponent
    places = max(_PLACES, -exponent if isinstance(exponent, int) else 0)
    return f"{amount:.{places}f}"


def runs_here(backend: Backend) -> bool:
    """Whether the tokens are made by a live server on this machine, so that nobody sends a bill."""
    host = urlsplit(backend.base_url).hostname or ""
    try:
        return backend.origin is Origin.LIVE and ip_address(host).is_loopback
    except ValueError:
        return backend.origin is Origin.LIVE and host == "localhost"
