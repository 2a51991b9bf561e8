"""Which addresses a lane may connect to when a stranger chose them: public ones, and what the operator listed.

Every address of a name is looked at, and the connection goes to an address that was looked at, so a name that
answers differently the second time gains nothing. Redirects are never followed, so there is no second host.
This module knows addresses; who is a stranger is decided in `lib/backends/policy.py`.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from typing import Any, Protocol
from urllib.parse import urlsplit

from lib.i18n import _

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
METADATA = frozenset(
    map(ipaddress.ip_address, ("169.254.169.254", "169.254.170.2", "fd00:ec2::254", "100.100.100.200",
                               "168.63.129.16", "192.0.0.192"))
)  # fmt: skip
METADATA_NAMES = frozenset({"metadata.google.internal", "metadata.goog", "metadata"})
_ENDS_IN_NUMBER = re.compile(r"(?:.*\.)?(?:0x[0-9a-f]*|\d+)\.?", re.IGNORECASE)  # no name of the web does
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class AddressRefused(Exception):
    """The address may not be called; the message is the sentence a person reads."""


def plain(text: str) -> Address | None:
    """The address a text is, without a zone and with an embedded IPv4 address taken out; None for a name."""
    try:
        found = ipaddress.ip_address(text.partition("%")[0].strip("[]"))
    except ValueError:
        return None
    if isinstance(found, ipaddress.IPv4Address):
        return found
    inner = found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else None)
    if inner is None and found in _NAT64:
        inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
    return inner or found


def vet(host: str, addresses: Iterable[str], allowed: Iterable[str]) -> None:
    """Raise AddressRefused unless every one of `addresses`, those of `host`, is public or listed.

    `allowed` holds names, addresses and CIDR ranges. A metadata service is only reached when its very address
    is listed, never through a range or a name.
    """
    name = host.lower().rstrip(".")
    listed = [entry.lower().rstrip(".") for entry in allowed]
    if name in METADATA_NAMES:
        raise AddressRefused(_("{host} is a metadata service and may not be called.").format(host=host))
    for text in addresses:
        address = plain(text)
        if address is None:
            raise AddressRefused(_("{host} has no readable address.").format(host=host))
        if address in METADATA:
            if str(address) not in listed:
                raise AddressRefused(
                    _("{host} is a metadata service and may not be called.").format(host=host)
                )
        elif not _is_public(address) and name not in listed and not _in_range(address, listed):
            told = _("{host} leads to {address}, which is {kind}; only public addresses may be called here.")
            raise AddressRefused(told.format(host=host, address=text, kind=_kind(address)))


def vet_literal(base_url: str, allowed: Iterable[str]) -> None:
    """`vet` for a host written in digits, which no resolver ever sees; 2130706433 and its like are refused."""
    host = urlsplit(base_url).hostname or ""
    if plain(host) is not None or _ENDS_IN_NUMBER.fullmatch(host):
        vet(host, (host,), allowed)


class Resolver(Protocol):
    """What aiohttp asks for the addresses of a name; each answer's "host" is one address."""

    async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[Any]: ...

    async def close(self) -> None: ...


class GuardedResolver:
    """Asks another resolver and lets its answer pass only when `vet` does."""

    def __init__(self, inner: Resolver, allowed: Iterable[str]) -> None:
        self._inner, self._allowed = inner, tuple(allowed)

    async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[Any]:
        """The addresses of a name. Raises AddressRefused, or OSError as the other resolver does."""
        found = await self._inner.resolve(host, port, family)
        vet(host, (result["host"] for result in found), self._allowed)
        return found

    async def close(self) -> None:
        """Close the other resolver."""
        await self._inner.close()


def _is_public(address: Address) -> bool:
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _in_range(address: Address, listed: Iterable[str]) -> bool:
    for entry in listed:
        try:
            if address in ipaddress.ip_network(entry, strict=False):
                return True
        except ValueError:
            continue  # a name
    return False


def _kind(address: Address) -> str:
    if address.is_loopback or address.is_unspecified:
        return _("this machine itself")
    return _("link-local") if address.is_link_local else _("not public")
