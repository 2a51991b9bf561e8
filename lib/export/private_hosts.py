"""Takes the addresses of private hosts out of a run before it is handed on.

The texts of prompts and answers are never touched: they are what was measured.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

from lib.domain import events as ev
from lib.domain.run import Backend, Run
from lib.i18n import _

_PRIVATE_ENDINGS = (
    "localhost",
    "local",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "test",
    "arpa",
    "private",
)
_Clean = Callable[[str], str]
_IPV4 = re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])(?::\d+)?")
_IPV6 = re.compile(r"\[[0-9a-fA-F:.]+(?:%\w+)?\](?::\d+)?|(?<![\w:])::1(?![\w:])")
_LOCALHOST = re.compile(r"\blocalhost\b(?::\d+)?", re.IGNORECASE)


def is_private_host(host: str) -> bool:
    """Whether a name or address is of no public network: no dot, a private ending, a private or local address."""
    name = host.strip("[]").rstrip(".").lower()
    try:
        return not ipaddress.ip_address(name.split("%")[0]).is_global
    except ValueError:
        return "." not in name or name.rsplit(".", 1)[1] in _PRIVATE_ENDINGS


def host_of(backend: Backend) -> str:
    """The host of a backend's address; empty when there is none."""
    try:
        return urlsplit(backend.base_url).hostname or ""
    except ValueError:
        return ""


def without_private_hosts(run: Run) -> Run:
    """The run with private addresses put out of backends, errors, waits and warnings."""
    hosts = sorted(
        {h for b in run.backends if (h := host_of(b)) and is_private_host(h)}, key=len, reverse=True
    )
    own = re.compile(
        "|".join(rf"(?<![\w.-]){re.escape(host)}(?![\w-])(?::\d+)?" for host in hosts), re.IGNORECASE
    )

    def clean(text: str) -> str:
        told = own.sub(_("[private address]"), text) if hosts else text
        for known in (_IPV6, _IPV4, _LOCALHOST):
            told = known.sub(_hidden, told)
        return told

    return replace(
        run,
        backends=tuple(
            replace(b, name=clean(b.name), note=clean(b.note), model=clean(b.model),
                    base_url="" if is_private_host(host_of(b)) else b.base_url)
            for b in run.backends
        ),
        generations=tuple(
            replace(g, events=tuple(_cleaned(event, clean) for event in g.events)) for g in run.generations
        ),
    )  # fmt: skip


def _hidden(found: re.Match[str]) -> str:
    text = found[0]
    host = (
        text[1 : text.index("]")] if text.startswith("[") else text if text == "::1" else text.split(":")[0]
    )
    try:
        return _("[private address]") if is_private_host(host) else text
    except ValueError:
        return text


def _cleaned(event: ev.Event, clean: _Clean) -> ev.Event:
    if isinstance(event, ev.Failed):
        return replace(event, message=clean(event.message))
    if isinstance(event, ev.Waiting):
        return replace(event, reason=clean(event.reason))
    if isinstance(event, ev.Warned):
        return replace(event, detail=clean(event.detail))
    if isinstance(event, ev.Served):
        return replace(event, model=clean(event.model))
    return event
