"""Both ways to start the product lead to the same server, and the command line says what it promises."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from lib.server_process import Ready, ServerProcess
from tests.browser.conftest import free_port, until_healthy

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    "command",
    [
        ["-m", "uvicorn", "app:app", "--host", "127.0.0.1", "--log-level", "warning", "--port"],
        ["-m", "streamlit", "run", "app.py", "--server.baseUrlPath", "race-day", "--server.port"],
    ],
    ids=["uvicorn", "streamlit below a base path"],
)
def test_the_app_starts_with_its_routes_and_its_policy(command: list[str]) -> None:
    port = free_port()
    prefix = "/race-day" if "race-day" in command else ""
    url = f"http://127.0.0.1:{port}{prefix}"
    with subprocess.Popen([sys.executable, *command, str(port)], cwd=ROOT, stderr=subprocess.DEVNULL) as process:
        try:
            until_healthy(url, process)
            with urllib.request.urlopen(url) as response:
                assert "img-src 'self' data: blob:" in response.headers["content-security-policy"]
            with pytest.raises(urllib.error.HTTPError) as told:
                urllib.request.urlopen(f"{url}/race/sse/unknown")
            assert told.value.code == 404
            assert told.value.read() == b"no such run\n"
        finally:
            process.terminate()
            process.wait(20)


@pytest.fixture(scope="module")
def simulator() -> str:
    process = ServerProcess("lib.simulator")
    process.start()
    ready = process.wait(30)
    assert isinstance(ready, Ready)
    yield ready.base_url
    process.close()


def measure(*arguments: str, key: str = "", prompt: str = "") -> tuple[int, dict[str, object], str]:
    command = [sys.executable, "-m", "lib", "measure", *arguments, "--json"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, input=prompt, timeout=120,
        env={"PATH": "/usr/bin:/bin", "MEASURE_KEY": key},
    )  # fmt: skip
    return done.returncode, json.loads(done.stdout), done.stderr


def test_measure_prints_one_document_and_exits_with_success(simulator: str) -> None:
    code, document, progress = measure(
        "--base-url", simulator, "--model", "gpt-5.6-sol-ultrafast", "--trials", "2", "--max-tokens", "256",
        "--price-in", "5", "--price-out", "30", "--api-key-env", "MEASURE_KEY", "--prompt", "-",
        key="sk-measured-secret", prompt="Say something.",
    )  # fmt: skip
    assert code == 0
    assert document.keys() == {"product", "version", "backend", "trials", "summary"}
    trials = document["trials"]
    assert [trial["status"] for trial in trials] == ["complete"] * 2
    assert [trial["output_tokens"] for trial in trials] == [256] * 2
    assert trials[0]["decode_tok_s"] == pytest.approx(750, rel=0.15)
    assert float(trials[0]["cost_usd"]) > 0
    assert "2/2" in progress
    assert "sk-measured-secret" not in json.dumps(document) + progress


def test_measure_reports_a_failure_and_exits_without_success(simulator: str) -> None:
    code, document, _ = measure("--base-url", simulator, "--model", "no-such-model")
    assert code == 1
    assert document["trials"][0]["error_kind"] == "not_found"
    assert "no-such-model" in document["trials"][0]["error_message"]


def test_measure_stops_as_if_stop_were_pressed(simulator: str) -> None:
    _, document, _ = measure("--base-url", simulator, "--model", "gpt4-tier-cloud", "--stop-after-ms", "900")
    trial = document["trials"][0]
    assert trial["status"] == "stopped"
    assert trial["text"]
    assert "stopped_by_user" in trial["warnings"]
