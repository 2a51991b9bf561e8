"""`python -m lib measure --trials`: the same figures as on the page, by the same rules."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lib.server_process import Ready, ServerProcess

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    process = ServerProcess("lib.simulator")
    process.start()
    ready = process.wait(30)
    assert isinstance(ready, Ready)
    lanes = {
        "fast": "{ ttft_ms = 40, tok_s = 400, tokens = 80 }",
        "slow": "{ ttft_ms = 80, tok_s = 200, tokens = 80 }",
    }
    settings = tmp_path_factory.mktemp("measure") / "backends.toml"
    tables = [
        f'[backends.{name}]\nbase_url = "{ready.base_url}"\nmodel = "gpt-5.6-sol-ultrafast"\nname = "{name.title()}"\n'
        f"[backends.{name}.extra_body]\nsimulator = {wish}\n"
        for name, wish in lanes.items()
    ]
    settings.write_text("\n".join(tables), "utf-8")
    yield {**os.environ, "TOKENRACE_BACKENDS": str(settings)}
    process.close()


def measure(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "-m", "lib", "measure", *arguments, "--trials", "3"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def document(environment: dict[str, str], *arguments: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(measure(environment, *arguments, "--json"))
    return read


BOTH = ("--backend", "fast", "--backend", "slow")


def test_interleaved_trials_give_each_pair_a_ratio_with_its_interval(environment: dict[str, str]) -> None:
    read = document(environment, *BOTH, "--interleave", "--cold", "--warm-up")
    summary = read["summary"]
    assert (summary["rounds"], summary["condition"], summary["interleaved"]) == (3, "cold", True)
    assert [one["figure"] for one in summary["ratios"]] == [
        "normalised_e2e_tok_s",
        "decode_tok_s",
        "ttfat_ms",
    ]
    ratio = summary["ratios"][0]
    assert (ratio["a"], ratio["b"], ratio["rounds"]) == ("Slow", "Fast", 3)
    assert ratio["low"] <= ratio["ratio"] <= ratio["high"] < 1
    assert ratio["sentence"].startswith("Fast is ")
    assert [len(one["trials"]) for one in read["backends"]] == [3, 3]


def test_blocks_of_trials_are_not_compared(environment: dict[str, str]) -> None:
    summary = document(environment, *BOTH)["summary"]
    assert summary["ratios"] == []
    assert "not interleaved" in summary["reason"]


def test_one_backend_keeps_the_documented_shape_and_no_percentile_comes_from_three(
    environment: dict[str, str],
) -> None:
    read = document(environment, "--backend", "fast")
    assert read.keys() == {"product", "version", "backend", "trials", "summary"}
    summary = read["summary"]
    rates = [trial["e2e_tok_s"] for trial in read["trials"]]
    assert summary["range"]["e2e_tok_s"] == [min(rates), max(rates)]
    assert summary["median"]["e2e_tok_s"] == sorted(rates)[1]
    assert set(summary["p90"].values()) == {None}
    assert summary["goodput"]["judged"] == 3


def test_a_limit_of_ones_own_decides_what_is_good_enough(environment: dict[str, str]) -> None:
    summary = document(environment, "--backend", "fast", "--good-ttfat-ms", "1")["summary"]
    assert (summary["goodput"]["good"], summary["goodput"]["judged"]) == (0, 3)


def test_the_text_says_median_range_and_sentence(environment: dict[str, str]) -> None:
    told = measure(environment, *BOTH, "--interleave")
    assert "Fast: 3 of 3 complete" in told
    assert "median e2e_tok_s: " in told
    assert "Fast is " in told
