"""The server as its clients see it: OpenAI's own SDK, and raw bytes where the framing matters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from lib.simulator.profiles import load_profiles
from lib.simulator.recordings import load_recordings
from lib.simulator.server import MAX_BODY_BYTES
from lib.tokens import count
from tests.simulator.conftest import Running
from tests.simulator.wire import QUICK, ask, exchange

MODEL = "gpt-4o-2026"


@pytest.fixture
def client(simulator: Running) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=simulator.base_url, api_key="any", max_retries=0) as client:
        yield client


def chat(client: openai.OpenAI, prompt: str = "lighthouse", **values: Any) -> Any:
    return client.chat.completions.create(
        model=values.pop("model", MODEL),
        messages=[{"role": "user", "content": prompt}],
        extra_body={"simulator": {**QUICK, **values.pop("simulator", {})}},
        **values,
    )


def test_openais_sdk_reads_a_stream(client: openai.OpenAI) -> None:
    chunks = list(chat(client, stream=True, max_tokens=50, stream_options={"include_usage": True}))
    text = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
    assert count(text) == 50
    assert {chunk.model for chunk in chunks} == {MODEL}
    assert {chunk.system_fingerprint for chunk in chunks} == {"simulated"}
    assert [c.finish_reason for chunk in chunks for c in chunk.choices if c.finish_reason] == ["length"]


def test_openais_sdk_reads_an_answer_in_one_piece(client: openai.OpenAI) -> None:
    whole = chat(client, max_tokens=50)
    streamed = chat(client, stream=True, max_tokens=50)
    text = "".join(choice.delta.content or "" for chunk in streamed for choice in chunk.choices)
    assert whole.choices[0].message.content == text
    assert whole.choices[0].finish_reason == "length"
    assert whole.usage.completion_tokens == 50
    assert whole.usage.total_tokens == whole.usage.prompt_tokens + 50


def test_models_are_all_profiles_and_recordings_each_with_its_origin(client: openai.OpenAI) -> None:
    origins = {model.id: (model.model_extra or {})["origin"] for model in client.models.list()}
    assert origins == {
        **{profile.id: "simulated" for profile in load_profiles()},
        **{recording.id: "recorded" for recording in load_recordings()},
    }


def test_one_model_can_be_asked_for(client: openai.OpenAI) -> None:
    assert client.models.retrieve("gpt4-tier-cloud").to_dict()["name"] == "GPT-4-class cloud"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("gpt-none")


def test_usage_comes_last_without_choices_and_only_when_asked_for(simulator: Running) -> None:
    asked = ask(simulator.port, max_tokens=9, stream_options={"include_usage": True})
    *others, last = asked.chunks
    assert asked.events[-1] == "[DONE]"
    assert (last["choices"], last["usage"]["completion_tokens"]) == ([], 9)
    assert all(chunk["usage"] is None for chunk in others)
    not_asked = ask(simulator.port, max_tokens=9)
    assert not any("usage" in chunk for chunk in not_asked.chunks)
    assert all(chunk["choices"] for chunk in not_asked.chunks)


def test_prompt_tokens_count_every_message_and_its_frame(simulator: Running) -> None:
    texts = ["You are brief.", "lighthouse"]
    messages = [{"role": "system", "content": texts[0]}, {"role": "user", "content": texts[1]}]
    got = ask(simulator.port, messages=messages, max_tokens=1, stream_options={"include_usage": True})
    assert got.chunks[-1]["usage"]["prompt_tokens"] == sum(count(text) + 4 for text in texts) + 3


def test_an_answer_without_a_limit_ends_by_itself(simulator: Running) -> None:
    got = ask(simulator.port)
    assert got.chunks[-1]["choices"][0]["finish_reason"] == "stop"
    assert got.text.endswith("stayed awake.")
    assert got.body_is_complete


def test_max_completion_tokens_is_the_limit_too(simulator: Running) -> None:
    assert count(ask(simulator.port, max_completion_tokens=12).text) == 12


def test_stop_ends_before_the_word(simulator: Running) -> None:
    got = ask(simulator.port, stop=[" picture"])
    assert got.text == "Welcome. Before you climb,"
    assert got.chunks[-1]["choices"][0]["finish_reason"] == "stop"


def test_ignore_eos_goes_on_to_max_tokens(simulator: Running) -> None:
    asked: dict[str, Any] = {
        "max_tokens": 5_000,
        "ignore_eos": True,
        "stream_options": {"include_usage": True},
    }
    assert ask(simulator.port, **asked).chunks[-1]["usage"]["completion_tokens"] == 5_000


def test_reasoning_effort_brings_visible_thinking_before_the_answer(simulator: Running) -> None:
    got = ask(simulator.port, reasoning_effort="low", stream_options={"include_usage": True})
    channels = [next(iter(delta)) for delta in got.deltas if delta and "role" not in delta]
    thinking = channels.count("reasoning_content")
    assert thinking >= 40
    assert channels == ["reasoning_content"] * thinking + ["content"] * (len(channels) - thinking)
    usage = got.chunks[-1]["usage"]
    assert usage["completion_tokens_details"]["reasoning_tokens"] >= 80
    assert usage["completion_tokens"] > usage["completion_tokens_details"]["reasoning_tokens"] + 400


def test_a_profile_that_always_thinks_thinks_unasked(simulator: Running) -> None:
    assert "reasoning_content" in ask(simulator.port, "claude-fable-5").deltas[1]
    assert "reasoning_content" not in ask(simulator.port, "claude-fable-5", reasoning_effort="none").deltas[1]


def test_tokens_per_chunk_are_those_of_the_profile_or_the_wish(simulator: Running) -> None:
    by_profile = ask(simulator.port, "gpt-5.6-sol-ultrafast", max_tokens=80)
    assert len([delta for delta in by_profile.deltas if delta.get("content")]) == 10
    wished = ask(simulator.port, "gpt-5.6-sol-ultrafast", max_tokens=80, simulator={"tokens_per_chunk": 1})
    assert len([delta for delta in wished.deltas if delta.get("content")]) == 80


def test_the_same_request_gets_the_same_events(simulator: Running) -> None:
    def said(**values: Any) -> list[str]:
        events = ask(simulator.port, max_tokens=60, **values).events
        return [re.sub(r'"id":"[^"]*"|"created":\d+', "", event) for event in events]

    assert said(seed=5) == said(seed=5)
    assert said() == said()


def test_several_requests_share_a_connection(simulator: Running) -> None:
    with openai.OpenAI(base_url=simulator.base_url, api_key="any", max_retries=0) as client:
        for _ in range(3):
            with client.chat.completions.with_streaming_response.create(
                model=MODEL, messages=[{"role": "user", "content": "tide"}], stream=True, max_tokens=5,
                extra_body={"simulator": QUICK},
            ) as response:  # fmt: skip
                assert response.headers.get("connection") != "close"
                assert "[DONE]" in response.read().decode()


def test_a_stream_says_headers_at_once_and_the_first_token_at_ttft(simulator: Running) -> None:
    got = ask(simulator.port, max_tokens=3, simulator={"ttft_ms": 700})
    assert b"data:" not in got.reads[0][1]
    assert got.reads[1][0] >= 0.7


def test_an_answer_in_one_piece_takes_as_long_as_its_stream(simulator: Running) -> None:
    asked: dict[str, Any] = {
        "max_tokens": 21,
        "simulator": {"ttft_ms": 200, "tok_s": 100, "tokens_per_chunk": 1},
    }
    got = ask(simulator.port, stream=False, **asked)
    assert got.reads[0][0] >= 0.4


def test_rates_on_the_wire_stand_to_each_other_as_set(simulator: Running) -> None:
    def duration_s(tok_s: float) -> float:
        speed = {"ttft_ms": 0, "tok_s": tok_s, "tokens_per_chunk": 1, "tokens": 401}
        reads = [at_s for at_s, data in ask(simulator.port, simulator=speed).reads if b'"content":"' in data]
        return reads[-1] - reads[0]

    assert duration_s(200) / duration_s(800) == pytest.approx(4, rel=0.2)


@pytest.mark.parametrize("content", [None, [{"type": "text", "text": "lighthouse"}], ""])
def test_contents_of_every_allowed_shape_are_understood(simulator: Running, content: Any) -> None:
    assert ask(simulator.port, messages=[{"role": "user", "content": content}], max_tokens=3).status == 200


@pytest.mark.parametrize(
    ("values", "param"),
    [
        ({"messages": []}, "messages"),
        ({"messages": "hello"}, "messages"),
        ({"messages": [{"content": "no role"}]}, "messages[0]"),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": "many"}, "max_tokens"),
        ({"max_completion_tokens": True}, "max_completion_tokens"),
        ({"temperature": 3}, "temperature"),
        ({"top_p": -0.1}, "top_p"),
        ({"n": 2}, "n"),
        ({"stop": ["a", "b", "c", "d", "e"]}, "stop"),
        ({"stop": [""]}, "stop"),
        ({"seed": 1.5}, "seed"),
        ({"stream": "yes"}, "stream"),
        ({"stream": False, "stream_options": {"include_usage": True}}, "stream_options"),
        ({"stream_options": {"include_usage": 1}}, "stream_options.include_usage"),
        ({"reasoning_effort": "enormous"}, "reasoning_effort"),
        ({"simulator": {"fault": "gremlins"}}, "simulator.fault"),
        ({"simulator": {"tok_s": 0}}, "simulator.tok_s"),
        ({"simulator": {"tempo": 1}}, "simulator.tempo"),
    ],
)
def test_a_wrong_parameter_is_refused_by_name(simulator: Running, values: dict[str, Any], param: str) -> None:
    got = ask(simulator.port, **values)
    error = json.loads(got.payload)["error"]
    assert (got.status, error["type"], error["param"]) == (400, "invalid_request_error", param)
    assert error["message"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"text"', b"\xff\xfe"])
def test_a_body_that_is_no_json_object_is_refused(simulator: Running, body: bytes) -> None:
    got = exchange(simulator.port, "POST", "/v1/chat/completions", body)
    assert got.status == 400
    assert json.loads(got.payload)["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize("model", ["human-silent-en", "gpt-none", "gpt-none+cut"])
def test_an_unknown_model_is_not_found(simulator: Running, model: str) -> None:
    got = ask(simulator.port, model)
    assert (got.status, json.loads(got.payload)["error"]["code"]) == (404, "model_not_found")


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/v2", 404), ("GET", "/v1/chat/completions", 405)]
)
def test_a_wrong_address_is_refused_in_the_same_shape(
    simulator: Running, method: str, path: str, status: int
) -> None:
    got = exchange(simulator.port, method, path)
    assert got.status == status
    assert path in json.loads(got.payload)["error"]["message"]


def test_a_body_beyond_the_limit_is_refused_in_the_same_shape(simulator: Running) -> None:
    got = ask(simulator.port, prompt="x" * MAX_BODY_BYTES)
    assert (got.status, json.loads(got.payload)["error"]["type"]) == (413, "invalid_request_error")


def test_the_root_explains_the_server(simulator: Running) -> None:
    page = exchange(simulator.port, "GET", "/").payload.decode()
    assert "curl" in page
    assert "malformed_frame" in page
