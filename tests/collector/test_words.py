"""Addresses, errors, waits and keys: what a person typed and what a server said, made sense of."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lib.collector.address import AddressError, clean, is_local
from lib.collector.errors import is_web_page, kind_of_status, message_of_body, refused_parameter
from lib.collector.redact import HIDDEN, redact, redactor
from lib.collector.retrying import retry_after_s, wait_before
from lib.domain.failures import FAILURES

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("https://api.example.com/v1", "https://api.example.com/v1"),
        ("  https://api.example.com/v1//  ", "https://api.example.com/v1"),
        ("https://api.example.com//v1/chat/completions", "https://api.example.com/v1"),
        ("api.example.com/v1", "https://api.example.com/v1"),
        ("localhost:8080/v1", "http://localhost:8080/v1"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://[::1]:8080/v1/", "http://[::1]:8080/v1"),
        (
            "https://x.openai.azure.com/openai/v1?api-version=1",
            "https://x.openai.azure.com/openai/v1?api-version=1",
        ),
    ],
)
def test_an_address_is_cleaned(typed: str, meant: str) -> None:
    assert clean(typed) == meant


@pytest.mark.parametrize(
    "typed", ["", "   ", "http://", "ftp://host/v1", "http://a b/v1", "http://host:port/v1"]
)
def test_what_is_no_address_is_refused_in_words(typed: str) -> None:
    with pytest.raises(AddressError, match="address"):
        clean(typed)


def test_private_hosts_are_local() -> None:
    assert [
        is_local(f"http://{host}/v1")
        for host in ("localhost", "10.1.2.3", "192.168.0.9", "[::1]", "box.local")
    ] == [True] * 5
    assert not is_local("https://api.example.com/v1")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"error": {"message": "No quota"}}', "No quota"),
        ('{"error": "plain"}', "plain"),
        ('{"detail": "why"}', "why"),
        ('{"detail": [{"loc": ["body", "n"], "msg": "bad"}]}', "body.n: bad"),
        ('{"message": "m"}', "m"),
        ("<html><script>x()</script><h1>502 Bad</h1></html>", "502 Bad"),
        ("just text", "just text"),
        ("", ""),
    ],
)
def test_the_servers_sentence_is_found_in_any_shape(body: str, said: str) -> None:
    assert message_of_body(body) == said


def test_every_status_has_a_failure_to_tell() -> None:
    assert {kind_of_status(status) for status in range(300, 600)} <= FAILURES.keys()


def test_a_web_page_is_told_from_an_answer() -> None:
    assert is_web_page(b"\n<!DOCTYPE html><html>")
    assert not is_web_page(b'{"choices": []}')


@pytest.mark.parametrize(
    ("body", "sent", "found"),
    [
        ("Unknown field stream_options", {"stream_options": 1}, ("stream_options", None)),
        ('{"detail":[{"loc":["body","stream_options"]}]}', {"stream_options": 1}, ("stream_options", None)),
        ("use 'max_completion_tokens'", {"max_tokens": 1}, ("max_tokens", "max_completion_tokens")),
        ('{"error":{"message":"no","param":"temperature"}}', {"temperature": 1}, ("temperature", None)),
        ("temperature is not supported", {"temperature": 1}, ("temperature", None)),
        ("the room has a temperature", {"temperature": 1}, None),
        ("Unknown field stream_options", {}, None),
    ],
)
def test_the_refused_parameter_is_named(body: str, sent: dict[str, object], found: object) -> None:
    assert refused_parameter(400, body, sent) == found
    assert refused_parameter(500, body, sent) is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:09 GMT"}, 9.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, NOW) == seconds


def test_waits_grow_stay_under_the_cap_and_end() -> None:
    assert wait_before(1, 429, 3.0, 3, 30.0, 0.5) == 3.0
    assert wait_before(1, 429, 3600.0, 3, 30.0, 0.5) is None
    assert wait_before(3, 429, 1.0, 3, 30.0, 0.5) is None
    assert wait_before(1, 500, 1.0, 3, 30.0, 0.5) is None
    assert [wait_before(n, 503, None, 9, 30.0, 0.5) for n in (1, 2, 3)] == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    "key", ["sk-abcdefgh12345678", "plain-key-without-shape", "schlüssel-ñ-1234", "sk-trailing-cr\r"]
)
def test_a_key_is_hidden_in_every_form_it_may_come_back_in(key: str) -> None:
    pattern = redactor(key)
    for form in (
        key,
        key.strip(),
        repr(key),
        f"Bearer {key}",
        key.encode("ascii", "backslashreplace").decode(),
    ):
        hidden = redact(f"refused: {form}!", pattern)
        assert key.strip() not in hidden
        assert HIDDEN in hidden


def test_a_key_of_another_visitor_is_hidden_by_its_shape() -> None:
    assert (
        redact("Incorrect key sk-proj-1234567890abcdef given", redactor(""))
        == f"Incorrect key {HIDDEN} given"
    )
