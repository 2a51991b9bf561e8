"""The list of models a server offers: one GET, read tolerantly. Used by pickers, by the probe, by discovery."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx2
import orjson

from lib.backends.one_answer import one_answer
from lib.backends.policy import OPEN, Policy, checked
from lib.collector.errors import is_web_page, message_of_body
from lib.collector.redact import redact, redactor
from lib.i18n import _

_NAMES = ("id", "name", "model")


class ModelsUnavailable(Exception):
    """There is no list; the message says why in words, `status` is the HTTP status if one came."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Listing:
    """What the server answered: names, sorted, and what it says about itself."""

    models: tuple[str, ...]
    owners: frozenset[str] = frozenset()
    headers: Mapping[str, str] = field(default_factory=dict)


def list_models(base_url: str, key: str, timeout_s: float = 5.0, policy: Policy = OPEN) -> list[str]:
    """The names of the models at `base_url`, sorted. Raises ModelsUnavailable, AddressRefused."""
    return list(listing(base_url, key, timeout_s, policy).models)


def listing(base_url: str, key: str, timeout_s: float = 5.0, policy: Policy = OPEN) -> Listing:
    """GET {base_url}/models. Raises ModelsUnavailable; AddressRefused when the policy forbids the address.

    `timeout_s` is for the whole answer. Redirects are not followed.
    """
    hide = redactor(key)
    try:
        pinned = checked(base_url, policy)
        status, headers, body = one_answer(models_url(base_url), key.strip(), timeout_s, pinned)
    except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError, OSError) as error:
        said = redact(str(error) or type(error).__name__, hide)
        raise ModelsUnavailable(_("No answer: {reason}").format(reason=said)) from None
    if 300 <= status < 400:
        target = redact(headers.get("location", "?"), hide)
        raise ModelsUnavailable(
            _("The server redirects to {target}; redirects are never followed.").format(target=target), status
        )
    if status != 200:
        raise ModelsUnavailable(redact(message_of_body(body) or f"HTTP {status}", hide), status)
    if is_web_page(body):
        raise ModelsUnavailable(_("A web page came instead of a list of models."), status)
    try:
        answer = orjson.loads(body)
    except ValueError:
        raise ModelsUnavailable(_("What came is not JSON."), status) from None
    rows = _rows(answer)
    if rows is None:
        raise ModelsUnavailable(_("What came is not a list of models."), status)
    owners = frozenset(str(row["owned_by"]) for row in rows if isinstance(row, dict) and row.get("owned_by"))
    return Listing(tuple(sorted({name for row in rows if (name := _name(row))})), owners, headers)


def models_url(base_url: str) -> str:
    """Where the models of a base URL are listed; a query in it stays at its end."""
    parts = urlsplit(base_url)
    return parts._replace(path=parts.path.rstrip("/") + "/models").geturl()


def _rows(answer: Any) -> list[Any] | None:
    """The rows of a list of models: OpenAI's `data`, Ollama's `models`, or a bare list; None when it is none."""
    if isinstance(answer, dict):
        answer = next(
            (answer[name] for name in ("data", "models") if isinstance(answer.get(name), list)), None
        )
    return answer if isinstance(answer, list) else None


def _name(row: Any) -> str:
    if isinstance(row, dict):
        row = next((row[name] for name in _NAMES if isinstance(row.get(name), str)), "")
    return row.strip() if isinstance(row, str) else ""
