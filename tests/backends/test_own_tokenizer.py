"""A backend's own tokenizer: the shapes of llama.cpp, vLLM and SGLang, and words for everything else."""

from __future__ import annotations

from typing import Any

import pytest

from lib.backends.own_tokenizer import NoTokenizer, OwnTokens, own_tokens, tokenize_url
from lib.backends.policy import AddressRefused, Policy
from tests.backends.small_server import serving

TEXT = "Hello 灯, then"
KEY = "sk-tokenize-0123456789"


def answering(value: Any, status: int = 200, refuses: tuple[str, ...] = ()) -> Any:
    def answer(handler: Any, asked: Any) -> None:
        said = dict(asked.body)
        wrong = [name for name in refuses if name in said]
        handler.answer({"error": f"unknown field {wrong}"} if wrong else value, 422 if wrong else status)

    return serving({"POST /tokenize": answer})


def asked_of(server: Any, text: str = TEXT, key: str = "") -> OwnTokens:
    return own_tokens(server.base_url, "small", key, text)


def test_llama_cpp_tells_pieces_as_text_and_as_bytes() -> None:
    tokens = [
        {"id": 1, "piece": "Hello"}, {"id": 2, "piece": [32, 231, 129]}, {"id": 3, "piece": [175]},
        {"id": 4, "piece": ","}, {"id": 5, "piece": " then"},
    ]  # fmt: skip
    with answering({"tokens": tokens}) as server:
        found = asked_of(server)
    assert found.count == 5
    assert found.pieces == (b"Hello", b" \xe7\x81", b"\xaf", b",", b" then")


@pytest.mark.parametrize(
    "strings",
    [
        ["Hello", "Ġç", "ģ¯", ",", "Ġthen"],
        ["▁Hello", "▁", "<0xE7>", "<0x81>", "<0xAF>", ",", "▁then"],
        ["Hello", " 灯", ", then"],
    ],
    ids=["letters for bytes", "bars for blanks", "plain"],
)
def test_vllm_tells_strings_of_its_vocabulary_that_are_turned_into_the_text(strings: list[str]) -> None:
    with answering({"count": len(strings), "tokens": list(range(len(strings))), "token_strs": strings}) as server:
        found = asked_of(server)
    assert found.count == len(strings)
    assert found.pieces is not None
    assert b"".join(found.pieces).decode() == TEXT
    assert len(found.pieces) == len(strings)


@pytest.mark.parametrize(
    "answer",
    [
        {"tokens": [7, 8, 9], "count": 3, "max_model_len": 4096},
        {"tokens": [{"id": 1, "piece": "Some"}, {"id": 2, "piece": " other"}, {"id": 3, "piece": " text"}]},
        {"tokens": [1, 2, 3], "token_strs": ["Hello", "??", None]},
    ],
    ids=["numbers only", "pieces of another text", "broken strings"],
)
def test_pieces_that_are_not_the_text_are_left_out_and_the_count_stays(answer: Any) -> None:
    with answering(answer) as server:
        assert asked_of(server) == OwnTokens(3, None)


@pytest.mark.parametrize("refused", [("content",), ("prompt",)], ids=["as vLLM would", "as llama.cpp would"])
def test_a_server_that_refuses_fields_it_does_not_know_is_asked_in_its_own_form(refused: tuple[str, ...]) -> None:
    with answering({"tokens": [1, 2]}, refuses=refused) as server:
        assert asked_of(server).count == 2


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        ({"error": "no"}, 404, "no /tokenize"), ({"error": "no"}, 500, "HTTP 500"), (b"<html>", 200, "not a list"),
        ({"tokens": "many"}, 200, "not a list"), ({"tokens": []}, 200, "not a list"), ([1, 2], 200, "not a list"),
    ],
)  # fmt: skip
def test_whatever_else_comes_is_told_in_words(answer: Any, status: int, words: str) -> None:
    with answering(answer, status) as server, pytest.raises(NoTokenizer, match=words):
        asked_of(server)


def test_a_server_that_is_not_there_is_told_without_the_key() -> None:
    with pytest.raises(NoTokenizer) as caught:
        own_tokens("http://127.0.0.1:9/v1", "small", KEY, TEXT)
    assert KEY not in str(caught.value)


def test_an_address_that_the_policy_forbids_is_not_asked() -> None:
    closed = Policy(loopback_only_server=False, custom_addresses=True)
    with answering({"tokens": [1]}) as server, pytest.raises(AddressRefused):
        own_tokens(server.base_url, "small", "", TEXT, policy=closed)


@pytest.mark.parametrize(
    ("base_url", "wanted"),
    [
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/tokenize"),
        ("https://host/llama/v1/", "https://host/llama/tokenize"),
        ("https://host/api?x=1", "https://host/api/tokenize"),
    ],
)
def test_a_server_tokenises_beside_its_v1(base_url: str, wanted: str) -> None:
    assert tokenize_url(base_url) == wanted
