"""Every replay case through the collector, on a real socket, must come out as its `expect` says."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from lib.collector.single import Measurer
from lib.domain.run import Backend, Limits, Params, Prices, Prompt
from lib.metrics.keys import measure_keys
from tests.contract.expectation import differences

HERE = Path(__file__).parent
CASES = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted((HERE / "cases").glob("*.json"))}
KEY = "sk-contract-0123456789abcdef"
AT_ONCE = 4


@pytest.fixture(scope="module")
def replay() -> Iterator[str]:
    """The address of the replay server."""
    command = [sys.executable, str(HERE / "replay_server.py"), "--port", "0", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().rsplit(maxsplit=1)[1]
        process.terminate()


@pytest.fixture(scope="module")
def measured(replay: str) -> dict[str, list[dict[str, Any]]]:
    """Every case's runs, measured a few at a time by one collector."""
    with Measurer() as measurer, ThreadPoolExecutor(AT_ONCE) as threads:
        _measure_case(measurer, replay, "f13-role-frame-long-before-token", "first-call")
        told = threads.map(lambda name: _measure_case(measurer, replay, name, "c"), CASES)
        return dict(zip(CASES, told, strict=True))


def _measure_case(measurer: Measurer, replay: str, name: str, token: str) -> list[dict[str, Any]]:
    case = CASES[name]
    client = case.get("client") or {}
    path = client.get("base_url_path", "/{id}/v1").replace("{id}", f"{name}@{token}")
    price = client.get("price_per_million")
    prices = Prices(*(Decimal(price[k]) for k in ("input", "output", "cached_input"))) if price else None
    backend = Backend("case", name, replay + path, case.get("model", "replay-model"), prices=prices)
    limits = Limits(
        first_token_s=client.get("first_token_timeout_s", 10.0),
        stall_s=client.get("stall_timeout_s", 10.0),
        stop_after_s=client["press_stop_at_ms"] / 1000 if "press_stop_at_ms" in client else None,
    )
    params = Params(max_tokens=client.get("max_output_tokens", 256))
    runs = len(case["expect"].get("runs", "1"))
    return [
        measure_keys(measurer.generation(backend, KEY, Prompt("Say something."), params, limits), backend)
        for _ in range(runs)
    ]


@pytest.mark.parametrize("name", CASES)
def test_case_comes_out_as_expected(name: str, measured: dict[str, list[dict[str, Any]]]) -> None:
    expect = CASES[name]["expect"]
    for wanted, got in zip(expect.get("runs", [expect]), measured[name], strict=True):
        assert differences(wanted, got, KEY) == []


@pytest.mark.parametrize("name", CASES)
def test_no_known_mistake_is_made(name: str, measured: dict[str, list[dict[str, Any]]]) -> None:
    wrong = CASES[name]["expect"].get("wrong_output_tokens", [])
    assert measured[name][0]["output_tokens"] not in wrong or not wrong


def test_stop_reaches_the_server_at_once(replay: str, measured: dict[str, list[dict[str, Any]]]) -> None:
    with urllib.request.urlopen(f"{replay}/_log") as response:
        log = json.load(response)
    entry = next(entry for entry in log if entry.get("case") == "f120-stop-while-streaming@c")
    pressed_ms = CASES["f120-stop-while-streaming"]["client"]["press_stop_at_ms"]
    assert entry["client_closed_ms"] - pressed_ms < 150


def test_the_key_is_in_nothing_that_is_reported(measured: dict[str, list[dict[str, Any]]]) -> None:
    assert KEY not in json.dumps(measured)
