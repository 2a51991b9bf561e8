"""Backends from the operator's settings: TOML tables `[backends.NAME]`, a team's file, keys in the environment.

Keys stay beside the backend they belong to and never inside it. What a table may hold is in `FIELDS`, read by
`table.py`; who may call what (`[tokenrace]`) becomes a `Policy`. `docs/backends.md` explains it all.
"""

from __future__ import annotations

import ipaddress
import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lib.backends.admission import SignIn, is_email_rule
from lib.backends.policy import Policy, is_loopback_server
from lib.backends.presets import Preset, found_in
from lib.backends.table import Configured, SettingsError, prices_of, read_table
from lib.collector.address import AddressError, clean
from lib.domain.run import Backend
from lib.i18n import _

__all__ = ["Configured", "SettingsError", "acts_file", "configured", "policy", "prices_of", "read", "sign_in"]

SECRETS = Path(__file__).resolve().parents[2] / ".streamlit" / "secrets.toml"
PATH_VARIABLE = "TOKENRACE_BACKENDS"
OPENAI_URL = "https://api.openai.com/v1"
PRODUCT_KEYS = {
    "backends_file": "the path of a file with further [backends.NAME] tables",
    "acts": "the path of a file with the acts of a show",
    "shared": "true or false: others reach this server, through a proxy or a tunnel",
    "custom_addresses": "true or false: may visitors of a shared server type addresses",
    "allowed_hosts": "a list of names, addresses and ranges such as 10.1.0.0/16",
    "sign_in": "true or false: must visitors sign in (needs an [auth] table)",
    "allowed_emails": 'a list of addresses, and of domains such as "@example.org"',
}


def configured(
    environment: Mapping[str, str] = os.environ, secrets: Path = SECRETS
) -> tuple[Configured, ...]:
    """Every configured backend: own settings, then the team's file, then keys in the environment.

    Of two tables with one name the own one counts; a provider that has a table is not added again.
    Raises SettingsError naming what is wrong.
    """
    own = read(secrets, environment) if secrets.exists() else ()
    team_file = _team_file(environment, secrets)
    team = read(team_file, environment) if team_file else ()
    names = {entry.backend.id for entry in own}
    further = tuple(entry for entry in team if entry.backend.id not in names)
    tables = (*own, *further)
    addresses = {entry.backend.base_url for entry in tables}
    found = (entry for entry in _from_presets(environment) if entry.backend.base_url not in addresses)
    return (*tables, *_from_openai_variables(environment), *found)


def read(path: Path, environment: Mapping[str, str]) -> tuple[Configured, ...]:
    """The `[backends.NAME]` tables of one TOML file. Raises SettingsError naming what is wrong."""
    tables = _table_of(path, "backends")
    return tuple(read_table(name, table, environment) for name, table in tables.items())


def policy(
    server_address: str | None, secrets: Path = SECRETS, visitor: str | None = None, forwarded: bool = False
) -> Policy:
    """Who may call what on a server bound to `server_address` (None: every interface). Raises SettingsError.

    A server that is bound to a loopback address is shared all the same when the settings say so, when `visitor`
    (the address a request came from) is another machine, or when it was `forwarded` by a proxy or a tunnel.
    """
    table = _product_table(secrets)
    shared = table.get("shared", False) or forwarded or (bool(visitor) and not is_loopback_server(visitor))
    return Policy(
        loopback_only_server=is_loopback_server(server_address) and not shared,
        custom_addresses=table.get("custom_addresses", False),
        allowed_hosts=tuple(table.get("allowed_hosts", ())),
    )


def sign_in(files: Iterable[Path]) -> SignIn:
    """Whether visitors must sign in: when any of these files says so. Raises SettingsError, and then nobody may."""
    tables = [_product_table(file) for file in files]
    lists = [table["allowed_emails"] for table in tables if "allowed_emails" in table]
    required = any(table.get("sign_in", False) for table in tables)
    if lists and not required:
        raise SettingsError(_("{where}: allowed_emails needs sign_in = true").format(where="[tokenrace]"))
    return SignIn(required, tuple(lists[-1]) if lists else ())


def acts_file(secrets: Path = SECRETS) -> Path | None:
    """The file with the acts of a show that the settings name, beside them or anywhere. Raises SettingsError."""
    named = _product_table(secrets).get("acts")
    return secrets.parent / Path(named).expanduser() if named else None


def _team_file(environment: Mapping[str, str], secrets: Path) -> Path | None:
    named = environment.get(PATH_VARIABLE)
    if named:
        where, path = PATH_VARIABLE, Path(named).expanduser()
    else:
        named = _product_table(secrets).get("backends_file")
        if not named:
            return None
        where, path = "[tokenrace] backends_file", secrets.parent / Path(named).expanduser()
    if not path.is_file():
        raise SettingsError(_("{where}: there is no file {path}").format(where=where, path=path))
    return None if path.resolve() == secrets.resolve() else path


def _product_table(secrets: Path) -> dict[str, Any]:
    table = _table_of(secrets, "tokenrace") if secrets.exists() else {}
    for key, value in table.items():
        if key not in PRODUCT_KEYS:
            told = _("{where}: unknown key {key}; known are {known}")
            names = ", ".join(PRODUCT_KEYS)
            raise SettingsError(told.format(where="[tokenrace]", key=repr(key), known=names))
        hosts = isinstance(value, list) and all(map(_is_host, value))
        emails = isinstance(value, list) and bool(value) and all(map(is_email_rule, value))
        flags = dict.fromkeys(("custom_addresses", "shared", "sign_in"), isinstance(value, bool))
        right = {**flags, "allowed_hosts": hosts, "allowed_emails": emails}
        if not right.get(key, isinstance(value, str)):
            told = _("{where}: {key} is {form}, not {shown}")
            form = _(PRODUCT_KEYS[key])
            raise SettingsError(told.format(where="[tokenrace]", key=key, form=form, shown=repr(value)[:60]))
    return table


def _is_host(entry: Any) -> bool:
    """A name, an address, or a range that is one."""
    if not isinstance(entry, str) or not entry.strip():
        return False
    try:
        ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return "/" not in entry and " " not in entry
    return True


def _table_of(path: Path, name: str) -> dict[str, Any]:
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get(name, {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise SettingsError(f"{path.name}: {error}") from error
    if not isinstance(found, dict):
        told = _("{where}: {name} must be a table, such as [{name}]")
        raise SettingsError(told.format(where=path.name, name=name))
    return found


def _from_openai_variables(environment: Mapping[str, str]) -> tuple[Configured, ...]:
    key, url = environment.get("OPENAI_API_KEY", "").strip(), environment.get("OPENAI_BASE_URL", "").strip()
    if not key and not url:
        return ()
    try:
        base_url = clean(url or OPENAI_URL)
    except AddressError as error:
        raise SettingsError(f"OPENAI_BASE_URL: {error}") from error
    model = environment.get("OPENAI_MODEL") or "gpt-4o-mini"
    return (Configured(Backend("openai-env", f"{model} (OPENAI_API_KEY)", base_url, model), key),)


def _from_presets(environment: Mapping[str, str]) -> tuple[Configured, ...]:
    """Providers whose key is in the environment, with their example model (or the one in NAME_MODEL)."""
    found = (preset for preset in found_in(environment) if preset.id != "openai" and not preset.placeholder)
    return tuple(_of_preset(preset, environment) for preset in found)


def _of_preset(preset: Preset, environment: Mapping[str, str]) -> Configured:
    variable = preset.key_variable(environment)
    model = environment.get(variable.removesuffix("_API_KEY") + "_MODEL", "").strip() or preset.model
    note = _("key from {variable}").format(variable=variable)
    backend = Backend(f"{preset.id}-env", f"{preset.name} {model}", preset.base_url, model, note=note)
    return Configured(backend, environment[variable].strip())
