"""Base URLs as people paste them, made into what the SDK needs."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit, urlunsplit

_ENDPOINTS = ("/chat/completions", "/completions", "/responses", "/models")


class AddressError(ValueError):
    """The text cannot be an address; the message says why."""


def clean(base_url: str) -> str:
    """The address without blanks, double slashes, a pasted endpoint or a missing scheme.

    Raises AddressError when there is no host in it.
    """
    text = base_url.strip().strip("\u200b\ufeff\"'<>")
    if "://" not in text:
        text = ("http://" if is_local("http://" + text) else "https://") + text
    try:
        parts = urlsplit(text)
        host, _port = parts.hostname, parts.port
    except ValueError as error:
        raise AddressError(f"not an address: {error}") from error
    if not host or parts.scheme not in ("http", "https") or any(c.isspace() for c in parts.netloc):
        raise AddressError("an address looks like https://host/v1")
    path = "/" + "/".join(part for part in parts.path.split("/") if part)
    for endpoint in _ENDPOINTS:
        path = path.removesuffix(endpoint)
    return urlunsplit((parts.scheme, parts.netloc, path.rstrip("/"), parts.query, ""))


def is_local(base_url: str) -> bool:
    """Whether the host is this machine or a private network: no proxy belongs in between."""
    host = (urlsplit(base_url).hostname or "").lower()
    if host == "localhost" or host.endswith((".localhost", ".local")):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_private or address.is_loopback or address.is_link_local
