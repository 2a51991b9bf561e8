"""Servers on this machine: looks at the presets' known ports on 127.0.0.1 and ::1, and nowhere else."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from lib.backends.models import Listing, ModelsUnavailable, listing
from lib.backends.presets import Preset, presets

HOSTS = ("127.0.0.1", "::1")
EXTRA_PORTS = (8080, 8000, 8001, 5000, 8081)  # TGI's container, second servers
_TELLING_PORTS = (1234, 4000, 11434, 30000)
LIST_TIMES = 5  # a list may take so many times longer than a connection


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server that answers like an OpenAI-compatible one. `preset` None: none of the known kinds.

    `needs_key`: it asked for a key, so its models are not known yet.
    """

    base_url: str
    preset: Preset | None
    models: tuple[str, ...] = ()
    needs_key: bool = False


def known_ports() -> tuple[int, ...]:
    """The ports that are looked at."""
    ports = [preset.port for preset in presets() if preset.port is not None]
    return tuple(dict.fromkeys([*ports, *EXTRA_PORTS]))


def local_servers(
    timeout_s: float = 0.3, ports: Iterable[int] | None = None, hosts: tuple[str, ...] = HOSTS
) -> list[FoundServer]:
    """The servers found, by port; one that answers on both addresses is named by the first one.

    `timeout_s` is for one connection; the whole takes a few times as long, whatever the number of ports.
    """
    places = [(host, port) for port in (known_ports() if ports is None else tuple(ports)) for host in hosts]
    if not places:
        return []
    with ThreadPoolExecutor(len(places), "discovery") as threads:
        answers = list(threads.map(lambda place: _look(place[0], place[1], timeout_s), places))
    found: dict[tuple[int, tuple[str, ...]], FoundServer] = {}
    for (_host, port), server in zip(places, answers, strict=True):
        if server is not None:
            found.setdefault((port, server.models), server)
    return list(found.values())


def _look(host: str, port: int, timeout_s: float) -> FoundServer | None:
    try:
        socket.create_connection((host, port), timeout_s).close()
    except OSError:
        return None
    base_url = f"http://[{host}]:{port}/v1" if ":" in host else f"http://{host}:{port}/v1"
    try:
        found = listing(base_url, "", timeout_s * LIST_TIMES)
    except ModelsUnavailable as error:
        if error.status in (401, 403):
            return FoundServer(base_url, _usual_at(port), needs_key=True)
        return None
    return FoundServer(base_url, _kind_of(found) or _usual_at(port), found.models)


def _kind_of(found: Listing) -> Preset | None:
    """The kind a server gives itself away as; None when it does not."""

    def is_marked(preset: Preset) -> bool:
        by_header = preset.header and any(name.startswith(preset.header) for name in found.headers)
        return preset.owned_by in found.owners or bool(by_header)

    return next(filter(is_marked, presets()), None)


def _usual_at(port: int) -> Preset | None:
    """The kind that a port alone suggests; ports that anything may use suggest nothing."""
    return next((preset for preset in presets() if preset.port == port and port in _TELLING_PORTS), None)
