"""Backends from the operator's settings: a TOML table `[backends.NAME]` and the OPENAI_* variables.

Keys stay beside the backend they belong to and never inside it.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from lib.collector.address import AddressError, clean
from lib.domain.run import Backend, Prices

SECRETS = Path(__file__).resolve().parents[2] / ".streamlit" / "secrets.toml"
PATH_VARIABLE = "TOKENRACE_BACKENDS"
OPENAI_URL = "https://api.openai.com/v1"
_KEYS = {
    "base_url": "an address such as https://host/v1",
    "model": "the model's name as the server knows it",
    "api_key": "the key itself",
    "api_key_env": "the name of an environment variable that holds the key",
    "name": "the name on the lane",
    "note": "a few words under the name",
    "price_in": "per million input tokens, for example 2.50",
    "price_out": "per million output tokens",
    "price_cached": "per million cached input tokens",
    "extra_body": "a table of further request fields",
}


class SettingsError(ValueError):
    """The settings cannot be used; the message names the table, the key and what is accepted."""


@dataclass(frozen=True, slots=True)
class Configured:
    """A backend and, apart from it, the key that calls it."""

    backend: Backend
    key: str = field(default="", repr=False)


def configured(
    environment: Mapping[str, str] = os.environ, secrets: Path = SECRETS
) -> tuple[Configured, ...]:
    """Every configured backend: the settings file first, then OPENAI_API_KEY / OPENAI_BASE_URL."""
    path = Path(environment.get(PATH_VARIABLE) or secrets)
    found = read(path, environment) if path.exists() else ()
    return (*found, *_from_openai_variables(environment))


def read(path: Path, environment: Mapping[str, str]) -> tuple[Configured, ...]:
    """The `[backends.NAME]` tables of one TOML file. Raises SettingsError naming what is wrong."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("backends", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path.name}: {error}") from error
    return tuple(_one(name, table, environment) for name, table in tables.items())


def _one(name: str, table: Mapping[str, Any], environment: Mapping[str, str]) -> Configured:
    where = f"[backends.{name}]"
    for key in table:
        if key not in _KEYS:
            raise SettingsError(f"{where}: unknown key {key!r}; known are {', '.join(_KEYS)}")
    for key in ("base_url", "model"):
        if not table.get(key):
            raise SettingsError(f"{where}: {key} is missing; it is {_KEYS[key]}")
    try:
        base_url = clean(table["base_url"])
    except AddressError as error:
        raise SettingsError(f"{where}: base_url: {error}") from error
    backend = Backend(
        id=name,
        name=table.get("name", name),
        base_url=base_url,
        model=table["model"],
        note=table.get("note", ""),
        prices=prices_of(where, table),
        extra_body=table.get("extra_body", {}),
    )
    key = table.get("api_key") or environment.get(table.get("api_key_env", ""), "")
    return Configured(backend, str(key).strip())


def prices_of(where: str, table: Mapping[str, Any]) -> Prices | None:
    """Own prices of a table, or None when it gives none. Raises SettingsError for what is no number."""
    found: dict[str, Decimal | None] = {}
    for key in ("price_in", "price_out", "price_cached"):
        try:
            found[key] = None if table.get(key) is None else Decimal(str(table[key]))
        except InvalidOperation as error:
            raise SettingsError(f"{where}: {key} is {_KEYS[key]}") from error
    if not any(price is not None for price in found.values()):
        return None
    return Prices(found["price_in"], found["price_out"], found["price_cached"], source="settings")


def _from_openai_variables(environment: Mapping[str, str]) -> tuple[Configured, ...]:
    key, url = environment.get("OPENAI_API_KEY", ""), environment.get("OPENAI_BASE_URL", "")
    if not key and not url:
        return ()
    model = environment.get("OPENAI_MODEL", "gpt-4o-mini")
    backend = Backend("openai-env", f"{model} (OPENAI_API_KEY)", clean(url or OPENAI_URL), model)
    return (Configured(backend, key.strip()),)
