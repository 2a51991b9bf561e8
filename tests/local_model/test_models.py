"""Every form of SmolLM2 and every added file is a backend of its own, started and stopped by itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lib.domain.run import Origin
from lib.local_model import converted, weights
from lib.local_model.models import BACKEND_ID, LocalModels, Preparing
from lib.local_model.variants import BY_ID, VARIANTS, Speculation, Width
from lib.server_process import Absent, Idle, Ready, ServerProcess, Starting
from tests.local_model.gguf_files import write

PATIENCE_S = 120


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(converted.CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def models(cache: Path) -> Iterator[LocalModels]:
    made = LocalModels(memory_bytes=lambda: 8_000_000_000)
    yield made
    made.close()


def test_the_shipped_form_comes_first_and_every_width_is_there() -> None:
    assert VARIANTS[0].width is Width.Q4_1
    assert {variant.width for variant in VARIANTS} == set(Width)
    guessing = {variant.width for variant in VARIANTS if variant.speculation is Speculation.NGRAM}
    assert guessing == {Width.F32, Width.Q4_0}


def test_every_converted_form_says_that_it_was_converted_and_that_quality_does_not_rise() -> None:
    for variant in VARIANTS:
        if variant.width in (Width.F32, Width.F16, Width.Q8_0) and variant.speculation is None:
            assert "quality does not rise" in variant.note


def test_nothing_runs_and_nothing_is_loaded_before_a_start(models: LocalModels) -> None:
    assert {models.state(model.id) for model in models.models()} == {Idle()}
    assert models.running() == ()
    code = "import sys, lib.local_model.models; print({'numpy', 'gguf', 'xllamacpp'} & set(sys.modules))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "set()\n"


def test_each_is_a_backend_of_its_own_that_costs_nothing(models: LocalModels) -> None:
    backends = [models.backend(model.id) for model in models.models()]
    assert backends[0].id == BACKEND_ID
    assert len({backend.id for backend in backends}) == len({backend.name for backend in backends}) == len(VARIANTS)
    assert {backend.origin for backend in backends} == {Origin.LIVE}
    assert all(backend.prices and backend.prices.output == 0 for backend in backends)
    assert all("no reference for quality" in backend.note for backend in backends)
    assert {str(backend.extra_body) for backend in backends} == {str(backends[0].extra_body)}


def test_a_process_that_exists_already_serves_the_shipped_form(cache: Path) -> None:
    elsewhere = ServerProcess("lib.local_model", absence=lambda: "Not here.")
    elsewhere.start()
    assert LocalModels(elsewhere).state("q4_1") == Absent("Not here.")


def test_an_unknown_id_is_an_error(models: LocalModels) -> None:
    with pytest.raises(LookupError):
        models.state("q3")


def test_a_file_is_offered_under_the_same_id_however_often_it_is_added(
    models: LocalModels, tmp_path: Path
) -> None:
    path = write(tmp_path / "My Model Q8.gguf")
    added = models.add_file(path)
    assert models.add_file(str(path)) == added
    assert [model.name for model in models.models()][len(VARIANTS) :] == ["My Model Q8"]
    backend = models.backend(added)
    assert backend.id == added
    assert "llama" in backend.note
    assert backend.extra_body == {"cache_prompt": False}
    assert models.state(added) == Idle()


def test_a_file_that_is_no_model_is_not_offered(models: LocalModels, tmp_path: Path) -> None:
    with pytest.raises(weights.WeightsError, match="no file"):
        models.add_file(tmp_path / "absent.gguf")
    with pytest.raises(weights.WeightsError, match="no file"):
        models.add_file(tmp_path)
    (tmp_path / "text.gguf").write_text("GGU")
    with pytest.raises(weights.WeightsError, match="not a GGUF file"):
        models.add_file(tmp_path / "text.gguf")
    assert len(models.models()) == len(VARIANTS)


def test_two_files_of_one_name_are_two_models(models: LocalModels, tmp_path: Path) -> None:
    ids = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        ids.append(models.add_file(write(tmp_path / folder / "same.gguf")))
    assert ids[0] != ids[1]


def test_little_memory_is_told_before_a_start(cache: Path) -> None:
    poor = LocalModels(memory_bytes=lambda: 500_000_000)
    assert [sentence for sentence in poor.advice("f32") if "500 MB of memory" in sentence]
    assert poor.advice("q4_0") == ()


def test_where_memory_is_not_told_nothing_is_said_about_it(cache: Path) -> None:
    assert LocalModels(memory_bytes=lambda: None).advice("f32") == ()


def test_a_running_conversion_is_seen_with_its_share(cache: Path) -> None:
    assert converted.progress(Width.F16) is None
    cache.mkdir()
    part = converted.path_of(Width.F16).with_name(converted.path_of(Width.F16).name + ".77.part")
    part.write_bytes(b"\0" * 1000)
    share = converted.progress(Width.F16)
    assert share is not None
    assert 0 < share < 0.001


def test_a_file_that_is_not_the_noted_one_is_made_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Width] = []
    monkeypatch.setattr(converted, "_convert", calls.append)
    monkeypatch.setattr(converted, "unavailable_reason", lambda width: None)
    with converted.making(Width.F16) as part:
        part.write_bytes(b"converted")
    assert converted.file_of(Width.F16).read_bytes() == b"converted"
    assert calls == []
    converted.path_of(Width.F16).write_bytes(b"damaged..")
    converted.file_of(Width.F16)
    assert calls == [Width.F16]


def test_a_conversion_that_fails_leaves_nothing(cache: Path) -> None:
    def fail() -> None:
        with converted.making(Width.F16) as part:
            part.write_bytes(b"half")
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        fail()
    assert list(cache.iterdir()) == []


def test_a_missing_converter_is_told_with_the_command_that_helps(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "unavailable_reason", lambda: None)
    monkeypatch.setattr(converted, "CONVERTER_PACKAGES", ("no_such_package",))
    assert "make local-model" in (converted.unavailable_reason(Width.F16) or "")
    assert converted.unavailable_reason(Width.Q4_1) is None


if weights.unavailable_reason() is None and converted.unavailable_reason(Width.F16) is None:

    def test_a_form_is_converted_started_and_stopped_and_its_weights_are_kept(
        models: LocalModels, cache: Path
    ) -> None:
        models.start("f16")
        assert isinstance(models.state("f16"), Preparing | Starting)
        assert models.running() == ("f16",)
        assert models.advice("f16") == ()
        assert "local models" in models.advice("q4_1")[0]
        process = next(model.process for model in models.models() if model.id == "f16")
        state = process.wait(PATIENCE_S)
        assert isinstance(state, Ready), state
        backend = models.backend("f16")
        assert (backend.base_url, backend.model) == (state.base_url, "smollm2-135m-instruct-f16")
        assert converted.path_of(Width.F16).stat().st_size == BY_ID["f16"].file_bytes
        assert sorted(path.suffix for path in cache.iterdir()) == [".gguf", ".json"]
        models.stop("f16")
        assert models.state("f16") == Idle()
        assert models.running() == ()
        assert converted.unavailable_reason(Width.F16) is None

else:

    def test_without_its_packages_every_form_says_why_it_is_absent(models: LocalModels) -> None:
        models.start("f16")
        assert isinstance(models.state("f16"), Absent)
