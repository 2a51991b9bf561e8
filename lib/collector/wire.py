"""How the app and the collector process talk: orders as JSON lines in, frames of bytes out.

A frame is: length of the rest (u32), kind (one byte), length of the run id (u8), run id, payload.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import BinaryIO

HEAD = struct.Struct(">IBB")


class Kind(IntEnum):
    """What a frame's payload is (all JSON)."""

    READY = 1  # the process is warm; versions and pid
    VIEW = 2  # a message for browsers, passed on unread
    ROWS = 3  # [[lane, rows], …] for metrics, journal and export
    END = 4  # every lane of the run has ended; clock health
    ACK = 5  # the run has begun; its origin on the monotonic clock
    LANE = 6  # a lane has ended; its number
    WARM = 7  # a warm-up is over; [[lane, setup_ms, error], …]


def pack(kind: Kind, run_id: str, payload: bytes) -> bytes:
    """One frame."""
    name = run_id.encode()
    return HEAD.pack(2 + len(name) + len(payload), kind, len(name)) + name + payload


def read_frame(pipe: BinaryIO) -> tuple[Kind, str, bytes] | None:
    """The next frame, or None when the pipe has ended (also in the middle of a frame)."""
    head = pipe.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    length, kind, name_length = HEAD.unpack(head)
    rest = pipe.read(length - 2)
    if len(rest) < length - 2:
        return None
    return Kind(kind), rest[:name_length].decode(), rest[name_length:]
