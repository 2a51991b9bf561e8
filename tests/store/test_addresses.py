"""Addresses that hold a key: neither what is kept nor what leaves repeats it, and racing them is unchanged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lib.domain.codec import decode_run
from lib.domain.run import Run, public_address
from lib.export.html import replay_html
from lib.export.recording import recording_json
from lib.export.run_tables import lanes_csv
from lib.store.store import Store
from tests.store.runs import race

SECRET = "hunter2-of-the-lighthouse"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://host.example/v1", "https://host.example/v1"),
        ("https://u:pass@host.example:8443/v1", "https://host.example:8443/v1"),
        ("https://host.example/v1?key=x", "https://host.example/v1"),
        ("http://[::1", ""),
        ("", ""),
    ],
)
def test_an_address_is_shown_without_what_can_be_a_key(address: str, shown: str) -> None:
    assert public_address(address) == shown


@pytest.fixture(params=[f"https://u:{SECRET}@host.example/v1", f"https://host.example/v1?api_key={SECRET}"])
def run(request: pytest.FixtureRequest) -> Run:
    made = race("one")
    return replace(made, backends=tuple(replace(one, base_url=request.param) for one in made.backends))


@pytest.mark.parametrize("export", [recording_json, replay_html, lambda run: lanes_csv(run, None)])
def test_no_export_repeats_it(run: Run, export: Callable[[Run], bytes]) -> None:
    assert SECRET.encode() not in export(run)
    assert decode_run(recording_json(run)).backends[0].base_url == "https://host.example/v1"


def test_the_database_does_not_hold_it(run: Run, tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'h.sqlite'}")
    store.save(run)
    assert store.open("one").backends[0].base_url == store.row("one").lanes[0].base_url == "https://host.example/v1"
    store.close()
    held = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert SECRET.encode() not in held
