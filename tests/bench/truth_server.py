"""The server that knows the truth: it logs when each chunk was really handed to the kernel.

    python -m tests.bench.truth_server [--port N] [--until-stdin-closes]

One thread, one `select` loop with microsecond time-outs (epoll and asyncio round up to a millisecond),
timer slack of 1 ns on Linux, TCP_NODELAY, an absolute schedule, one `send` per event, the stamp taken
just before it, no garbage collection, no library. Stamps are `time.perf_counter_ns`, which on Linux is
CLOCK_MONOTONIC and so comparable between processes. It is not the product's simulator and shares no
code with it. `GET /drain` returns one JSON line per finished request and forgets them.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import heapq
import json
import re
import select
import socket
import sys
from dataclasses import dataclass, field
from itertools import count
from time import perf_counter_ns
from typing import Any

from tests.bench.truth_content import Spec, TokenEvents, closing, http_chunk, parse_spec, sse

PR_SET_TIMERSLACK = 29
MAX_SENDS_IN_A_ROW = 64
HEADERS = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)


@dataclass(slots=True)
class Stream:
    """One answer under way and what is known about it."""

    model: str
    spec: Spec
    events: TokenEvents
    opening: bytes  # what still has to go out before the first token
    closing: bytes
    read_ns: int
    due_ns: int
    sends: list[int] = field(default_factory=list)
    blocked: int = 0  # writes the kernel would not take whole: the client is behind

    def record(self, close_seen_ns: int | None) -> dict[str, Any]:
        """The line of `/drain`: absolute nanoseconds; `t_close_seen_ns` only when the client closed early."""
        return {
            "model": self.model,
            "t_request_read_ns": self.read_ns,
            "sends_ns": self.sends,
            "t_close_seen_ns": close_seen_ns,
            "blocked": self.blocked,
        }


@dataclass(slots=True)
class Connection:
    """One client socket, what it sent that is not yet a whole request, and what it has yet to take."""

    sock: socket.socket
    inbox: bytearray = field(default_factory=bytearray)
    outbox: bytes = b""
    stream: Stream | None = None


class TruthServer:
    """The loop: accept, read requests, send what is due, note who closed."""

    def __init__(self, port: int = 0) -> None:
        self._listener = socket.create_server(("127.0.0.1", port), backlog=256)
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        self._connections: dict[int, Connection] = {}
        self._due: list[tuple[int, int, Connection, Stream]] = []
        self._order = count()
        self._unread: list[tuple[Connection, int]] = []
        self._finished: list[dict[str, Any]] = []
        self._events: dict[str, TokenEvents] = {}

    def serve(self, until: int | None = None) -> None:
        """Serve until the file descriptor `until` can be read (or for ever)."""
        while True:
            wait_s = 3600.0 if not self._due else max(0, self._due[0][0] - perf_counter_ns()) / 1e9
            readable, writable = self._select(wait_s, until)
            if until in readable:
                return
            while readable:  # requests that come together are all stamped before the first is looked at
                for fd in readable:
                    self._on_readable(fd)
                readable, _ = self._select(0, None)
            while self._unread:
                self._look_at(*self._unread.pop(0))
            for fd in writable:
                if connection := self._connections.get(fd):
                    self._flush(connection)
            self._send_due()

    def _select(self, wait_s: float, until: int | None) -> tuple[list[int], list[int]]:
        extra = [] if until is None else [until]
        writers = [fd for fd, connection in self._connections.items() if connection.outbox]
        readers = [self._listener.fileno(), *self._connections, *extra]
        readable, writable, _ = select.select(readers, writers, [], wait_s)
        return readable, writable

    def _on_readable(self, fd: int) -> None:
        if fd == self._listener.fileno():
            self._accept()
        elif connection := self._connections.get(fd):
            self._read(connection)

    def _accept(self) -> None:
        sock, _ = self._listener.accept()
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connections[sock.fileno()] = Connection(sock)

    def _read(self, connection: Connection) -> None:
        try:
            data = connection.sock.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        now = perf_counter_ns()
        if not data:
            self._close(connection, now)
            return
        connection.inbox += data
        self._unread.append((connection, now))

    def _look_at(self, connection: Connection, now: int) -> None:
        """Answer the request in the inbox if it is whole; `now` is when its last byte was read."""
        head, blank, rest = bytes(connection.inbox).partition(b"\r\n\r\n")
        length = int((re.findall(rb"(?i)\r\ncontent-length: *(\d+)", head) or [0])[0])
        if blank and len(rest) >= length:
            del connection.inbox[: len(head) + 4 + length]
            method, path, _ = head.decode("latin-1").split(" ", 2)
            self._answer(connection, method, path, rest[:length], now)

    def _answer(self, connection: Connection, method: str, path: str, body: bytes, now: int) -> None:
        if path == "/drain":
            lines = [json.dumps(record) for record in self._finished]
            self._finished = []
            self._reply(connection, 200, "\n".join(lines).encode())
        elif path.endswith("/models"):
            models = [{"id": Spec().name, "object": "model", "created": 0, "owned_by": "truth"}]
            self._reply(connection, 200, json.dumps({"object": "list", "data": models}).encode())
        elif method == "POST" and path.endswith("/chat/completions"):
            self._start(connection, body, now)
        else:
            self._reply(connection, 404, b'{"error": {"message": "no such path", "type": "not_found"}}')

    def _start(self, connection: Connection, body: bytes, now: int) -> None:
        try:
            request = json.loads(body)
            model, asked = request["model"], request.get("stream_options") or {}
            spec = parse_spec(model)
        except (ValueError, KeyError) as error:
            message = json.dumps({"error": {"message": str(error), "type": "invalid_request_error"}})
            self._reply(connection, 400, message.encode())
            return
        role = http_chunk(sse(model, {"role": "assistant", "content": ""})) if spec.role else b""
        at_once = b"" if spec.late_headers else HEADERS + (role if spec.role == 2 else b"")
        stream = Stream(
            model=model,
            spec=spec,
            events=self._events_of(model, spec),
            opening=(HEADERS + role) if spec.late_headers else (role if spec.role == 1 else b""),
            closing=closing(model, spec, bool(asked.get("include_usage"))),
            read_ns=now,
            due_ns=now + spec.due_ns(0),
        )
        connection.stream = stream
        self._write(connection, at_once)
        self._schedule(connection, stream)

    def _events_of(self, model: str, spec: Spec) -> TokenEvents:
        if model not in self._events:
            self._events[model] = TokenEvents(model, spec)
        return self._events[model]

    def _schedule(self, connection: Connection, stream: Stream) -> None:
        heapq.heappush(self._due, (stream.due_ns, next(self._order), connection, stream))

    def _send_due(self) -> None:
        """Send what is due, at most a few at a time so that sockets are still looked at when behind."""
        now = perf_counter_ns()
        for _ in range(MAX_SENDS_IN_A_ROW):
            if not self._due or self._due[0][0] > now:
                return
            _, _, connection, stream = heapq.heappop(self._due)
            if connection.stream is stream:
                now = self._send_token(connection, stream)

    def _send_token(self, connection: Connection, stream: Stream) -> int:
        """Send one chunk of text and note when. Returns that moment, ns."""
        number = len(stream.sends)
        if stream.opening:
            self._write(connection, stream.opening)
            stream.opening = b""
        event = stream.events[number]
        now = perf_counter_ns()
        if not self._write(connection, event):
            return now
        stream.sends.append(now)
        if number + 1 == stream.spec.chunks:
            if self._write(connection, stream.closing):
                self._finish(connection, None)
        else:
            stream.due_ns = stream.read_ns + stream.spec.due_ns(number + 1)
            if not connection.outbox:
                self._schedule(connection, stream)
        return now

    def _write(self, connection: Connection, data: bytes) -> bool:
        """Hand bytes to the kernel; False when the client is gone. What is not taken waits in the outbox."""
        if connection.outbox:
            connection.outbox += data
            return True
        try:
            sent = connection.sock.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._close(connection, perf_counter_ns())
            return False
        if sent < len(data):
            connection.outbox = data[sent:]
            if connection.stream:
                connection.stream.blocked += 1
        return True

    def _flush(self, connection: Connection) -> None:
        data, connection.outbox = connection.outbox, b""
        if self._write(connection, data) and not connection.outbox and connection.stream:
            self._schedule(connection, connection.stream)

    def _reply(self, connection: Connection, status: int, body: bytes) -> None:
        head = f"HTTP/1.1 {status} {'OK' if status == 200 else 'Error'}\r\nContent-Type: application/json\r\n"
        self._write(connection, f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)

    def _finish(self, connection: Connection, close_seen_ns: int | None) -> None:
        if connection.stream:
            self._finished.append(connection.stream.record(close_seen_ns))
            connection.stream = None

    def _close(self, connection: Connection, now: int) -> None:
        self._finish(connection, now)
        self._connections.pop(connection.sock.fileno(), None)
        connection.outbox = b""
        connection.sock.close()


def sharpen_timers() -> None:
    """Ask Linux to wake this thread when it said, not up to 50 us later; elsewhere do nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)


def main() -> None:
    """Serve on loopback; the first line on stdout says where."""
    parser = argparse.ArgumentParser(description="A server that logs when it sent each chunk.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--until-stdin-closes", action="store_true")
    options = parser.parse_args()
    sharpen_timers()
    server = TruthServer(options.port)
    print(json.dumps({"base_url": f"http://127.0.0.1:{server.port}/v1", "port": server.port}), flush=True)
    gc.collect()
    gc.freeze()
    gc.disable()
    server.serve(until=sys.stdin.fileno() if options.until_stdin_closes else None)


if __name__ == "__main__":
    main()
