"""Converted weights are the source's, as near as the new width allows; llama.cpp's own package writes and reads."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from lib.local_model import converted, weights
from lib.local_model.variants import FILE_BYTES, Width

if importlib.util.find_spec("gguf") is not None:
    import gguf
    import numpy as np
    from gguf.quants import dequantize, quantize

    from lib.local_model.gguf_header import read_header
    from lib.local_model.requantise import file_bytes, requantise

    SHIPPED = gguf.GGMLQuantizationType.Q4_1
    STEP = {Width.F32: 0.0, Width.F16: 2**-11, Width.Q8_0: 1 / 127, Width.Q4_0: 1 / 8}
    FILE_TYPE = {Width.F32: 0, Width.F16: 1, Width.Q8_0: 7, Width.Q4_0: 2}
    CONVERTED = sorted(STEP)

    @pytest.fixture
    def source(tmp_path: Path) -> Path:
        """Two matrices in Q4_1, an embedding in Q8_0 and a vector of odd length in F32, as SmolLM2 has them."""
        path, random = tmp_path / "source.gguf", np.random.default_rng(1)
        writer = gguf.GGUFWriter(path, "llama")
        writer.add_file_type(3)
        writer.add_tokenizer_model("gpt2")
        writer.add_context_length(64)
        kinds = {
            "token_embd.weight": gguf.GGMLQuantizationType.Q8_0,
            "a.weight": SHIPPED,
            "b.weight": SHIPPED,
        }
        for name, kind in kinds.items():
            matrix = random.normal(size=(48, 96)).astype(np.float32)
            writer.add_tensor(name, quantize(matrix, kind), raw_dtype=kind)
        writer.add_tensor("norm.weight", random.normal(size=7).astype(np.float32))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path

    def wide(path: Path) -> dict[str, np.ndarray]:
        return {t.name: dequantize(t.data, t.tensor_type).ravel() for t in gguf.GGUFReader(path).tensors}

    @pytest.mark.parametrize("width", CONVERTED)
    def test_every_weight_is_within_one_step_of_its_block(width: Width, tmp_path: Path, source: Path) -> None:
        requantise(source, tmp_path / "made.gguf", width)
        before, after = wide(source), wide(tmp_path / "made.gguf")
        assert list(after) == list(before)
        assert (after["norm.weight"] == before["norm.weight"]).all()
        for name in ("token_embd.weight", "a.weight", "b.weight"):
            blocks = before[name].reshape(-1, 32)
            step = np.abs(blocks).max(axis=1, keepdims=True) * STEP[width]
            assert (np.abs(after[name].reshape(-1, 32) - blocks) <= step * 1.02).all(), name

    @pytest.mark.parametrize("width", CONVERTED)
    def test_the_file_says_its_own_width_and_keeps_everything_else(
        width: Width, tmp_path: Path, source: Path
    ) -> None:
        target = tmp_path / "made.gguf"
        requantise(source, target, width)
        before, after = read_header(source), read_header(target)
        assert after.entries == {**before.entries, "general.file_type": FILE_TYPE[width]}
        assert after.parameters == before.parameters
        assert target.stat().st_size == file_bytes(before, width)

    def test_the_four_bit_width_keeps_the_embedding_as_shipped(tmp_path: Path, source: Path) -> None:
        requantise(source, tmp_path / "made.gguf", Width.Q4_0)
        kinds = {t.name: t.tensor_type.name for t in gguf.GGUFReader(tmp_path / "made.gguf").tensors}
        assert kinds == {
            "token_embd.weight": "Q8_0", "a.weight": "Q4_0", "b.weight": "Q4_0", "norm.weight": "F32",
        }  # fmt: skip

    if weights.unavailable_reason() is None:

        @pytest.mark.parametrize("width", CONVERTED)
        def test_the_known_size_of_each_width_is_that_of_its_file(width: Width) -> None:
            assert file_bytes(read_header(weights.verified_file()), width) == FILE_BYTES[width]

else:

    def test_without_the_converter_only_the_shipped_width_is_offered() -> None:
        assert converted.unavailable_reason(Width.F16) is not None
