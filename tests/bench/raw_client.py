"""The floor of this machine: a client of bare sockets and epoll that does nothing but stamp.

    python -m tests.bench.raw_client --port N --models M M ...

It only looks through the bytes for marks, so it is no client for anything else. One JSON line per lane on
stdout: when its request was written and when each chunk with text was read, absolute ns.
"""

from __future__ import annotations

import argparse
import gc
import json
import select
import socket
from dataclasses import dataclass, field
from time import perf_counter_ns

MARKS = (b'"content":" ', b'"content":"\\n', b'"reasoning_content":"')
END = b"0\r\n\r\n"


@dataclass(slots=True)
class Lane:
    """One socket, the bytes of an unfinished event, and the stamps so far."""

    sock: socket.socket
    model: str
    sent_ns: int = 0
    rest: bytes = b""
    stamps_ns: list[int] = field(default_factory=list)


def request(port: int, model: str) -> bytes:
    """A whole streaming chat request as bytes."""
    messages = [{"role": "user", "content": "Go"}]
    body = json.dumps({"model": model, "stream": True, "messages": messages}).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def take(lane: Lane, data: bytes, now: int) -> bool:
    """Stamp every event that these bytes complete; True at the end of the body."""
    *whole, lane.rest = (lane.rest + data).split(b"\n\n")
    lane.stamps_ns += [now for event in whole if any(mark in event for mark in MARKS)]
    return lane.rest.endswith(END)


def run(port: int, models: list[str]) -> list[Lane]:
    """Connect every lane, send all requests, read until every stream has ended."""
    poll = select.epoll()
    lanes = {}
    for model in models:
        sock = socket.create_connection(("127.0.0.1", port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        lanes[sock.fileno()] = Lane(sock, model)
        poll.register(sock.fileno(), select.EPOLLIN)
    for lane in lanes.values():
        lane.sock.sendall(request(port, lane.model))
        lane.sent_ns = perf_counter_ns()
        lane.sock.setblocking(False)
    running = len(lanes)
    while running:
        for fd, _ in poll.poll():
            data = lanes[fd].sock.recv(65536)
            if take(lanes[fd], data, perf_counter_ns()) or not data:
                poll.unregister(fd)
                running -= 1
    return list(lanes.values())


def main() -> None:
    """Run once and print what was stamped."""
    parser = argparse.ArgumentParser(description="Stamp streams with bare sockets.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--models", nargs="+", required=True)
    options = parser.parse_args()
    gc.disable()
    for lane in run(options.port, options.models):
        print(json.dumps({"model": lane.model, "sent_ns": lane.sent_ns, "stamps_ns": lane.stamps_ns}))


if __name__ == "__main__":
    main()
