"""The one number formatter: every number a person reads is written here, with its unit and sensible digits.

Rounding is half up on the shown digit of the exact value, as in the browser's twin of this module (`toFixed`);
`tests/vectors/numbers.json` holds both to the same texts. Values that are absent never come here: their place
is taken by a reason.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal

from lib.i18n import _, ngettext

_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "CNY": "¥"}
_TENTHS_BELOW = 100  # numbers below this show one digit after the point
_SMALLEST = 1e-9
_MS_PER_S = 1000
_S_PER_MIN = 60
_S_PER_H = 3600


def rounded(value: float, digits: int = 0) -> float:
    """The value rounded half up to so many digits after the point."""
    return float(Decimal(value).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP))


def plain(value: float) -> str:
    """A number with sensible digits: 1,234 · 753 · 55.6 · 4.6 · 0.45 · 0.042 · 0."""
    if rounded(value, 1) >= _TENTHS_BELOW:
        return whole(value)
    return f"{rounded(value, 1):.1f}" if rounded(value, 1) >= 1 else _small(value)


def whole(value: float) -> str:
    """A whole number with its thousands apart: 1,234."""
    return f"{int(rounded(value)):,}"


def rate(value: float, unit: str = "tok/s") -> str:
    """A rate with its unit: 753 tok/s, 4.6 tok/s, 642 words/s, 238 words/min."""
    return f"{whole(value) if unit.endswith('/min') else plain(value)} {_(unit)}"


def milliseconds(value_ms: float) -> str:
    """A time given in milliseconds: 4.2 ms, 312 ms, 1.1 s, 10.7 s, 2 min 34 s, 1 h 2 min."""
    if rounded(value_ms) >= _MS_PER_S:
        return clock(value_ms)
    return f"{_below_ten(value_ms)} ms"


def seconds(value_s: float) -> str:
    """A time given in seconds: 312 ms, 1.1 s, 10.7 s, 2 min 34 s, 1 h 2 min."""
    return milliseconds(value_s * _MS_PER_S)


def clock(value_ms: float) -> str:
    """A running clock given in milliseconds, never shown in ms: 0.3 s, 10.7 s, 2 min 34 s, 1 h 2 min."""
    value_s = value_ms / _MS_PER_S
    if rounded(value_s, 1) < _S_PER_MIN:
        return f"{rounded(value_s, 1):.1f} s"
    whole_s = int(rounded(value_s))
    if whole_s < _S_PER_H:
        return _("{minutes} min {seconds} s").format(minutes=whole_s // 60, seconds=whole_s % 60)
    whole_min = int(rounded(value_s / _S_PER_MIN))
    return _("{hours} h {minutes} min").format(hours=whole(whole_min // 60), minutes=whole_min % 60)


def tokens(value: int) -> str:
    """A token count: 1 token, 1,234 tokens."""
    return ngettext("{n} token", "{n} tokens", value).format(n=whole(value))


def words(value: int) -> str:
    """A word count: 1 word, 612 words."""
    return ngettext("{n} word", "{n} words", value).format(n=whole(value))


def characters(value: int) -> str:
    """A character count: 1 character, 420 characters."""
    return ngettext("{n} character", "{n} characters", value).format(n=whole(value))


def ratio(value: float) -> str:
    """How many times: 1.0×, 5.6×, 13.2×, 162×."""
    return f"{plain(value)}×"


def percent(share: float) -> str:
    """A share of one as per cent: 0.42 %, 9.6 %, 12 %, 100 %."""
    return f"{_below_ten(share * 100)} %"


def money(value: Decimal, currency: str = "USD") -> str:
    """An amount, below one with three digits that matter: $0, $0.0042, $0.50, $1.25, 3.10 CHF."""
    symbol = _SYMBOLS.get(currency)
    return f"{symbol}{_amount(value)}" if symbol else f"{_amount(value)} {currency}"


def _below_ten(value: float) -> str:
    return whole(value) if rounded(value, 1) >= 10 else plain(value) if value else "0"


def _small(value: float) -> str:
    """Two digits that matter for a value in [0, 1); what is below any instrument's reach is 0."""
    if value < _SMALLEST:
        return "0"
    shown = rounded(value, 1 - math.floor(math.log10(value)))
    digits = 1 - math.floor(math.log10(shown))
    return f"{shown:.{digits}f}"


def _amount(value: Decimal) -> str:
    if not value:
        return "0"
    places = 2 if abs(value) >= 1 else 2 - value.adjusted()
    text = f"{value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP):,f}"
    whole_part, _point, cents = text.partition(".")
    return f"{whole_part}.{cents.rstrip('0').ljust(2, '0')}"
