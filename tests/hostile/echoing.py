"""A server that repeats the key it was given, each way in another place; and the search for what is left of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import quote

from tests.collector.wire_server import DONE, Request, Wire, WireServer, finished, frame, said, serving

PIECE = 9  # characters of a key that may appear nowhere
PLAIN = "tr-Zq7Wm4Xc9Rb2Kt5Vd8Gh"
SHAPED = "sk-hostile-9f8e7d6c5b4a39281706"
KEYS = {
    "plain": PLAIN,
    "with a carriage return": PLAIN + "\r",
    "with a character that cannot be sent": "tr-Zq7Wm4Xc9é" + "Rb2Kt5Vd8Gh",
    "with signs that are escaped": 'tr+Zq7"Wm4\\Xc9/Rb2&Kt5<Vd8=',
    "of a known shape": SHAPED,
}
Echo = Callable[[str, Wire], None]


def _error(status: str) -> Echo:
    def reply(key: str, wire: Wire) -> None:
        wire.head(status, "application/json")
        wire.send(json.dumps({"error": {"message": f"Not with {key}, nor Bearer {key}.", "param": key}}))

    return reply


def _cut_in_the_middle(key: str, wire: Wire) -> None:
    """The place where a message is cut falls into the key."""
    wire.head("401 Unauthorized", "application/json")
    wire.send(json.dumps({"error": {"message": "x" * 490 + key + "y" * 400}}))


def _page(key: str, wire: Wire) -> None:
    wire.head("502 Bad Gateway", "text/html")
    wire.send(f"<html><h1>502</h1><pre>authorization: Bearer {key}</pre></html>")


def _waiting(key: str, wire: Wire) -> None:
    wire.head("429 Too Many Requests", "application/json", Retry_After="0.05")
    wire.send(json.dumps({"error": f"Wait, {key}"}))


def _redirect(key: str, wire: Wire) -> None:
    wire.head("307 Temporary Redirect", Location=f"/v1/elsewhere?key={quote(key)}")


def _in_stream(key: str, wire: Wire) -> None:
    wire.head()
    wire.send(said("Some text. "), frame({"error": {"message": f"Lost {key}", "code": key}}))


def _error_event(key: str, wire: Wire) -> None:
    wire.head()
    wire.send(said("Some text. "), f"event: error\ndata: lost Bearer {key}\n\n")


def _headers(key: str, wire: Wire) -> None:
    wire.head("200 OK", f"text/event-stream; charset=utf-8; was={key}", X_Your_Key=key, Set_Cookie=f"k={key}")
    wire.send(said("Some text."), finished(), DONE)


def _status_line(key: str, wire: Wire) -> None:
    wire.send(f"HTTP/1.1 key {key}\r\n\r\n")


def _broken_head(key: str, wire: Wire) -> None:
    wire.send(f"HTTP/1.1 200 OK\r\nContent-Type text/event-stream {key}\r\n\r\n")


def _names(key: str, wire: Wire) -> None:
    wire.head()
    choice = {"index": 0, "delta": {"content": "Some text."}, "finish_reason": key}
    wire.send(frame({"model": key, "id": key, "choices": [choice]}), DONE)


def _reports(key: str, wire: Wire) -> None:
    wire.head()
    usage = {"completion_tokens": 3, "prompt_tokens": 2, "note": key, key: 1, "details": [{"who": key}]}
    wire.send(said("Some text."), frame({"choices": [], "usage": usage, "timings": {"key": key}}), DONE)


def _texts(key: str, wire: Wire) -> None:
    wire.head()
    call = {"index": 0, "function": {"name": f"use_{key}", "arguments": json.dumps({"key": key})}}
    delta = {
        "reasoning": f"The key is {key}. ",
        "content": f"Yours is {key}, or {key}.",
        "tool_calls": [call],
    }
    wire.send(frame({"choices": [{"index": 0, "delta": delta}]}), finished(), DONE)


def _thinking_tag(key: str, wire: Wire) -> None:
    wire.head()
    wire.send(said(f"<think>{key}"), said("</think>"), said(f"{key}"), finished(), DONE)


def _document(key: str, wire: Wire) -> None:
    wire.head("200 OK", "application/json")
    message = {"role": "assistant", "content": f"Yours is {key}."}
    wire.send(
        json.dumps({"model": key, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
    )


def _broken_frame(key: str, wire: Wire) -> None:
    wire.head()
    wire.send(said("Some text."), f'data: {{"choices": [{"x" * 95}{key}\n\n', finished(), DONE)


def _no_stream(key: str, wire: Wire) -> None:
    wire.head("200 OK", "text/plain")
    wire.send("y" * 190 + key + " is not welcome")


def _cut(key: str, wire: Wire) -> None:
    wire.head()
    wire.send(said(f"Yours is {key}."))
    wire.reset()


def _broken_chunking(key: str, wire: Wire) -> None:
    wire.head(Transfer_Encoding="chunked")
    wire.send(f"{key}\r\n", said("x"))


ECHOES: dict[str, Echo] = {
    "401": _error("401 Unauthorized"), "400": _error("400 Bad Request"), "404": _error("404 Not Found"),
    "500": _error("500 Internal Server Error"), "message-cut-in-the-key": _cut_in_the_middle,
    "error-page": _page, "429": _waiting, "redirect": _redirect, "error-in-stream": _in_stream,
    "error-event": _error_event, "headers": _headers, "status-line": _status_line, "broken-head": _broken_head,
    "names": _names, "reports": _reports, "texts": _texts, "thinking-tag": _thinking_tag,
    "document": _document, "broken-frame": _broken_frame, "no-stream": _no_stream, "cut": _cut,
    "broken-chunking": _broken_chunking,
}  # fmt: skip


@contextmanager
def echoing() -> Iterator[WireServer]:
    """The server; `address/NAME/v1` answers like `ECHOES[NAME]`."""

    def reply(request: Request, wire: Wire) -> None:
        key = request.headers.get("authorization", "").removeprefix("Bearer ")
        ECHOES[request.line.split("/")[1]](key, wire)

    with serving(reply) as server:
        yield server


def left_of(key: str, text: str) -> list[str]:
    """Every piece of the key, in any form a program may write it in, that is in the text."""
    bare = key.strip()
    forms = {bare, quote(bare), quote(bare, safe=""), json.dumps(bare)[1:-1], repr(bare)[1:-1],
             bare.encode("ascii", "backslashreplace").decode(), repr(bare.encode())[2:-1]}  # fmt: skip
    pieces = {form[at : at + PIECE] for form in forms for at in range(len(form) - PIECE + 1)}
    return sorted(piece for piece in pieces if piece in text)
