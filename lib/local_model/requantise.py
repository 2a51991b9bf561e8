"""Makes another width of the shipped weights: `python -m lib.local_model.requantise q4_0`.

A process of its own, because it takes seconds and memory once and is then never needed again. Weights
are widened to F32 and narrowed to the new width by the packages gguf (MIT, of llama.cpp) and numpy. Vectors
stay F32; in the 4-bit widths the embedding stays as shipped (Q8_0). What Q4_1 has lost stays lost.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType, LlamaFileType
from gguf.quants import dequantize, quantize

from lib.local_model.converted import making
from lib.local_model.gguf_header import ALIGNMENT, Header, Tensor, read_header
from lib.local_model.variants import Width
from lib.local_model.weights import WeightsError, verified_file

_KINDS = {
    Width.F32: GGMLQuantizationType.F32,
    Width.F16: GGMLQuantizationType.F16,
    Width.Q8_0: GGMLQuantizationType.Q8_0,
    Width.Q4_0: GGMLQuantizationType.Q4_0,
}
_FILE_TYPES = {
    Width.F32: LlamaFileType.ALL_F32,
    Width.F16: LlamaFileType.MOSTLY_F16,
    Width.Q8_0: LlamaFileType.MOSTLY_Q8_0,
    Width.Q4_0: LlamaFileType.MOSTLY_Q4_0,
}
_KEPT = {Width.Q4_0: ("token_embd.weight",)}


def requantise(source: Path, target: Path, width: Width) -> None:
    """Write the weights of `source` in another width to `target`, which must not be in use."""
    header = read_header(source)
    with source.open("rb") as read, target.open("wb") as written:
        written.write(_head(read.read(header.entries_end), header, width))
        written.write(b"".join(_infos(header, width)))
        for tensor in header.tensors:
            written.write(b"\0" * (-written.tell() % ALIGNMENT))
            read.seek(header.data_start + tensor.offset)
            written.write(_converted(read.read(_bytes(tensor, tensor.kind)), tensor, width))
        written.flush()
        os.fsync(written.fileno())


def file_bytes(header: Header, width: Width) -> int:
    """Size of the file that `requantise` would write, bytes."""
    head = header.entries_end + sum(len(info) for info in _infos(header, width))
    data = [_padded(_bytes(tensor, _kind(tensor, width))) for tensor in header.tensors]
    return _padded(head) + sum(data[:-1]) + _bytes(header.tensors[-1], _kind(header.tensors[-1], width))


def _head(head: bytes, header: Header, width: Width) -> bytes:
    """Everything before the list of tensors, saying the new width."""
    at = header.file_type_at
    assert at is not None, "the shipped file says its width"
    return head[:at] + struct.pack("<I", _FILE_TYPES[width]) + head[at + 4 :]


def _infos(header: Header, width: Width) -> Iterator[bytes]:
    offset = 0
    for tensor in header.tensors:
        kind, name = _kind(tensor, width), tensor.name.encode()
        yield struct.pack("<Q", len(name)) + name + struct.pack("<I", len(tensor.shape))
        yield struct.pack(f"<{len(tensor.shape)}QIQ", *tensor.shape, kind, offset)
        offset += _padded(_bytes(tensor, kind))


def _kind(tensor: Tensor, width: Width) -> int:
    is_vector = len(tensor.shape) == 1
    return tensor.kind if is_vector or tensor.name in _KEPT.get(width, ()) else _KINDS[width]


def _bytes(tensor: Tensor, kind: int) -> int:
    weights, size = GGML_QUANT_SIZES[GGMLQuantizationType(kind)]
    return int(np.prod(tensor.shape)) // weights * size


def _padded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _converted(data: bytes, tensor: Tensor, width: Width) -> bytes:
    kind = _kind(tensor, width)
    if kind == tensor.kind:
        return data
    rows: npt.NDArray[np.uint8] = np.frombuffer(data, np.uint8).reshape(tensor.shape[1], -1)
    wide = dequantize(rows, GGMLQuantizationType(tensor.kind))
    return quantize(wide, GGMLQuantizationType(kind)).tobytes()


def main() -> None:
    """The command: a width. Its last line on standard error says what went wrong."""
    width = Width(sys.argv[1])
    try:
        with making(width) as target:
            requantise(verified_file(), target, width)
    except (OSError, WeightsError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
