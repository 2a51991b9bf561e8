"""A server on loopback that does to its one client whatever a test wants: raw bytes on a real socket.

Each connection gets a thread; the test's `reply` is called once for every request with the request and the
open connection, and writes what it likes. It knows nothing of HTTP beyond reading a request.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

CLOSED_S = 10.0  # how long a test waits for a client to hang up before it fails


@dataclass(frozen=True)
class Request:
    """One request as read: its line, headers by lower-case name, JSON body, and the number of its connection."""

    line: str
    headers: dict[str, str]
    body: dict[str, Any]
    connection: int


class Wire:
    """The open connection of one request."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection

    def send(self, *pieces: bytes | str) -> None:
        """Write each piece by itself; a client that has gone is not an error."""
        for piece in pieces:
            with contextlib.suppress(OSError):
                self._socket.sendall(piece.encode() if isinstance(piece, str) else piece)

    def head(self, status: str = "200 OK", kind: str = "text/event-stream", **more: str) -> None:
        """Send a status line and headers; the body ends with the connection unless `more` says otherwise."""
        lines = [
            f"HTTP/1.1 {status}",
            f"Content-Type: {kind}",
            *(f"{n.replace('_', '-')}: {v}" for n, v in more.items()),
        ]
        self.send("\r\n".join([*lines, "", ""]))

    def reset(self) -> None:
        """Cut the connection with an RST."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()

    def wait_for_close(self) -> bool:
        """Whether the client hung up within CLOSED_S."""
        self._socket.settimeout(CLOSED_S)
        try:
            return self._socket.recv(1) == b""
        except ConnectionError:
            return True
        except OSError:
            return False

    def keep_saying(self, piece: bytes | str, every_s: float) -> bool:
        """Send `piece` again and again until the client hangs up; whether it did within CLOSED_S."""
        self._socket.settimeout(every_s)
        data = piece.encode() if isinstance(piece, str) else piece
        for _ in range(int(CLOSED_S / every_s)):
            try:
                self._socket.sendall(data)
                return self._socket.recv(1) == b""
            except TimeoutError:
                continue
            except OSError:
                return True
        return False


Reply = Callable[[Request, Wire], None]


@dataclass
class WireServer:
    """Where it listens and what it was asked so far."""

    address: str
    requests: list[Request] = field(default_factory=list)

    @property
    def base_url(self) -> str:
        return f"http://{self.address}/v1"


@contextmanager
def serving(reply: Reply) -> Iterator[WireServer]:
    """A listening server for the time of the block; every thread and socket has ended after it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host, port = listener.getsockname()
        server = WireServer(f"{host}:{port}")
        threads: list[threading.Thread] = []
        accepting = threading.Thread(target=_accept, args=(listener, reply, server, threads))
        accepting.start()
        try:
            yield server
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            for thread in (accepting, *threads):
                thread.join()


def frame(value: Any) -> str:
    """One server-sent event with `value` as its JSON payload."""
    return f"data: {json.dumps(value)}\n\n"


def said(text: str, **more: Any) -> str:
    """A chunk that adds `text` to the answer."""
    return frame({"choices": [{"index": 0, "delta": {"content": text}, **more}]})


def finished(reason: str = "stop") -> str:
    """A chunk that brings only a finish reason."""
    return frame({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})


DONE = "data: [DONE]\n\n"


def _accept(
    listener: socket.socket, reply: Reply, server: WireServer, threads: list[threading.Thread]
) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        thread = threading.Thread(target=_serve, args=(connection, reply, server, len(threads)))
        threads.append(thread)
        thread.start()


def _serve(connection: socket.socket, reply: Reply, server: WireServer, number: int) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection:
        request = _request(connection, number)
        if request is not None:
            server.requests.append(request)
            reply(request, Wire(connection))


def _request(connection: socket.socket, number: int) -> Request | None:
    with connection.makefile("rb") as stream:
        line = stream.readline().decode().strip()
        if not line:
            return None
        headers: dict[str, str] = {}
        while text := stream.readline().decode().strip():
            name, _, value = text.partition(":")
            headers[name.lower()] = value.strip()
        body = stream.read(int(headers.get("content-length", 0)))
    return Request(line, headers, json.loads(body or b"{}"), number)
