"""A raw client: the bytes of one HTTP exchange as they came, and how the connection ended."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

QUICK = {"ttft_ms": 0, "tok_s": 100_000}  # no waiting where speed is not the matter
LIMIT_S = 30.0


@dataclass(frozen=True)
class Exchange:
    """Everything the server sent; `end` is `closed`, `reset` or `silent`; `reads` has each arrival's time."""

    raw: bytes
    end: str
    reads: list[tuple[float, bytes]]

    @property
    def status(self) -> int:
        return int(self.raw.split(b" ", 2)[1])

    @property
    def headers(self) -> dict[str, str]:
        head = self.raw.split(b"\r\n\r\n", 1)[0].decode().split("\r\n")[1:]
        return {name.lower(): value for name, value in (line.split(": ", 1) for line in head)}

    @property
    def payload(self) -> bytes:
        """The body without its chunked framing, as far as it came."""
        body = self.raw.split(b"\r\n\r\n", 1)[1]
        return b"".join(_chunks(body)) if self.headers.get("transfer-encoding") == "chunked" else body

    @property
    def body_is_complete(self) -> bool:
        body = self.raw.split(b"\r\n\r\n", 1)[1]
        if self.headers.get("transfer-encoding") == "chunked":
            return body.endswith(b"0\r\n\r\n")
        return len(body) == int(self.headers["content-length"])

    @property
    def events(self) -> list[str]:
        """The data of each whole server-sent event."""
        whole = self.payload.decode().split("\n\n")[:-1]
        assert all(event.startswith("data: ") for event in whole)
        return [event.removeprefix("data: ") for event in whole]

    @property
    def chunks(self) -> list[dict[str, Any]]:
        """Every event that is a JSON object."""
        return [json.loads(event) for event in self.events if event != "[DONE]"]

    @property
    def deltas(self) -> list[dict[str, Any]]:
        return [choice["delta"] for chunk in self.chunks for choice in chunk["choices"]]

    @property
    def text(self) -> str:
        return "".join(delta.get("content") or "" for delta in self.deltas)


def exchange(port: int, method: str, path: str, body: bytes = b"", limit_s: float = LIMIT_S) -> Exchange:
    """One request on a connection of its own, read to its end."""
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    reads: list[tuple[float, bytes]] = []
    end = "closed"
    with socket.create_connection(("127.0.0.1", port), timeout=limit_s) as connection:
        sent = (
            time.perf_counter()
        )  # before sending: what must not come early never seems to, on a busy machine
        connection.sendall(head.encode() + body)
        try:
            while data := connection.recv(65536):
                reads.append((time.perf_counter() - sent, data))
        except ConnectionResetError:
            end = "reset"
        except TimeoutError:
            end = "silent"
    return Exchange(b"".join(data for _, data in reads), end, reads)


def ask(port: int, model: str = "gpt-4o-2026", prompt: str = "lighthouse", **values: Any) -> Exchange:
    """One chat request; `limit_s` ends the wait for more, everything else goes into the body."""
    limit_s = values.pop("limit_s", LIMIT_S)
    body = {"model": model, "stream": True, "messages": [{"role": "user", "content": prompt}], **values}
    body["simulator"] = {**QUICK, **body.get("simulator", {})}
    return exchange(port, "POST", "/v1/chat/completions", json.dumps(body).encode(), limit_s)


def _chunks(body: bytes) -> Iterator[bytes]:
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size or b"0", 16)
        if not length:
            return
        yield rest[:length]
        body = rest[length + 2 :]
