"""A small OpenAI-like server on loopback, as odd as a test needs it. It records what it was asked."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight")
USAGE = {"prompt_tokens": 20, "completion_tokens": len(WORDS), "total_tokens": 28}


@dataclass
class Asked:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Server:
    """A running server; `base_url` ends in /v1."""

    port: int
    base_url: str
    asked: list[Asked] = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    """Hands every request to the function of its method and path."""

    routes: dict[str, Callable[[Handler, Asked], None]]
    asked: list[Asked]

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length)) if length else {}
        asked = Asked(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
        self.asked.append(asked)
        route = self.routes.get(f"{self.command} {self.path}")
        if route is None:
            self.answer({"error": {"message": "no such path"}}, 404)
        else:
            route(self, asked)

    def answer(self, value: Any, status: int = 200, **headers: str) -> None:
        """One JSON answer (bytes go out as they are)."""
        raw = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        headers.setdefault("Content_Type", "application/json")
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def stream(
        self, deltas: list[dict[str, Any]], usage: dict[str, Any] | None, *, at_once: bool = False
    ) -> None:
        """A chat stream of these deltas; `at_once` writes all of it in one piece."""
        frames = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
        frames.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        if usage is not None:
            frames.append({"choices": [], "usage": usage})
        pieces = [b"data: " + json.dumps(frame).encode() + b"\n\n" for frame in frames] + [
            b"data: [DONE]\n\n"
        ]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for piece in [b"".join(pieces)] if at_once else pieces:
            self.wfile.write(piece)
            self.wfile.flush()
            threading.Event().wait(0.0 if at_once else 0.004)  # own network reads

    def log_message(self, *_: Any) -> None:
        """Silent."""


def models(*names: str, owner: str = "tests", **headers: str) -> Callable[[Handler, Asked], None]:
    """GET /v1/models in OpenAI's shape."""
    rows = [{"id": name, "object": "model", "owned_by": owner} for name in names]
    return lambda handler, _asked: handler.answer({"object": "list", "data": rows}, **headers)


def counting(handler: Handler, asked: Asked) -> None:
    """A good answer: a word in each chunk, and usage when it was asked for."""
    wanted = (asked.body.get("stream_options") or {}).get("include_usage")
    handler.stream([{"content": f"{word} "} for word in WORDS], USAGE if wanted else None)


@contextmanager
def serving(
    routes: dict[str, Callable[[Handler, Asked], None]],
    certificate: Path | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
) -> Iterator[Server]:
    """A server with these routes ("GET /v1/models"), over TLS with a `certificate` (key in the same file)."""
    asked: list[Asked] = []
    handler = type("Routed", (Handler,), {"routes": routes, "asked": asked})
    httpd = ThreadingHTTPServer((host, port), handler)
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        httpd.socket = context.wrap_socket(httpd.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    port = httpd.server_address[1]
    scheme = "http" if certificate is None else "https"
    try:
        yield Server(port, f"{scheme}://{host}:{port}/v1", asked)
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()
