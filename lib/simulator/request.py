"""What was asked: the body of POST /v1/chat/completions, checked as OpenAI checks it.

Parameters that cannot change a simulated answer (temperature, tools, response_format, ...) are accepted;
temperature and top_p are checked for their range. Everything refused raises ApiError.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from lib.simulator.errors import ApiError, bad_parameter
from lib.simulator.faults import Wish, parse_wish

EFFORT_TOKENS = {
    "none": 0, "minimal": 0, "low": 80, "medium": 160, "high": 320, "xhigh": 480, "max": 640,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One valid request. `model` is the name as asked, `base_model` the same without a fault suffix."""

    model: str
    base_model: str
    messages: tuple[tuple[str, str], ...]  # role, text
    stream: bool
    include_usage: bool
    max_tokens: int | None
    stop: tuple[str, ...]
    seed: int | None
    thinking_tokens: int | None  # None: as the profile says
    ignore_eos: bool  # as vLLM and llama.cpp: go on to max_tokens
    wish: Wish

    @property
    def prompt(self) -> str:
        """The last message of the user, else the last message."""
        asked = [text for role, text in self.messages if role == "user"]
        return asked[-1] if asked else self.messages[-1][1]


def parse_request(body: bytes) -> ChatRequest:
    """The request in a body. Raises ApiError 400 that names the parameter at fault."""
    try:
        values = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise ApiError(400, f"We could not parse the JSON body of your request: {error}") from error
    if not isinstance(values, dict):
        raise ApiError(400, "The body must be a JSON object")
    model = values.get("model")
    if not isinstance(model, str) or not model:
        raise ApiError(400, "you must provide a model parameter", param="model")
    for name, top in (("temperature", 2), ("top_p", 1)):
        _number_within(values, name, top)
    if values.get("n") not in (None, 1):
        raise bad_parameter("n", "only one choice is simulated")
    stream = _flag(values, "stream")
    base_model, wish = parse_wish(model, values.get("simulator"))
    return ChatRequest(
        model=model,
        base_model=base_model,
        messages=_messages(values.get("messages")),
        stream=stream,
        include_usage=_include_usage(values, stream),
        max_tokens=_max_tokens(values),
        stop=_stop(values.get("stop")),
        seed=_integer(values, "seed"),
        thinking_tokens=_thinking_tokens(values.get("reasoning_effort")),
        ignore_eos=_flag(values, "ignore_eos"),
        wish=wish,
    )


def _messages(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, list) or not value:
        raise bad_parameter("messages", "expected a list with at least one message")
    return tuple(_message(index, message) for index, message in enumerate(value))


def _message(index: int, message: Any) -> tuple[str, str]:
    where = f"messages[{index}]"
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise bad_parameter(where, "expected an object with a role and a content")
    content = message.get("content")
    if content is None:
        content = ""
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    if not isinstance(content, str):
        raise bad_parameter(f"{where}.content", "expected a string or a list of parts")
    return message["role"], content


def _include_usage(values: Mapping[str, Any], stream: bool) -> bool:
    options = values.get("stream_options")
    if options is None:
        return False
    if not stream:
        words = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
        raise ApiError(400, words, param="stream_options")
    if not isinstance(options, dict):
        raise bad_parameter("stream_options", "expected an object")
    return _flag(options, "include_usage", "stream_options.")


def _max_tokens(values: Mapping[str, Any]) -> int | None:
    for name in ("max_completion_tokens", "max_tokens"):
        number = _integer(values, name)
        if number is not None:
            if number < 1:
                raise bad_parameter(name, "expected an integer of at least 1")
            return number
    return None


def _stop(value: Any) -> tuple[str, ...]:
    stops = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(stops, list) or not all(isinstance(text, str) and text for text in stops):
        raise bad_parameter("stop", "expected a string or a list of strings, none of them empty")
    if len(stops) > 4:
        raise bad_parameter("stop", "expected at most 4 strings")
    return tuple(stops)


def _thinking_tokens(effort: Any) -> int | None:
    if effort is None:
        return None
    if not isinstance(effort, str) or effort not in EFFORT_TOKENS:
        raise bad_parameter("reasoning_effort", f"expected one of {', '.join(EFFORT_TOKENS)}")
    return EFFORT_TOKENS[effort]


def _flag(values: Mapping[str, Any], name: str, prefix: str = "") -> bool:
    value = values.get(name)
    if value is not None and not isinstance(value, bool):
        raise bad_parameter(prefix + name, "expected true or false")
    return bool(value)


def _integer(values: Mapping[str, Any], name: str) -> int | None:
    value = values.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise bad_parameter(name, "expected an integer")
    return value


def _number_within(values: Mapping[str, Any], name: str, top: float) -> None:
    value = values.get(name)
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= top:
        raise bad_parameter(name, f"expected a number from 0 to {top}")
