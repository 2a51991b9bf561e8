"""What a GGUF file says about itself: read from its header without loading a weight or needing a package.

The format is GGUF version 2 and 3, little-endian, as in github.com/ggml-org/ggml/blob/master/docs/gguf.md.
The file comes from anywhere: every length is held against the file before it is believed.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lib.i18n import _
from lib.local_model.weights import WeightsError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
ALIGNMENT = 32
_STRING, _ARRAY = 8, 9
_SCALARS = {0: "B", 1: "b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "?", 10: "<Q", 11: "<q", 12: "<d"}
_MOST_DIMENSIONS = 4
_FIXED = 24  # magic, version, number of tensors, number of entries


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor: `shape` as in the file (fastest first), `kind` a ggml type number, `offset` in the data."""

    name: str
    shape: tuple[int, ...]
    kind: int
    offset: int


@dataclass(frozen=True, slots=True)
class Header:
    """The header; `entries` holds scalars and strings, of an array only its length. Places are bytes."""

    version: int
    entries: dict[str, Any]
    tensors: tuple[Tensor, ...]
    file_type_at: int | None  # where the value of general.file_type stands
    entries_end: int
    data_start: int
    file_bytes: int

    @property
    def architecture(self) -> str:
        """Such as llama or qwen2."""
        return str(self.entries["general.architecture"])

    @property
    def name(self) -> str:
        """The model's own name, empty when the file has none."""
        return str(self.entries.get("general.name", ""))

    @property
    def parameters(self) -> int:
        """Number of weights."""
        return sum(_product(tensor.shape) for tensor in self.tensors)

    @property
    def context_tokens(self) -> int | None:
        """Longest text the model was trained for, tokens."""
        found = self.entries.get(f"{self.architecture}.context_length")
        return found if isinstance(found, int) and found > 0 else None

    @property
    def bits_per_weight(self) -> float:
        """Bits of the file's data per weight."""
        return 8 * (self.file_bytes - self.data_start) / max(1, self.parameters)


def read_header(path: Path) -> Header:
    """The header of a GGUF file that holds a language model. Raises WeightsError with a sentence."""
    try:
        with path.open("rb") as file:
            if file.read(4) != MAGIC:
                raise WeightsError(_("{path} is not a GGUF file.").format(path=path))
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                header = _Reader(content).header()
    except OSError as error:
        raise WeightsError(
            _("{path} cannot be read: {reason}.").format(path=path, reason=error.strerror)
        ) from error
    except (struct.error, ValueError, KeyError, IndexError) as error:
        raise WeightsError(_("{path} is a damaged or unknown GGUF file.").format(path=path)) from error
    _demand_a_whole_language_model(path, header)
    return header


def _demand_a_whole_language_model(path: Path, header: Header) -> None:
    if not header.tensors or "tokenizer.ggml.model" not in header.entries:
        raise WeightsError(_("{path} holds no language model with its tokenizer.").format(path=path))
    if header.data_start + max(tensor.offset for tensor in header.tensors) >= header.file_bytes:
        raise WeightsError(_("{path} is cut short: its last weights are missing.").format(path=path))


class _Reader:
    """Walks through the header once; every step beyond the file is a struct.error or ValueError."""

    def __init__(self, content: mmap.mmap) -> None:
        self._content = content
        self._at = len(MAGIC)
        self._file_type_at: int | None = None

    def header(self) -> Header:
        version = self._scalar("<I")
        if version not in VERSIONS:
            raise ValueError(f"version {version}")
        tensors, entries = self._scalar("<Q"), self._scalar("<Q")
        if max(tensors, entries) > len(self._content):
            raise ValueError("more parts than bytes")
        found = dict(self._entry() for _ in range(entries))
        entries_end = self._at
        listed = tuple(self._tensor() for _ in range(tensors))
        alignment = found.get("general.alignment", ALIGNMENT)
        if not found["general.architecture"] or not isinstance(alignment, int) or alignment < 1:
            raise ValueError("no architecture or no alignment")
        start = -(-self._at // alignment) * alignment
        return Header(
            version, found, listed, self._file_type_at, entries_end, start, len(self._content)
        )  # fmt: skip

    def _scalar(self, form: str) -> Any:
        (value,) = struct.unpack_from(form, self._content, self._at)
        self._at += struct.calcsize(form)
        return value

    def _text(self) -> str:
        length = self._scalar("<Q")
        end = self._at + length
        if end > len(self._content):
            raise ValueError("a string beyond the end")
        text = self._content[self._at : end].decode("utf-8", "replace")
        self._at = end
        return text

    def _entry(self) -> tuple[str, Any]:
        key, kind = self._text(), self._scalar("<I")
        if key == "general.file_type" and _SCALARS.get(kind) == "<I":
            self._file_type_at = self._at
        return key, self._value(kind)

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._text()
        return self._array() if kind == _ARRAY else self._scalar(_SCALARS[kind])

    def _array(self) -> int:
        """Walk over an array; its length."""
        kind, length = self._scalar("<I"), self._scalar("<Q")
        if kind in _SCALARS:
            self._skip(struct.calcsize(_SCALARS[kind]) * length)
        elif kind == _STRING:
            for _ in range(length):
                self._skip(self._scalar("<Q"))
        else:
            raise ValueError("an array of arrays")
        return int(length)

    def _skip(self, size: int) -> None:
        self._at += size
        if self._at > len(self._content):
            raise ValueError("a value beyond the end")

    def _tensor(self) -> Tensor:
        name, dimensions = self._text(), self._scalar("<I")
        if dimensions > _MOST_DIMENSIONS:
            raise ValueError("too many dimensions")
        shape = tuple(self._scalar("<Q") for _ in range(dimensions))
        return Tensor(name, shape, self._scalar("<I"), self._scalar("<Q"))


def _product(shape: tuple[int, ...]) -> int:
    product = 1
    for size in shape:
        product *= size
    return product
