"""Which field of a chunk carries visible thinking: one small raw stream, since the recording unifies them all.

Used by the probe only; nothing here is timed.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

import httpx2
import orjson

from lib.collector.address import is_local
from lib.collector.thinking import OPENING
from lib.domain.run import Backend, Limits

MAX_TOKENS = 16
TIMEOUT_S = 30.0
_FIELDS = ("reasoning_content", "reasoning", "thinking", "reasoning_text")


def thinking_field(backend: Backend, key: str, limits: Limits) -> str:
    """The name of the field, "content (tags)" for text between tags, or an empty text when it was not seen."""
    body = {
        "model": backend.model, "stream": True, "max_tokens": MAX_TOKENS,
        "messages": [{"role": "user", "content": "What is 17 times 3?"}], **backend.extra_body,
    }  # fmt: skip
    headers = {"Authorization": f"Bearer {key.strip() or 'none'}", "Accept-Encoding": "identity"}
    if limits.allowed_hosts is not None:
        return ""  # a stranger's address: the collector alone connects there, to an address it has looked at
    parts = urlsplit(backend.base_url)
    url = parts._replace(path=parts.path + "/chat/completions").geturl()
    try:
        with (
            httpx2.Client(
                trust_env=not is_local(url),
                follow_redirects=False,
                verify=ssl.create_default_context(),
                timeout=TIMEOUT_S,
            ) as client,
            client.stream("POST", url, json=body, headers=headers) as response,
        ):
            return _field_in(response.iter_lines())
    except (httpx2.HTTPError, UnicodeError):
        return ""


def _field_in(lines: Iterable[str]) -> str:
    """The first field that shows thinking; tags may be spread over several chunks."""
    text = ""
    for delta in filter(None, map(_delta_of, lines)):
        named = next((name for name in _FIELDS if delta.get(name)), "")
        if named:
            return named
        content = delta.get("content")
        if isinstance(content, list):
            return "content (parts)"
        text += content if isinstance(content, str) else ""
        if any(tag in text for tag in OPENING):
            return "content (tags)"
    return ""


def _delta_of(line: str) -> dict[str, Any]:
    """The delta of the first choice in one line of the stream; empty when there is none."""
    try:
        delta = orjson.loads(line.removeprefix("data:").strip())["choices"][0]["delta"]
    except (ValueError, KeyError, IndexError, TypeError):
        return {}
    return delta if isinstance(delta, dict) else {}
