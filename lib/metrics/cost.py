"""What the answer cost by the published prices; an unknown price is never 0."""

from __future__ import annotations

from decimal import Decimal
from ipaddress import ip_address
from urllib.parse import urlsplit

from lib.domain.run import Backend, Origin
from lib.i18n import _
from lib.metrics.measurement import Measurement
from lib.metrics.quantity import ESTIMATED, UPPER_BOUND, Figure, Quantity, Unavailable

NOTHING = Decimal(0)
_MILLION = Decimal(1_000_000)
_PLACES = 6


def cost(measured: Measurement) -> Figure:
    """Cost in the currency of the prices, as a Decimal.

    ((prompt - cached) x input + cached x cached input + output x output) / 1,000,000. Where the cached
    price is not published, cached tokens are taken at the input price and the sum is marked as an upper
    bound.
    """
    prices = measured.backend.prices
    prompt, output, cached = measured.usage.prompt, measured.output_tokens, measured.usage.cached or 0
    if prices is None or prices.input is None or prices.output is None:
        return Unavailable(_("The price is not published."))
    if prompt is None or output is None:
        return Unavailable(_("The server did not report what it billed."))
    cached = min(cached, prompt)
    cached_price = prices.input if prices.cached_input is None else prices.cached_input
    amount = (prompt - cached) * prices.input + cached * cached_price + output * prices.output
    marks = (UPPER_BOUND,) * bool(cached and prices.cached_input is None) + (
        ESTIMATED,
    ) * measured.is_estimated
    return Quantity(amount / _MILLION, prices.currency, marks)


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
