"""The lower half of a probe: address, name, TCP, TLS, each on a socket of its own, with words for what fails."""

from __future__ import annotations

import re
import socket
import ssl
import threading
import time
import urllib.request
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

from lib import numbers
from lib.backends.policy import OPEN, AddressRefused, Policy, Resolve, addresses_of, check
from lib.backends.report import Step
from lib.collector.address import AddressError, clean, is_local
from lib.collector.guard import vet
from lib.domain.run import public_address
from lib.i18n import _, ngettext

T = TypeVar("T")
FEW_DAYS = 14
_SECONDS_PER_DAY = 86_400


class Reach:
    """Tries to reach one address; call `address`, `resolve`, `tcp`, `tls` in this order while they succeed."""

    def __init__(
        self, base_url: str, timeout_s: float, policy: Policy = OPEN, resolver: Resolve = addresses_of
    ) -> None:
        self.base_url = base_url
        self._timeout_s = timeout_s
        self._policy = policy
        self._resolver = resolver
        self._addresses: list[str] = []
        self._socket: socket.socket | None = None

    def close(self) -> None:
        """Close the connection that `tcp` opened."""
        if self._socket is not None:
            self._socket.close()

    @property
    def proxy(self) -> str:
        """The variable of the proxy that requests to this address go through; empty when there is none."""
        parts = urlsplit(self.base_url)
        direct = is_local(self.base_url) or not self._policy.loopback_only_server
        if direct or urllib.request.proxy_bypass(parts.hostname or ""):
            return ""
        return f"{parts.scheme.upper()}_PROXY" if urllib.request.getproxies().get(parts.scheme) else ""

    def address(self) -> Step:
        """The address made clean; also refuses what the policy refuses."""
        placeholder = re.search(r"\{\w+\}", self.base_url)
        if placeholder:
            told = _("The address still contains {placeholder}.").format(placeholder=placeholder[0])
            return Step("address", False, told, _("Put the name of your resource in its place."))
        given = self.base_url
        try:
            self.base_url = clean(given)
            check(self.base_url, self._policy, self._resolver)
        except AddressError as error:
            return Step("address", False, str(error), _("An address looks like https://host/v1."))
        except AddressRefused as error:
            return Step("address", False, str(error), _("Ask the operator of this server to allow it."))
        shown = public_address(self.base_url)
        if self.base_url != given.strip():
            return Step("address", True, _("{address} (cleaned)").format(address=shown))
        return Step("address", True, shown)

    def resolve(self) -> Step:
        """Every IP address of the host."""
        host, port = self._host_and_port()
        begun = time.perf_counter()
        try:
            found = _in_time(lambda: self._resolver(host, port), self._timeout_s)
            if not self._policy.loopback_only_server:
                vet(host, found, self._policy.allowed_hosts)
        except TimeoutError:
            return Step(
                "resolve", False, _("The name was not resolved in time."), _("Check the network and DNS.")
            )
        except AddressRefused as error:
            return Step("resolve", False, str(error), _("Ask the operator of this server to allow it."))
        except (OSError, UnicodeError) as error:
            told = _("{host} could not be resolved: {reason}").format(host=host, reason=error)
            return Step(
                "resolve", False, told, _("Check the spelling of the host, then the network and DNS.")
            )
        self._addresses = found
        advice = ""
        if host.lower() == "localhost" and ":" in (found[0] if found else ""):
            advice = _("localhost means IPv6 first here, which can cost two seconds where the server listens on"
                       " IPv4 only: write 127.0.0.1.")  # fmt: skip
        return Step("resolve", bool(found), ", ".join(found) or _("no address"), advice, _ms_since(begun))

    def tcp(self) -> Step:
        """A connection to the first address that takes one."""
        _host, port = self._host_and_port()
        refused: list[str] = []
        for address in self._addresses:
            begun = time.perf_counter()
            try:
                self._socket = socket.create_connection((address, port), self._timeout_s)
            except OSError as error:
                refused.append(f"{address}: {_words_of(error)}")
                continue
            told = _("{address} port {port}").format(address=address, port=port)
            advice = ""
            if refused:
                told += " (" + "; ".join(refused) + ")"
                advice = _("Not every address of this name answers: write the one that does.")
            return Step("tcp", True, told, advice, _ms_since(begun))
        return Step(
            "tcp", False, "; ".join(refused) or _("there is no address to connect to"), _advice_for(port)
        )

    def tls(self, now_s: float) -> Step:
        """TLS over that connection: version and the certificate's days left at `now_s` (Unix time)."""
        if urlsplit(self.base_url).scheme != "https":
            if is_local(self.base_url):
                return Step("tls", None, _("not used on a local address"))
            told = _("not used: the key and every text can be read on the way")
            return Step("tls", None, told, _("Use the https address if there is one."))
        host, _port = self._host_and_port()
        assert self._socket is not None
        begun = time.perf_counter()
        try:
            context = ssl.create_default_context()
            self._socket = tunnel = context.wrap_socket(self._socket, server_hostname=host)
        except ssl.SSLCertVerificationError as error:
            advice = _("Use the name that is in the certificate, have it renewed, or make its authority known to"
                       " this machine (SSL_CERT_FILE).")  # fmt: skip
            return Step("tls", False, error.verify_message or str(error), advice, _ms_since(begun))
        except OSError as error:
            advice = _("Does the server speak TLS at all? If not, its address begins with http.")
            return Step("tls", False, _words_of(error), advice, _ms_since(begun))
        ms = _ms_since(begun)
        return _certificate(tunnel, now_s, ms)

    def _host_and_port(self) -> tuple[str, int]:
        parts = urlsplit(self.base_url)
        return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def _certificate(tunnel: ssl.SSLSocket, now_s: float, ms: float) -> Step:
    version = tunnel.version() or "TLS"
    not_after = (tunnel.getpeercert() or {}).get("notAfter")
    if not isinstance(not_after, str):
        return Step("tls", True, version, ms=ms)
    days = int((ssl.cert_time_to_seconds(not_after) - now_s) // _SECONDS_PER_DAY)
    left = ngettext("certificate valid for {n} more day", "certificate valid for {n} more days", days)
    advice = _("Have the certificate renewed soon.") if days < FEW_DAYS else ""
    return Step("tls", True, f"{version}, {left.format(n=numbers.whole(days))}", advice, ms)


def _advice_for(port: int) -> str:
    usual = {
        11434: _("Start Ollama (ollama serve)."),
        1234: _("Start the server in LM Studio's Developer tab."),
    }
    known = usual.get(port)
    return known or _("Check that the server is running, and the port; a firewall may also be in between.")


def _words_of(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return _("connection refused: nothing listens there")
    if isinstance(error, TimeoutError):
        return _("no answer in time")
    return error.strerror or str(error) or type(error).__name__


def _ms_since(begun: float) -> float:
    return round((time.perf_counter() - begun) * 1000, 1)


def _in_time(work: Callable[[], T], timeout_s: float) -> T:
    """The result of `work`, done in a thread that is left behind when it takes too long (TimeoutError)."""
    outcome: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=run, daemon=True, name="resolve")
    thread.start()
    thread.join(timeout_s)
    if thread.is_alive():
        raise TimeoutError
    if failure:
        raise failure[0]
    return outcome[0]
