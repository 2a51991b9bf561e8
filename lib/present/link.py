"""The link that opens the same race: prompt, backends and settings as a query, and back. Never a key.

Left out on purpose: extra request fields and lanes' own fields (they may hold anything, keys too), earlier
conversation, and backends a visitor typed (they live in one visit; `private_lanes` names them).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

from lib.domain.run import Backend, Mode, Run
from lib.reading import speeds

MOST_TOKENS = 32_768
EFFORTS = ("minimal", "low", "medium", "high")
MOST_STOPS = 4
OWN_PREFIX = "own-"


def private_lanes(run: Run) -> list[str]:
    """Names of lanes that no link can hold: backends typed in by a visitor."""
    return [backend.name for backend in run.backends if _is_private(backend)]


def query_of(run: Run, reader: str | None, own_speed: float | None = None) -> dict[str, str]:
    """The query that opens the race of `run` with this reader (id, or `own` with words per minute; None: silent)."""
    params = run.params
    found: dict[str, Any] = {
        "lineup": ",".join(backend.id for backend in run.backends if not _is_private(backend)),
        "prompt": run.prompt.text,
        "max_tokens": params.max_tokens,
        "reader": reader,
        "own_speed": own_speed,
        "mode": run.mode.value,
        "temperature": params.temperature,
        "top_p": params.top_p,
        "seed": params.seed,
        "effort": params.reasoning_effort,
        "stop": "\n".join(params.stop),
        "system": run.prompt.system,
    }
    return {name: _text(value) for name, value in found.items() if value is not None and value != ""}


def link(page_url: str, query: Mapping[str, str]) -> str:
    """The Race page's address on the server of `page_url`, with the query; the base path is kept."""
    parts = urlsplit(page_url)
    path = parts.path.rsplit("/", 1)[0] + "/"
    return urlunsplit((parts.scheme, parts.netloc, path, urlencode(query), ""))


def asked(query: Mapping[str, str]) -> dict[str, Any]:
    """The settings a query asks for, by name; what cannot be used is left out."""
    found = {name: _READ[name](query[name]) for name in _READ if name in query}
    return {name: value for name, value in found.items() if value is not None}


def _is_private(backend: Backend) -> bool:
    number = backend.id.removeprefix(OWN_PREFIX)
    return number != backend.id and number.isdecimal()


def _text(value: Any) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _within(kind: type[int] | type[float], least: float, most: float) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            return None
        return value if least <= value <= most else None

    return read


def _one_of(*choices: str) -> Callable[[str], str | None]:
    return lambda text: text if text in choices else None


def _reader(text: str) -> str | None:
    return text if text == "own" or text in {known.id for known in speeds()} else None


_READ: dict[str, Callable[[str], Any]] = {
    "max_tokens": _within(int, 1, MOST_TOKENS),
    "reader": _reader,
    "own_speed": _within(int, 30, 2000),
    "mode": _one_of(*(mode.value for mode in Mode)),
    "temperature": _within(float, 0, 2),
    "top_p": _within(float, 0, 1),
    "seed": _within(int, 0, 2**31 - 1),
    "effort": _one_of(*EFFORTS),
    "stop": lambda text: "\n".join(text.splitlines()[:MOST_STOPS]) or None,
    "system": lambda text: text or None,
}
