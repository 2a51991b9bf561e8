"""Known providers and local servers (`lib/data/presets.toml`): addresses, key variables, quirks, each with its source.

A preset is no promise that the address works today; `lib/backends/probe.py` finds out.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

from lib.collector.address import is_local

TABLE = Path(__file__).resolve().parents[1] / "data" / "presets.toml"
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Preset:
    """One provider or kind of local server.

    `model` is an example and may be empty; `docs` is where the facts were read, `source` says which of them,
    `read` when. `owned_by` (in its list of models) and `header` (how a response header
    begins) are how a local server gives itself away.
    """

    id: str
    name: str
    base_url: str
    key_env: tuple[str, ...]
    model: str
    models: str
    quirks: tuple[str, ...]
    docs: str
    prices: str
    source: str
    read: date
    port: int | None = None
    owned_by: str = ""
    header: str = ""

    @property
    def local(self) -> bool:
        """Whether it is a server on this machine."""
        return is_local(self.base_url)

    @property
    def placeholder(self) -> str:
        """The part of the address that the person must fill in ("resource"); empty when there is none."""
        found = _PLACEHOLDER.search(self.base_url)
        return found[1] if found else ""

    def key_variable(self, environment: Mapping[str, str]) -> str:
        """The name of the first key variable that is set, or an empty text."""
        return next((name for name in self.key_env if environment.get(name, "").strip()), "")


@cache
def presets() -> tuple[Preset, ...]:
    """All presets, providers first, in the order of the table."""
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))["preset"]
    return tuple(Preset(**{**row, "key_env": tuple(row["key_env"]), "quirks": tuple(row["quirks"])})
                 for row in rows)  # fmt: skip


def preset(id_: str) -> Preset | None:
    """The preset of that id."""
    return next((known for known in presets() if known.id == id_), None)


def found_in(environment: Mapping[str, str]) -> tuple[Preset, ...]:
    """The providers whose key is in the environment; local servers are found by looking, not by a key."""
    return tuple(known for known in presets() if not known.local and known.key_variable(environment))
