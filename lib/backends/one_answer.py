"""One HTTP request and its whole answer, for what is asked beside a race: lists of models, tokenizers.

No redirect is followed, no proxy is used for a pinned or local address, and an answer may neither be endless nor
slow. Streams are the collector's.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx2
import orjson

from lib.collector.address import is_local

MOST_BYTES = 8 * 1024 * 1024


def one_answer(
    url: str, key: str, timeout_s: float, pinned: tuple[str, ...], body: Mapping[str, Any] | None = None
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers (names in lower case) and body of a GET, or of a POST of `body` as JSON.

    With `pinned` the connection goes to that address. Raises httpx2.HTTPError, httpx2.InvalidURL, OSError.
    """
    headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    if body is not None:
        headers["Content-Type"] = "application/json"
    url, extensions = _pin(url, pinned, headers)
    until = time.monotonic() + timeout_s
    direct = bool(pinned) or is_local(url)
    content = None if body is None else orjson.dumps(body)
    with (
        httpx2.Client(
            trust_env=not direct,
            follow_redirects=False,
            verify=ssl.create_default_context(),
            timeout=timeout_s,
        ) as client,
        client.stream(
            "GET" if body is None else "POST", url, headers=headers, content=content, extensions=extensions
        ) as response,
    ):
        answer = b""
        for piece in response.iter_bytes():
            answer += piece
            if len(answer) > MOST_BYTES or time.monotonic() > until:
                raise httpx2.ReadTimeout("the answer is too long, or too slow")
        return response.status_code, {k.lower(): v for k, v in response.headers.items()}, answer


def _pin(url: str, pinned: tuple[str, ...], headers: dict[str, str]) -> tuple[str, dict[str, Any]]:
    """The URL with the pinned address in place of its host, which stays in the headers and in TLS."""
    if not pinned:
        return url, {}
    parts = urlsplit(url)
    headers["Host"] = parts.netloc
    address = f"[{pinned[0]}]" if ":" in pinned[0] else pinned[0]
    netloc = address if parts.port is None else f"{address}:{parts.port}"
    return parts._replace(netloc=netloc).geturl(), {"sni_hostname": parts.hostname or ""}
