"""One `[backends.NAME]` table: what it may hold, read with words for every mistake, and written back.

Writing leaves the key out: a variable's name stands in its place.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from lib.backends.presets import Preset, preset, presets
from lib.collector.address import AddressError, clean, is_local
from lib.domain.run import Backend, Limits, Prices, WarmUp
from lib.i18n import _

LOCAL_FIRST_TOKEN_S = 300.0  # a local server may still be loading its model
_LIMITS = {"connect_timeout": "connect_s", "first_token_timeout": "first_token_s", "stall_timeout": "stall_s",
           "total_timeout": "total_s", "max_attempts": "max_attempts"}  # fmt: skip
_PRICES = ("price_in", "price_out", "price_cached")
_WARM_UPS = tuple(kind.value for kind in WarmUp)
_SECONDS = "seconds, for example 60"
FIELDS = {
    "preset": 'the id of a preset, for example "groq"; it gives the address and the key\'s variable',
    "base_url": "an address such as https://host/v1",
    "model": "the model's name as the server knows it",
    "api_key": "the key itself",
    "api_key_env": "the name of an environment variable that holds the key",
    "name": "the name on the lane",
    "note": "a few words under the name",
    "price_in": 'per million input tokens, for example "2.50"',
    "price_out": 'per million output tokens, for example "10"',
    "price_cached": 'per million cached input tokens, for example "0.25"',
    "currency": 'three letters, for example "EUR"',
    "connect_timeout": _SECONDS,
    "first_token_timeout": _SECONDS,
    "stall_timeout": _SECONDS,
    "total_timeout": _SECONDS,
    "max_attempts": "a whole number of at least 1",
    "warmup": " or ".join(f'"{kind}"' for kind in _WARM_UPS),
    "extra_body": "a table of further request fields",
}
_CURRENCY = re.compile(r"[A-Z]{3}")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


class SettingsError(ValueError):
    """The settings cannot be used; the message names the table, the key and what is accepted."""


@dataclass(frozen=True, slots=True)
class Configured:
    """A backend and, apart from it, the key that calls it; `limits` None: what suits its address."""

    backend: Backend
    key: str = field(default="", repr=False)
    own_limits: Limits | None = None
    warmup: WarmUp = WarmUp.NONE

    @property
    def limits(self) -> Limits:
        """The limits of its lanes."""
        return self.own_limits or limits_for(self.backend.base_url)


def limits_for(base_url: str) -> Limits:
    """Time limits that suit an address: a local server gets time to load its model."""
    return Limits(first_token_s=LOCAL_FIRST_TOKEN_S) if is_local(base_url) else Limits()


def read_table(name: str, table: Any, environment: Mapping[str, str]) -> Configured:
    """One backend. Raises SettingsError that names the table, the key and the accepted form."""
    where = f"[backends.{name}]"
    if not isinstance(table, dict):
        raise SettingsError(_("{where} must be a table with at least base_url and model").format(where=where))
    _check(where, table)
    known = _preset(where, table)
    base_url = _base_url(where, table, known)
    model = table.get("model") or (known.model if known else "")
    if not model:
        raise _missing(where, "model")
    backend = Backend(
        id=name,
        name=table.get("name", name),
        base_url=base_url,
        model=model,
        note=table.get("note", ""),
        prices=prices_of(where, table),
        extra_body=table.get("extra_body", {}),
    )
    return Configured(backend, _key(table, known, environment), _limits(base_url, table),
                      WarmUp(table.get("warmup", "none")))  # fmt: skip


def prices_of(where: str, table: Mapping[str, Any]) -> Prices | None:
    """Own prices of a table, or None when it gives none. Raises SettingsError for what is no price."""
    found = {key: _price(where, key, table[key]) for key in _PRICES if table.get(key) is not None}
    if not found:
        return None
    price_in, price_out, price_cached = (found.get(key) for key in _PRICES)
    return Prices(price_in, price_out, price_cached, table.get("currency", "USD"), source="settings")


def as_toml(entry: Configured) -> str:
    """The `[backends.NAME]` table of an entry, ready to paste; the key is left out, a variable stands for it."""
    backend = entry.backend
    lines = [f"[backends.{_name(backend.id)}]", f"base_url = {_value(backend.base_url)}",
             f"model = {_value(backend.model)}"]  # fmt: skip
    if entry.key:
        lines.append(f"api_key_env = {_value(_variable_for(backend))}")
    lines += [f"{key} = {_value(value)}" for key, value in _optional(entry).items()]
    return "\n".join(lines) + "\n"


def _check(where: str, table: Mapping[str, Any]) -> None:
    for key, value in table.items():
        if key == "origin":
            told = _("{where}: origin cannot be set; what is configured is a live backend")
            raise SettingsError(told.format(where=where))
        if key not in FIELDS:
            told = _("{where}: unknown key {key}; known are {known}")
            raise SettingsError(told.format(where=where, key=repr(key), known=", ".join(FIELDS)))
        if not _fits(key, value):
            raise _wrong(where, key, _shown(key, value))


def _fits(key: str, value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if key in _PRICES:
        return number or isinstance(value, str)  # `_price` says the rest
    if key == "max_attempts":
        return number and isinstance(value, int) and value >= 1
    if key in _LIMITS:
        return number and math.isfinite(value) and value > 0
    if key == "extra_body":
        return isinstance(value, dict)
    if key == "warmup":
        return value in _WARM_UPS
    return isinstance(value, str) and (key != "currency" or _CURRENCY.fullmatch(value) is not None)


def _missing(where: str, key: str) -> SettingsError:
    told = _("{where}: {key} is missing; it is {form}")
    return SettingsError(told.format(where=where, key=key, form=_(FIELDS[key])))


def _wrong(where: str, key: str, shown: str) -> SettingsError:
    told = _("{where}: {key} is {form}, not {shown}")
    return SettingsError(told.format(where=where, key=key, form=_(FIELDS[key]), shown=shown))


def _shown(key: str, value: Any) -> str:
    """What stands there instead, except where it could be a key."""
    return _("something else") if key.startswith("api_key") else repr(value)[:60]


def _preset(where: str, table: Mapping[str, Any]) -> Preset | None:
    if "preset" not in table:
        return None
    known = preset(table["preset"])
    if known is None:
        ids = ", ".join(each.id for each in presets())
        told = _("{where}: there is no preset {id}; known are {known}")
        raise SettingsError(told.format(where=where, id=repr(table["preset"]), known=ids))
    return known


def _base_url(where: str, table: Mapping[str, Any], known: Preset | None) -> str:
    if not table.get("base_url"):
        if known is None:
            raise _missing(where, "base_url")
        if known.placeholder:
            told = _("{where}: base_url is needed with this preset: {example}")
            raise SettingsError(told.format(where=where, example=known.base_url))
    try:
        return clean(table.get("base_url") or (known.base_url if known else ""))
    except AddressError as error:
        raise SettingsError(f"{where}: base_url: {error}") from error


def _key(table: Mapping[str, Any], known: Preset | None, environment: Mapping[str, str]) -> str:
    if table.get("api_key"):
        return str(table["api_key"]).strip()
    variable = table.get("api_key_env") or (known.key_variable(environment) if known else "")
    return environment.get(variable, "").strip()


def _limits(base_url: str, table: Mapping[str, Any]) -> Limits | None:
    given = {name: table[key] for key, name in _LIMITS.items() if key in table}
    if not given:
        return None
    usual = limits_for(base_url)
    return Limits(**{**{name: getattr(usual, name) for name in Limits.__slots__}, **given})


def _price(where: str, key: str, value: Any) -> Decimal:
    try:
        price = Decimal(str(value))
    except InvalidOperation:
        price = Decimal("NaN")
    if not price.is_finite() or price < 0:
        raise _wrong(where, key, repr(value))
    return price


def _optional(entry: Configured) -> dict[str, Any]:
    backend, limits, usual = entry.backend, entry.limits, limits_for(entry.backend.base_url)
    found: dict[str, Any] = {}
    if backend.name != backend.id:
        found["name"] = backend.name
    if backend.note:
        found["note"] = backend.note
    if backend.prices is not None:
        prices = (backend.prices.input, backend.prices.output, backend.prices.cached_input)
        found |= {key: str(price) for key, price in zip(_PRICES, prices, strict=True) if price is not None}
        if backend.prices.currency != "USD":
            found["currency"] = backend.prices.currency
    for key, name in _LIMITS.items():
        if getattr(limits, name) != getattr(usual, name) and getattr(limits, name) is not None:
            found[key] = getattr(limits, name)
    if entry.warmup is not WarmUp.NONE:
        found["warmup"] = entry.warmup.value
    if backend.extra_body:
        found["extra_body"] = dict(backend.extra_body)
    return found


def _variable_for(backend: Backend) -> str:
    """The variable a key would be in: the preset's with that address, else one made of the table's name."""
    known = next((each for each in presets() if each.base_url == backend.base_url and each.key_env), None)
    if known is not None:
        return known.key_env[0]
    return (re.sub(r"[^A-Z0-9]+", "_", backend.id.upper()).strip("_") or "MY") + "_API_KEY"


def _name(text: str) -> str:
    return text if _BARE.fullmatch(text) else _value(text)


def _value(value: Any) -> str:
    """A TOML value; what TOML cannot say (null) is left out of tables and lists."""
    if isinstance(value, Mapping):
        pairs = (f"{_name(str(k))} = {_value(v)}" for k, v in value.items() if v is not None)
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(item) for item in value if item is not None) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
