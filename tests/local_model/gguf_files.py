"""Small GGUF files written from the format's description, whole or wrong on purpose."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

ENTRIES = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "general.file_type": 3,
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.tokens": ["a", "bc", "def"],
    "llama.context_length": 256,
}
SHAPES = {"token_embd.weight": (32, 4), "output_norm.weight": (32,)}


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def write(
    path: Path,
    entries: Mapping[str, object] = ENTRIES,
    shapes: Mapping[str, tuple[int, ...]] = SHAPES,
    *,
    version: int = 3,
    data_bytes: int | None = None,
) -> Path:
    """A file of F32 zeros; `data_bytes` cuts its data short."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(shapes), len(entries))
    head += b"".join(text(key) + _value(value) for key, value in entries.items())
    offset = 0
    for name, shape in shapes.items():
        head += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        head += struct.pack("<IQ", 0, offset)
        size = 4
        for length in shape:
            size *= length
        offset += size
    head += b"\0" * (-len(head) % 32)
    path.write_bytes(head + b"\0" * (offset if data_bytes is None else data_bytes))
    return path


def _value(value: object) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    assert isinstance(value, list)
    return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(text(item) for item in value)
