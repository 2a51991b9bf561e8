"""From an exception or an error body to a kind of `lib.domain.failures` and the server's own words."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import orjson

MAX_ERROR_BODY = 16_384  # characters that are looked at
MAX_DEPTH = 8
MAX_MESSAGE = 500  # characters; cut only after keys were hidden, or half a key would stay
_TAGS = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_STATUS_OF_AIOHTTP = re.compile(r"^400, message[:=]\s*")  # its own, not one that came over the wire
_PLAINLY = {  # what the transport says of a cut, in words for people
    "Not enough data": "The server closed the connection in the middle of the stream.",
    "Server disconnected": "The server closed the connection without an answer.",
    "Connection reset": "The server reset the connection.",
}
_BY_STATUS = {401: "auth", 403: "auth", 404: "not_found", 408: "server_error", 429: "rate_limited"}


def kind_of_status(status: int) -> str:
    """The failure kind of an HTTP status that is not 200."""
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if 300 <= status < 400:
        return "not_found"
    return "bad_request" if status < 500 else "server_error"


def message_of_body(body: bytes | str) -> str:
    """What an error body says in plain words: `error`, `detail`, `message` in any shape, else its text."""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    try:
        said = message_of(json.loads(text))
    except (ValueError, RecursionError):
        said = ""
    return said or _plain(text)


def message_of(value: Any, depth: int = MAX_DEPTH) -> str:
    """The human sentence inside a decoded error value, at most `depth` levels down, or an empty text."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and depth:
        return "; ".join(filter(None, (message_of(item, depth - 1) for item in value)))
    if not isinstance(value, dict) or not depth:
        return ""
    for field in ("error", "detail", "message", "msg"):
        if value.get(field):
            found = message_of(value[field], depth - 1)
            where = value.get("loc")
            return f"{'.'.join(map(str, where))}: {found}" if isinstance(where, list) else found
    return _as_json(value) if value else ""


def is_web_page(body: bytes) -> bool:
    """Whether a body is HTML rather than an answer of an API."""
    start = body.lstrip()[:200].lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<?xml")) or b"<html" in start


def kind_of_transport(error: BaseException, sent: bool, started: bool) -> tuple[str, str]:
    """(kind, message) of a failure below HTTP.

    `sent`: the request had been written; `started`: response headers had come.
    """
    chain = list(_chain(error))
    names = {type(link).__name__ for link in chain}
    said = next((str(link) for link in reversed(chain) if str(link)), type(error).__name__)
    if any(name.startswith(("BadStatusLine", "BadHttp", "InvalidHeader", "LineTooLong")) for name in names):
        return "bad_response", "What answered is not HTTP as it should be: " + _one_line(said)
    if "DecodingError" in names:
        return (
            "bad_response",
            "The answer was packed although it should not be, and could not be unpacked: " + said,
        )
    if not sent and isinstance(chain[-1], UnicodeError | ValueError):
        return "auth", "The key contains characters that cannot be sent in a header."
    if started or sent:
        return "connection_lost", next((plain for raw, plain in _PLAINLY.items() if raw in said), said)
    if any("Certificate" in name or "SSL" in name for name in names):
        return "connect", f"TLS: {said}"
    if any("DNS" in name or name == "gaierror" for name in names):
        return "connect", f"The name could not be resolved: {said}"
    if "ConnectionRefusedError" in names:
        return "connect", "Connection refused: nothing listens at this address."
    if any("Timeout" in name for name in names):
        return "connect", "No answer from the address within the connect limit."
    return "connect", said


def refused_parameter(status: int, body: str, sent: dict[str, Any]) -> tuple[str, str | None] | None:
    """(parameter, its other name or None) that a 400 or 422 body names as the reason, if we sent it."""
    if status not in (400, 422):
        return None
    low = body.lower()
    if "stream_options" in sent and ("stream_options" in low or "include_usage" in low):
        return "stream_options", None
    if "max_tokens" in sent and "max_completion_tokens" in low:
        return "max_tokens", "max_completion_tokens"
    if "max_completion_tokens" in sent and "max_completion_tokens" in low:
        return "max_completion_tokens", "max_tokens"
    named = _named_parameter(body)
    for name in ("temperature", "top_p", "seed", "stop", "reasoning_effort"):
        if name in sent and (name == named or (named is None and name in low and _says_unsupported(low))):
            return name, None
    return None


def _named_parameter(body: str) -> str | None:
    try:
        error = orjson.loads(body).get("error")
        return error.get("param") if isinstance(error, dict) else None
    except (ValueError, AttributeError):
        return None


def _says_unsupported(text: str) -> bool:
    words = ("unsupported", "not support", "unknown", "unrecognized", "extra", "not permitted", "not allowed",
             "unexpected", "cannot be used")  # fmt: skip
    return any(word in text for word in words)


def _one_line(text: str) -> str:
    return " ".join(_STATUS_OF_AIOHTTP.sub("", text).replace("^", " ").split())


def _as_json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=True)
    except RecursionError:
        return ""


def _plain(text: str) -> str:
    return " ".join(html.unescape(_TAGS.sub(" ", text)).split())


def _chain(error: BaseException | None) -> list[BaseException]:
    links: list[BaseException] = []
    while error is not None and error not in links:
        links.append(error)
        error = error.__cause__ or error.__context__
    return links
