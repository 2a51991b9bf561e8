"""Which field of a chunk carries visible thinking: one small raw stream, since the recording unifies them all.

Used by the probe only; nothing here is timed.
"""

from __future__ import annotations

import ssl
from typing import Any
from urllib.parse import urlsplit

import httpx2
import orjson

from lib.collector.address import is_local
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
            return next(filter(None, map(_field_of, response.iter_lines())), "")
    except (httpx2.HTTPError, UnicodeError):
        return ""


def _field_of(line: str) -> str:
    """The field that one line of the stream shows thinking in."""
    try:
        choices = orjson.loads(line.removeprefix("data:").strip())["choices"]
        delta: Any = choices[0]["delta"]
    except (ValueError, KeyError, IndexError, TypeError):
        return ""
    if not isinstance(delta, dict):
        return ""
    named = next((name for name in _FIELDS if delta.get(name)), "")
    if named:
        return named
    content = delta.get("content")
    if isinstance(content, list):
        return "content (parts)"
    return "content (tags)" if isinstance(content, str) and "<think" in content else ""
