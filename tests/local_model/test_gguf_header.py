"""A GGUF file is judged by its header: what it holds is told, what is wrong is a sentence, never a crash."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.local_model.gguf_header import read_header
from lib.local_model.weights import WeightsError
from tests.local_model.gguf_files import ENTRIES, write


def without(key: str) -> dict[str, object]:
    return {name: value for name, value in ENTRIES.items() if name != key}


def is_read_or_refused(path: Path) -> bool:
    try:
        return bool(read_header(path).tensors)
    except WeightsError as refused:
        return path.name in str(refused)


def test_it_tells_what_the_file_holds(tmp_path: Path) -> None:
    header = read_header(write(tmp_path / "tiny.gguf"))
    told = (
        header.architecture,
        header.name,
        header.context_tokens,
        header.parameters,
        header.bits_per_weight,
    )
    assert told == ("llama", "Tiny", 256, 160, 32.0)
    assert header.entries["tokenizer.ggml.tokens"] == 3
    assert header.tensors[0].shape == (32, 4)


def test_a_file_without_a_trained_length_has_none(tmp_path: Path) -> None:
    header = read_header(write(tmp_path / "tiny.gguf", without("llama.context_length")))
    assert header.context_tokens is None


def test_a_file_of_another_kind_is_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "picture.gguf"
    path.write_bytes(b"\x89PNG and so on")
    with pytest.raises(WeightsError, match=r"picture\.gguf is not a GGUF file"):
        read_header(path)


def test_an_absent_file_is_told_with_the_systems_reason(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="No such file"):
        read_header(tmp_path / "absent.gguf")


def test_a_model_without_a_tokenizer_is_no_language_model(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="no language model"):
        read_header(write(tmp_path / "vision.gguf", without("tokenizer.ggml.model")))


def test_a_download_that_stopped_is_told(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="cut short"):
        read_header(write(tmp_path / "half.gguf", data_bytes=40))


@pytest.mark.parametrize("version", [0, 1, 4, 0x03000000])
def test_a_version_that_is_not_known_is_refused(tmp_path: Path, version: int) -> None:
    with pytest.raises(WeightsError, match="damaged or unknown"):
        read_header(write(tmp_path / "new.gguf", version=version))


def test_a_header_without_an_architecture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="damaged or unknown"):
        read_header(write(tmp_path / "nameless.gguf", without("general.architecture")))


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_file_with_any_byte_changed_or_cut_anywhere_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = write(tmp_path_factory.mktemp("damage") / "tiny.gguf")
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(4, 400))
    content[place] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(place, len(content)))])
    assert is_read_or_refused(path)
