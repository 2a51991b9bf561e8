"""The list of models: every shape met in the field, and words for everything else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lib.backends.models import ModelsUnavailable, list_models, listing, models_url
from tests.backends.small_server import models, serving

KEY = "sk-models-0123456789"


def answering(value: Any, status: int = 200, **headers: str) -> Any:
    return serving({"GET /v1/models": lambda handler, _asked: handler.answer(value, status, **headers)})


@pytest.mark.parametrize(
    "answer",
    [
        {"object": "list", "data": [{"id": "b"}, {"id": "a"}, {"id": "a"}]},
        {"data": [{"id": "b"}, {"id": None}, {}, None, {"id": "a"}]},
        {"models": [{"name": "b", "model": "b"}, {"model": "a"}]},
        [{"id": "b"}, {"name": "a"}],
        ["b", "a"],
    ],
    ids=["openai", "with holes", "ollama tags", "bare list of objects", "bare list of names"],
)
def test_the_names_are_found_in_every_shape_and_sorted(answer: Any) -> None:
    with answering(answer) as server:
        assert list_models(server.base_url, "") == ["a", "b"]


def test_an_empty_list_is_a_list() -> None:
    with answering({"data": []}) as server:
        assert list_models(server.base_url, "") == []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"error": "x"}, "not a list of models"), (b"<html><body>hello</body></html>", "web page"),
        (b"Ollama is running", "not JSON"), ("text", "not a list of models"),
    ],
)  # fmt: skip
def test_what_is_no_list_is_told(answer: Any, words: str) -> None:
    with answering(answer) as server, pytest.raises(ModelsUnavailable, match=words):
        list_models(server.base_url, "")


def test_an_error_is_told_in_the_servers_words_with_its_status() -> None:
    with (
        answering({"error": {"message": "Invalid key"}}, 401) as server,
        pytest.raises(ModelsUnavailable) as caught,
    ):
        list_models(server.base_url, KEY)
    assert (str(caught.value), caught.value.status) == ("Invalid key", 401)


def test_the_key_goes_as_a_header_and_comes_back_in_no_words() -> None:
    repeats = {"GET /v1/models": lambda handler, asked: handler.answer(
        {"error": {"message": f"bad key {asked.headers['authorization']}"}}, 401)}  # fmt: skip
    with serving(repeats) as server, pytest.raises(ModelsUnavailable) as caught:  # type: ignore[arg-type]
        list_models(server.base_url, f" {KEY}\n")
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(caught.value)


def test_a_key_that_cannot_be_sent_is_told_without_it() -> None:
    with answering({"data": []}) as server, pytest.raises(ModelsUnavailable) as caught:
        list_models(server.base_url, "ключ-0123456789")
    assert "ключ" not in str(caught.value)


def test_a_redirect_is_not_followed_but_told() -> None:
    with serving({"GET /v1/models": models("m")}) as inner:
        with (
            answering(b"", 302, Location=f"{inner.base_url}/models") as outer,
            pytest.raises(ModelsUnavailable, match=f"redirects to {inner.base_url}"),
        ):
            list_models(outer.base_url, KEY)
        assert inner.asked == []


def test_nobody_there_is_told() -> None:
    with serving({}) as server:
        gone = server.base_url
    with pytest.raises(ModelsUnavailable, match="No answer"):
        list_models(gone, "", 2.0)


def test_a_list_without_end_is_given_up() -> None:
    def endless(handler: Any, _asked: Any) -> None:
        handler.answer(json.dumps({"data": [{"id": "m"}], "more": "x" * 9_000_000}).encode())

    with serving({"GET /v1/models": endless}) as server, pytest.raises(ModelsUnavailable, match="too long"):
        list_models(server.base_url, "")


def test_owners_and_headers_are_kept_for_discovery() -> None:
    with serving({"GET /v1/models": models("m", owner="vllm", X_Odd="yes")}) as server:
        found = listing(server.base_url, "")
    assert found.owners == {"vllm"}
    assert found.headers["x-odd"] == "yes"


def test_a_query_of_the_address_stays_behind_the_path() -> None:
    assert models_url("https://h/v1?api-version=1") == "https://h/v1/models?api-version=1"
    assert models_url("https://h/v1/") == "https://h/v1/models"


@pytest.mark.parametrize(("host", "is_certified"), [("named.example", True), ("other.example", False)])
def test_a_checked_address_is_called_under_its_name_and_the_certificate_must_be_that_names(
    monkeypatch: pytest.MonkeyPatch, certificate: Path, host: str, is_certified: bool
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setattr("lib.backends.models.checked", lambda _url, _policy: ("127.0.0.1",))
    with serving({"GET /v1/models": models("m")}, certificate) as server:
        url = f"https://{host}:{server.port}/v1"
        if is_certified:
            assert list_models(url, "") == ["m"]
            assert server.asked[0].headers["host"] == f"{host}:{server.port}"
        else:
            with pytest.raises(ModelsUnavailable, match="ertificate"):
                list_models(url, "")
