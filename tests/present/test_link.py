"""The link to a race: it holds what the race was asked with, reads back as that, and never holds a key."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

import pytest

from lib.domain.run import Backend, Mode, Params, Prompt, Run
from lib.present.link import asked, link, private_lanes, query_of

PARAMS = Params(max_tokens=300, temperature=0.7, top_p=0.9, seed=7, stop=("END", "##"), reasoning_effort="low",
                extra_body={"api_key": "sk-secret"})  # fmt: skip
BACKENDS = (
    Backend("ghost:750:120", "G", "http://10.0.0.1/v1", "m"),
    Backend("sol", "Sol", "http://h/v1", "m"),
)
RUN = Run("r", Prompt("Why? 1+1 & 2=3\n漢字", "Be brief."), PARAMS, Mode.BY_BACKEND, BACKENDS)


def read_back(address: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(address).query, keep_blank_values=True))


def test_a_link_reads_back_as_the_race_it_was_made_of() -> None:
    query = query_of(RUN, "en")
    back = read_back(link("http://host:8501/base/history?kept=x#y", query))
    assert back == query
    assert back["lineup"] == "ghost:750:120,sol"
    assert back["prompt"] == RUN.prompt.text
    assert asked(back) == {
        "max_tokens": 300, "reader": "en", "mode": "by backend", "temperature": 0.7, "top_p": 0.9, "seed": 7,
        "effort": "low", "stop": "END\n##", "system": "Be brief.",
    }  # fmt: skip


def test_a_link_leads_to_the_race_page_under_the_same_base_path() -> None:
    assert link("https://host/base/history?kept=x", {"a": "b"}) == "https://host/base/?a=b"
    assert link("http://host:8501/?run=x", {"a": "b"}) == "http://host:8501/?a=b"


def test_a_link_holds_neither_addresses_nor_free_fields_nor_earlier_words() -> None:
    told = replace(RUN, prompt=replace(RUN.prompt, history=(("user", "earlier"),)))
    written = link("http://host/", query_of(told, None))
    for secret in ("sk-secret", "10.0.0.1", "earlier", "api_key"):
        assert secret not in written


def test_backends_typed_in_a_visit_are_left_out_and_named() -> None:
    own = replace(RUN, backends=(*BACKENDS, Backend("own-1", "Mine", "http://h/v1", "m")))
    assert "own-1" not in query_of(own, None)["lineup"]
    assert private_lanes(own) == ["Mine"]
    assert private_lanes(replace(RUN, backends=(Backend("own-brand", "B", "http://h", "m"),))) == []


def test_what_is_not_set_is_not_in_the_link() -> None:
    plain = replace(RUN, params=Params(max_tokens=None), prompt=Prompt("Hi"))
    assert query_of(plain, None) == {"lineup": "ghost:750:120,sol", "prompt": "Hi", "mode": "by backend"}


@pytest.mark.parametrize(
    ("name", "text"),
    [("max_tokens", "0"), ("max_tokens", "many"), ("max_tokens", "99999"), ("temperature", "3"), ("seed", "-1"),
     ("temperature", "nan"), ("reader", "klingon"), ("mode", "at random"), ("effort", "huge"), ("own_speed", "2")],
)  # fmt: skip
def test_a_value_that_cannot_be_used_is_left_out(name: str, text: str) -> None:
    assert asked({name: text, "max_tokens": "64"} if name != "max_tokens" else {name: text}) in (
        {"max_tokens": 64},
        {},
    )
    assert name not in asked({name: text})


def test_an_own_reading_speed_travels_along() -> None:
    assert asked(query_of(RUN, "own", 310.0))["own_speed"] == 310
