"""Presets are data with a source; a key in the environment switches its provider on."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from lib.backends.presets import Preset, found_in, preset, presets
from lib.backends.settings import configured
from lib.collector.address import clean

PROVIDERS = {"openai", "azure", "anthropic", "google", "groq", "cerebras", "sambanova", "together", "fireworks",
             "openrouter", "deepseek", "mistral", "xai", "nvidia"}  # fmt: skip
LOCAL = {"llamacpp", "ollama", "vllm", "sglang", "lmstudio", "litellm", "tgi"}
NOWHERE = Path("there-is-no-such-file.toml")
each_preset = pytest.mark.parametrize("known", presets(), ids=lambda known: known.id)


def test_every_provider_and_local_server_of_the_plan_is_there_once() -> None:
    assert sorted(known.id for known in presets()) == sorted(PROVIDERS | LOCAL)


@each_preset
def test_every_preset_says_where_and_when_it_was_read(known: Preset) -> None:
    assert known.source
    assert known.docs.startswith("https://")
    assert date(2026, 1, 1) <= known.read <= date(2027, 12, 31)


@each_preset
def test_a_provider_is_called_over_tls_and_a_local_server_on_this_machine(known: Preset) -> None:
    assert known.local == (known.id in LOCAL)
    assert known.base_url.startswith("http://127.0.0.1:" if known.local else "https://")
    assert (known.port is not None) == known.local


@each_preset
def test_every_address_is_clean_already(known: Preset) -> None:
    filled = known.base_url.replace("{resource}", "mine")
    assert clean(filled) == filled


@each_preset
def test_a_provider_has_a_key_variable_an_example_and_a_page_of_prices(known: Preset) -> None:
    if not known.local:
        assert known.key_env
        assert known.model
        assert known.prices.startswith("https://")


@each_preset
def test_a_local_port_is_the_one_in_the_address(known: Preset) -> None:
    assert known.port is None or f":{known.port}/" in known.base_url


def test_a_key_in_the_environment_finds_its_preset() -> None:
    assert [known.id for known in found_in({"GROQ_API_KEY": "gsk_x", "GOOGLE_API_KEY": "AI"})] == [
        "google",
        "groq",
    ]


def test_an_empty_key_finds_nothing() -> None:
    assert found_in({"GROQ_API_KEY": "  "}) == ()


def test_a_key_in_the_environment_can_race_at_once_with_the_example_model() -> None:
    (entry,) = configured({"CEREBRAS_API_KEY": " csk-0123 "}, NOWHERE)
    known = preset("cerebras")
    assert known is not None
    assert (entry.backend.base_url, entry.backend.model, entry.key) == (
        known.base_url,
        known.model,
        "csk-0123",
    )
    assert "CEREBRAS_API_KEY" in entry.backend.note


def test_another_model_is_chosen_by_a_variable() -> None:
    (entry,) = configured({"GROQ_API_KEY": "gsk_x", "GROQ_MODEL": "some-model"}, NOWHERE)
    assert entry.backend.model == "some-model"


def test_a_preset_with_a_blank_in_its_address_waits_for_the_person() -> None:
    environment = {"AZURE_OPENAI_API_KEY": "x"}
    assert [known.id for known in found_in(environment)] == ["azure"]
    assert configured(environment, NOWHERE) == ()


def test_the_openai_variables_give_one_backend_and_keep_their_meaning() -> None:
    entries = configured({"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, NOWHERE)
    assert [(e.backend.id, e.backend.base_url, e.key) for e in entries] == [
        ("openai-env", "http://127.0.0.1:9/v1", "sk-1")
    ]
