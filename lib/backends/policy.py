"""Who may call what: visitors of a server that others can reach choose no address inside its network.

On a server bound to a loopback address everything is allowed. Otherwise visitors race the configured backends
only, until the operator allows addresses of their own; those must then be public, or listed. The operator's
own backends are never asked. The check here gives the sentence early; the collector checks again at the moment
it connects (`lib/collector/guard.py`), so a name that changes its answer in between gains nothing.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from lib.collector.guard import AddressRefused, vet
from lib.domain.run import Limits
from lib.i18n import _

__all__ = ["OPEN", "AddressRefused", "Policy", "addresses_of", "check", "is_loopback_server", "limits_under"]

Resolve = Callable[[str, int], list[str]]
_DEFAULT_PORTS = {"http": 80, "https": 443}
_TRICKS = re.compile(r"[\\\x00-\x20\x7f]")


@dataclass(frozen=True, slots=True)
class Policy:
    """What visitors may call. `allowed_hosts`: names, addresses and CIDR ranges that need not be public."""

    loopback_only_server: bool
    custom_addresses: bool = False
    allowed_hosts: tuple[str, ...] = ()

    @property
    def allows_own_backends(self) -> bool:
        """Whether a visitor may type an address at all."""
        return self.loopback_only_server or self.custom_addresses


OPEN = Policy(loopback_only_server=True)


def is_loopback_server(address: str | None) -> bool:
    """Whether a server bound to `address` is reached from this machine alone; no address means every interface."""
    if address is None:
        return False
    host = address.strip().strip("[]").lower()
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def addresses_of(host: str, port: int) -> list[str]:
    """Every address the system's resolver knows for a host, in its order. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def check(url: str, policy: Policy, resolve: Resolve = addresses_of) -> None:
    """Return when a visitor may call `url`. Raises AddressRefused with the sentence why not."""
    checked(url, policy, resolve)


def checked(url: str, policy: Policy, resolve: Resolve = addresses_of) -> tuple[str, ...]:
    """`check`, and the addresses that were looked at: connect to one of them. Empty where all is allowed."""
    if policy.loopback_only_server:
        return ()
    if not policy.custom_addresses:
        raise AddressRefused(
            _("On this server only the backends its operator has configured may be used."
              " The operator allows others with custom_addresses = true."))  # fmt: skip
    host, port = _host_of(url)
    try:
        addresses = resolve(host, port)
    except OSError as error:
        raise AddressRefused(
            _("{host} could not be resolved: {reason}").format(host=host, reason=error)
        ) from error
    vet(host, addresses, policy.allowed_hosts)
    if not addresses:
        raise AddressRefused(_("{host} has no address.").format(host=host))
    return tuple(addresses)


def limits_under(policy: Policy, limits: Limits) -> Limits:
    """The limits of a visitor's own backend: with them the collector connects only where the policy allows."""
    return limits if policy.loopback_only_server else replace(limits, allowed_hosts=policy.allowed_hosts)


def _host_of(url: str) -> tuple[str, int]:
    """Host and port of a plain web address; whatever two parsers might read differently is refused."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise AddressRefused(_("This is not an address: {reason}").format(reason=error)) from error
    if _TRICKS.search(url) or parts.scheme not in _DEFAULT_PORTS or not host:
        raise AddressRefused(_("An address looks like https://host/v1."))
    if "@" in parts.netloc:
        raise AddressRefused(_("An address must not contain a user name or a password."))
    return host, port or _DEFAULT_PORTS[parts.scheme]
