"""Settings: what may be written, what a mistake is told, what is written back."""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.backends.catalogue import Catalogue
from lib.backends.settings import PRODUCT_KEYS, SettingsError, configured, policy, read
from lib.backends.table import FIELDS, Configured, as_toml, read_table
from lib.domain.run import Backend, Limits, Prices, WarmUp
from lib.server_process import Absent, ServerProcess

EXAMPLE = Path(__file__).resolve().parents[2] / ".streamlit" / "secrets.toml.example"
PLAIN = {"base_url": "https://api.example.com/v1", "model": "m"}
KEY = "sk-settings-0123456789"


def written(folder: Path, text: str, name: str = "secrets.toml") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def one(**table: Any) -> Configured:
    return read_table("mine", {**PLAIN, **table}, {})


def told(**table: Any) -> str:
    with pytest.raises(SettingsError) as caught:
        one(**table)
    return str(caught.value)


def test_a_table_with_every_field_is_read() -> None:
    entry = one(
        name="Mine", note="fast", api_key=f" {KEY} ", price_in="1.25", price_out=10, price_cached=0.125,
        currency="EUR", connect_timeout=3, first_token_timeout=600, stall_timeout=5.5, total_timeout=60,
        max_attempts=1, warmup="request", extra_body={"service_tier": "priority"},
    )  # fmt: skip
    assert entry.backend == Backend(
        "mine", "Mine", "https://api.example.com/v1", "m", note="fast",
        prices=Prices(Decimal("1.25"), Decimal(10), Decimal("0.125"), "EUR", "settings"),
        extra_body={"service_tier": "priority"},
    )  # fmt: skip
    assert entry.limits == Limits(connect_s=3, first_token_s=600, stall_s=5.5, total_s=60, max_attempts=1)
    assert (entry.key, entry.warmup) == (KEY, WarmUp.REQUEST)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("model", 5), ("name", ["x"]), ("api_key", 7), ("price_in", True), ("price_in", "cheap"),
        ("price_out", -1), ("price_cached", "NaN"), ("currency", "euro"), ("stall_timeout", 0),
        ("total_timeout", "60"), ("first_token_timeout", float("inf")), ("max_attempts", 1.5),
        ("max_attempts", 0), ("warmup", "hot"), ("extra_body", "x=1"),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_kind_is_named_with_the_accepted_form(key: str, value: object) -> None:
    sentence = told(**{key: value})
    assert "[backends.mine]" in sentence
    assert f"{key} is {FIELDS[key]}" in sentence


def test_a_key_of_the_wrong_kind_is_not_repeated() -> None:
    assert "424242" not in told(api_key=424242)


def test_an_unknown_key_is_named_and_the_known_ones_listed() -> None:
    sentence = told(modell="x")
    assert "'modell'" in sentence
    assert "extra_body" in sentence


def test_the_origin_cannot_be_set() -> None:
    assert "origin cannot be set" in told(origin="live")


@pytest.mark.parametrize("missing", ["base_url", "model"])
def test_what_is_missing_is_named(missing: str) -> None:
    with pytest.raises(SettingsError, match=f"{missing} is missing"):
        read_table("mine", {k: v for k, v in PLAIN.items() if k != missing}, {})


def test_a_backend_that_is_no_table_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"\[backends\.mine\] must be a table"):
        read(written(tmp_path, 'backends.mine = "https://x"'), {})


def test_a_preset_gives_address_key_and_example_model() -> None:
    entry = read_table("fast", {"preset": "groq"}, {"GROQ_API_KEY": KEY})
    assert (entry.backend.base_url, entry.key) == ("https://api.groq.com/openai/v1", KEY)
    assert entry.backend.model


def test_what_a_table_says_itself_counts_more_than_its_preset() -> None:
    table = {"preset": "groq", "base_url": "http://127.0.0.1:9/v1", "model": "m", "api_key_env": "OTHER"}
    entry = read_table("fast", table, {"GROQ_API_KEY": "no", "OTHER": KEY})
    assert (entry.backend.base_url, entry.backend.model, entry.key) == ("http://127.0.0.1:9/v1", "m", KEY)


def test_a_provider_with_a_table_is_not_added_again_by_its_key(tmp_path: Path) -> None:
    secrets = written(tmp_path, '[backends.fast]\npreset = "groq"\n')
    entries = configured({"GROQ_API_KEY": KEY, "MISTRAL_API_KEY": KEY}, secrets)
    assert [entry.backend.id for entry in entries] == ["fast", "mistral-env"]


def test_a_preset_that_does_not_exist_is_told_with_those_that_do() -> None:
    with pytest.raises(SettingsError, match=r"'grok'.*groq"):
        read_table("fast", {"preset": "grok"}, {})


def test_a_preset_with_a_blank_in_its_address_asks_for_the_address() -> None:
    with pytest.raises(SettingsError, match=r"\{resource\}"):
        read_table("az", {"preset": "azure", "model": "d"}, {})


def test_a_teams_file_adds_its_backends_and_the_own_ones_count_more(tmp_path: Path) -> None:
    written(tmp_path, '[backends.a]\nbase_url="https://team/v1"\nmodel="t"\n'
                      '[backends.b]\nbase_url="https://team/v1"\nmodel="t"\n', "team.toml")  # fmt: skip
    secrets = written(tmp_path, '[tokenrace]\nbackends_file = "team.toml"\n'
                                '[backends.a]\nbase_url="https://own/v1"\nmodel="o"\n')  # fmt: skip
    assert [(e.backend.id, e.backend.model) for e in configured({}, secrets)] == [("a", "o"), ("b", "t")]


def test_the_variable_names_the_teams_file(tmp_path: Path) -> None:
    team = written(tmp_path, '[backends.b]\nbase_url="https://team/v1"\nmodel="t"\n', "team.toml")
    entries = configured({"TOKENRACE_BACKENDS": str(team)}, tmp_path / "none.toml")
    assert [entry.backend.id for entry in entries] == ["b"]


def test_a_teams_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no file"):
        configured({"TOKENRACE_BACKENDS": str(tmp_path / "gone.toml")}, tmp_path / "none.toml")


@pytest.mark.parametrize(
    "line", ['custom_adresses = true', 'custom_addresses = "yes"', 'allowed_hosts = "10.0.0.0/8"',
             'allowed_hosts = [1]', 'backends_file = 3'],
)  # fmt: skip
def test_a_mistake_about_the_product_is_named_too(tmp_path: Path, line: str) -> None:
    secrets = written(tmp_path, f"[tokenrace]\n{line}\n")
    with pytest.raises(SettingsError, match=r"\[tokenrace\]"):
        policy("0.0.0.0", secrets)


def test_the_policy_is_read_from_the_settings(tmp_path: Path) -> None:
    secrets = written(tmp_path, '[tokenrace]\ncustom_addresses = true\nallowed_hosts = ["10.1.0.0/16"]\n')
    found = policy("0.0.0.0", secrets)
    assert (found.loopback_only_server, found.custom_addresses, found.allowed_hosts) == (
        False,
        True,
        ("10.1.0.0/16",),
    )


@pytest.mark.parametrize(
    ("lines", "visitor", "forwarded", "everything"),
    [
        ("", None, False, True), ("", "127.0.0.1", False, True), ("", "::1", False, True),
        ("shared = true", None, False, False), ("", "192.168.1.9", False, False), ("", None, True, False),
        ("shared = false", None, True, False),
    ],
)  # fmt: skip
def test_a_server_on_loopback_that_others_reach_is_shared(
    tmp_path: Path, lines: str, visitor: str | None, forwarded: bool, everything: bool
) -> None:
    secrets = written(tmp_path, f"[tokenrace]\n{lines}\n")
    assert policy("127.0.0.1", secrets, visitor, forwarded).loopback_only_server is everything


def test_what_is_not_toml_is_told_with_the_files_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"secrets\.toml"):
        read(written(tmp_path, "[backends.x\n"), {})


def test_a_wrong_address_in_the_openai_variable_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="OPENAI_BASE_URL"):
        configured({"OPENAI_BASE_URL": "http://"}, tmp_path / "none.toml")


def test_an_offer_carries_limits_and_warm_up_of_its_table() -> None:
    no_local_models: Any = SimpleNamespace(models=list, state=Absent("not here"))
    catalogue = Catalogue(ServerProcess("lib.simulator"), no_local_models)
    offer = catalogue.offers([one(stall_timeout=5, warmup="connection")])["mine"]
    assert (offer.limits.stall_s, offer.warmup) == (5, WarmUp.CONNECTION)


def test_a_local_server_gets_time_to_load_its_model() -> None:
    local = read_table("mine", {"base_url": "http://127.0.0.1:8080/v1", "model": "m", "max_attempts": 1}, {})
    assert local.limits == Limits(first_token_s=300.0, max_attempts=1)


json_values = st.recursive(
    st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=20)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(str.strip)


@given(
    name=texts, shown=texts, model=texts, note=st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    body=st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), json_values, max_size=3),
    price=st.none() | st.decimals(0, 1000, places=4), stall=st.none() | st.floats(0.1, 1000),
    warmup=st.sampled_from(WarmUp),
)  # fmt: skip
def test_what_is_written_back_reads_as_the_same_backend(
    name: str, shown: str, model: str, note: str, body: dict[str, Any], price: Decimal | None,
    stall: float | None, warmup: WarmUp,
) -> None:  # fmt: skip
    prices = None if price is None else Prices(price, None, None, "EUR", "settings")
    backend = Backend(
        name, shown, "https://api.example.com/v1", model, note=note, prices=prices, extra_body=body
    )
    entry = Configured(backend, KEY, None if stall is None else Limits(stall_s=stall), warmup)
    text = as_toml(entry)
    assert KEY not in text
    ((table_name, table),) = tomllib.loads(text)["backends"].items()
    again = read_table(table_name, table, {table["api_key_env"]: KEY})
    assert (again.backend, again.key, again.limits, again.warmup) == (backend, KEY, entry.limits, warmup)


def test_the_variable_of_a_known_provider_stands_for_its_key() -> None:
    entry = Configured(Backend("own-1", "own-1", "https://api.groq.com/openai/v1", "m"), KEY)
    assert 'api_key_env = "GROQ_API_KEY"' in as_toml(entry)


def test_without_a_key_none_is_asked_for() -> None:
    assert "api_key" not in as_toml(Configured(Backend("own-1", "own-1", "http://127.0.0.1:1/v1", "m")))


def test_the_example_file_works_and_explains_every_field(tmp_path: Path) -> None:
    text = EXAMPLE.read_text("utf-8")
    assert configured({}, EXAMPLE) == (), "nothing is switched on before somebody fills it in"
    for unquoted in (re.sub(r"(?m)^# ?(?=\[|[\w.-]+ = )", "", text),):
        secrets = written(tmp_path, unquoted.replace('backends_file = "team/backends.toml"', ""))
        entries = configured({"AZURE_OPENAI_API_KEY": "k"}, secrets)
        assert len(entries) >= 4
        assert policy("0.0.0.0", secrets).custom_addresses is True
    named = set(re.findall(r"(?m)^#? ?(\w+) = ", text))
    assert (set(FIELDS) | set(PRODUCT_KEYS)) - named == set()
