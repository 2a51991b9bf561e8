"""Recordings of real servers, read strictly: what was asked, and what the bytes that came back say.

Shares nothing with the product's own reader: HTTP is undone by `http.client`, every data line is one
strict JSON document, anything else is an AssertionError. The servers recorded here do keep to that.
"""

from __future__ import annotations

import base64
import http.client
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TRANSCRIPTS = Path(__file__).parent / "transcripts"


@dataclass(frozen=True)
class Recorded:
    """One exchange: the request's kind, each network read as (ms since the request, bytes), the reply undone."""

    name: str
    method: str
    path: str
    reads: tuple[tuple[float, bytes], ...]
    status: int
    content_type: str
    body: bytes
    is_whole: bool  # False when the connection ended before the body did

    @property
    def is_chat(self) -> bool:
        return self.method == "POST" and self.path.endswith("/chat/completions")

    @property
    def lines(self) -> list[str]:
        """The payload of every data line, `[DONE]` included; comments are left out."""
        found = [line for line in self.body.decode().split("\n") if line and not line.startswith(":")]
        assert all(line.startswith("data: ") for line in found), found
        return [line.removeprefix("data: ") for line in found]

    @property
    def chunks(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines if line != "[DONE]"]

    @property
    def says_done(self) -> bool:
        return self.lines[-1:] == ["[DONE]"]

    @property
    def pieces(self) -> list[str]:
        """The text of every chunk that has some."""
        return _pieces(self.chunks)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def finish_reasons(self) -> list[str]:
        choices = [choice for chunk in self.chunks for choice in chunk["choices"]]
        return [choice["finish_reason"] for choice in choices if choice.get("finish_reason")]

    @property
    def usages(self) -> list[dict[str, Any]]:
        return [chunk["usage"] for chunk in self.chunks if chunk.get("usage")]

    @property
    def timings(self) -> list[dict[str, Any]]:
        return [chunk["timings"] for chunk in self.chunks if "timings" in chunk]

    @property
    def error_sentence(self) -> str:
        """The message of a reply that is an error object."""
        return str(json.loads(self.body)["error"]["message"])

    @property
    def text_ms(self) -> list[float]:
        """When each read with text came, ms after the request; every read must hold whole frames for that."""
        found = [(at, _pieces(_frames(data))) for at, data in self.reads]
        assert sum(len(pieces) for _, pieces in found) == len(self.pieces), "a frame is cut by a read"
        return [at for at, pieces in found if pieces]


def load(path: Path) -> Recorded:
    """Read one transcript file."""
    rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
    meta, reads = rows[0]["meta"], [(row["t_ns"] / 1e6, base64.b64decode(row["bytes"])) for row in rows[1:-1]]
    reply = http.client.HTTPResponse(_Bytes(b"".join(data for _, data in reads)), method=meta["method"])
    reply.begin()
    try:
        body, is_whole = reply.read(), True
    except http.client.IncompleteRead as cut:
        body, is_whole = cut.partial, False
    return Recorded(
        path.stem, meta["method"], meta["url"], tuple(reads), reply.status,
        reply.headers.get("content-type", ""), body, is_whole,
    )  # fmt: skip


class _Bytes:
    """As much of a socket as `http.client.HTTPResponse` uses."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, _mode: str) -> io.BytesIO:
        return io.BytesIO(self._data)


def _frames(data: bytes) -> list[dict[str, Any]]:
    lines = [line for line in data.decode("utf-8", "replace").split("\n") if line.startswith("data: {")]
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def _pieces(chunks: list[dict[str, Any]]) -> list[str]:
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    return [choice["delta"]["content"] for choice in choices if choice["delta"].get("content")]


ALL = {path.stem: load(path) for path in sorted(TRANSCRIPTS.glob("*.jsonl"))}
CHATS = {name: recorded for name, recorded in ALL.items() if recorded.is_chat}
