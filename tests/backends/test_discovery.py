"""Finding local servers: known ports of this machine, and what kind answers there."""

from __future__ import annotations

import socket
from dataclasses import replace
from typing import Any

import pytest

from lib.backends import discovery
from lib.backends.discovery import known_ports, local_servers
from lib.backends.presets import preset, presets
from tests.backends.small_server import models, serving


@pytest.mark.parametrize(
    ("owner", "headers", "kind"),
    [
        ("llamacpp", {}, "llamacpp"), ("library", {}, "ollama"), ("vllm", {}, "vllm"), ("sglang", {}, "sglang"),
        ("organization_owner", {}, "lmstudio"), ("openai", {"X_Litellm_Version": "1.80"}, "litellm"),
        ("somebody", {}, None),
    ],
)  # fmt: skip
def test_a_server_is_known_by_what_it_says(owner: str, headers: dict[str, str], kind: str | None) -> None:
    with serving({"GET /v1/models": models("b", "a", owner=owner, **headers)}) as server:
        (found,) = local_servers(ports=[server.port])
    assert found.base_url == server.base_url
    assert found.models == ("a", "b")
    assert (found.preset.id if found.preset else None) == kind


def test_a_telling_port_is_enough_where_a_server_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving({"GET /v1/models": models("a", owner="somebody")}) as server:
        for name, telling in (("lmstudio", server.port), (None, 1)):
            known = replace(preset("lmstudio"), port=server.port)  # type: ignore[type-var]
            monkeypatch.setattr(discovery, "presets", lambda known=known: (known,))
            monkeypatch.setattr(discovery, "_TELLING_PORTS", (telling,))
            (found,) = local_servers(ports=[server.port])
            assert (found.preset.id if found.preset else None) == name


def test_a_server_that_wants_a_key_is_found_without_its_models() -> None:
    locked = {"GET /v1/models": lambda handler, _asked: handler.answer({"error": "key?"}, 401)}
    with serving(locked) as server:  # type: ignore[arg-type]
        (found,) = local_servers(ports=[server.port])
    assert (found.needs_key, found.models) == (True, ())


@pytest.mark.parametrize("answer", [b"<html>a page</html>", b"nothing", {"hello": 1}])
def test_another_kind_of_server_is_not_offered(answer: Any) -> None:
    with serving({"GET /v1/models": lambda handler, _asked: handler.answer(answer)}) as server:
        assert local_servers(ports=[server.port]) == []


def test_a_port_where_nothing_listens_or_nothing_answers_costs_little_and_finds_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.create_server(("127.0.0.1", 0)) as closed:
        gone = closed.getsockname()[1]
        closed.close()
        assert local_servers(0.1, ports=[silent.getsockname()[1], gone]) == []


def test_every_known_port_is_looked_at_on_this_machine_only(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[tuple[str, int]] = []

    def connect(place: tuple[str, int], timeout: float) -> Any:
        looked.append(place)
        raise ConnectionRefusedError

    monkeypatch.setattr(discovery.socket, "create_connection", connect)
    assert local_servers() == []
    assert {host for host, _ in looked} == {"127.0.0.1", "::1"}
    assert {port for _, port in looked} == set(known_ports())
    assert {preset.port for preset in presets() if preset.port} <= set(known_ports())


def test_no_port_is_no_server() -> None:
    assert local_servers(ports=[]) == []
