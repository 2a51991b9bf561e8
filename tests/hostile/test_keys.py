"""A known key, sent to servers that fail and servers that repeat it: nothing that leaves us may hold a piece of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lib.backends.catalogue import Offer
from lib.backends.settings import Configured
from lib.collector.order import order_for
from lib.collector.single import Measurer
from lib.domain import events as ev
from lib.domain.codec import encode_run
from lib.domain.run import Backend, Limits, Mode, Params, Prompt, Run
from lib.export.run_tables import deltas_csv, lanes_csv
from lib.metrics.keys import measure_keys
from lib.server_process import Ready, ServerProcess
from tests.collector.wire_server import DONE, Request, Wire, WireServer, finished, said, serving
from tests.hostile.echoing import ECHOES, KEYS, PIECE, PLAIN, echoing, left_of
from tests.live.test_hub import has_result, new_hub, until

ROOT = Path(__file__).resolve().parents[2]
CASES = {
    path.stem: json.loads(path.read_text("utf-8")) for path in (ROOT / "tests/contract/cases").glob("*.json")
}
GOOD_SAMPLE = 6
AT_ONCE = 8
LIMITS = Limits(connect_s=5, first_token_s=1.5, stall_s=1.5, total_s=20, max_attempts=2, max_wait_s=2)
PROMPT, PARAMS = Prompt("Say something."), Params(max_tokens=32)


def fails(case: dict[str, Any]) -> bool:
    told = case["expect"]
    outcomes = [one.get("status") for one in (told, *told.get("any_of", ()), *told.get("runs", ()))]
    return any(outcome not in (None, "complete") for outcome in outcomes)


FAILING = sorted(name for name, case in CASES.items() if fails(case))
CHOSEN = [*FAILING, *sorted(set(CASES) - set(FAILING))[:GOOD_SAMPLE]]


@pytest.fixture(scope="module")
def echo() -> Iterator[WireServer]:
    with echoing() as server:
        yield server


@pytest.fixture(scope="module")
def replay() -> Iterator[str]:
    command = [sys.executable, "tests/contract/replay_server.py", "--port", "0", "--quiet", "--speed", "20"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        yield process.stdout.readline().rsplit(maxsplit=1)[1]
        process.terminate()


@pytest.fixture(scope="module")
def backends(echo: WireServer, replay: str) -> tuple[Backend, ...]:
    """Every server of this module: those that echo, the failing cases, some good ones."""
    addresses = {name: f"http://{echo.address}/{name}/v1" for name in ECHOES}
    addresses |= {name: f"{replay}/{name}@keys/v1" for name in CHOSEN}
    addresses["refused"] = "http://127.0.0.1:9/v1"
    addresses["unknown-name"] = "http://unknown.invalid/v1"
    return tuple(Backend(name, name, address, "m") for name, address in addresses.items())


@pytest.fixture(scope="module")
def measurer() -> Iterator[Measurer]:
    with Measurer() as measurer:
        yield measurer


def test_there_are_cases_of_every_kind() -> None:
    assert len(FAILING) >= 12
    assert "f114-401-echoes-the-key" in FAILING


@pytest.mark.parametrize("kind", KEYS)
def test_no_generation_holds_a_piece_of_the_key(
    kind: str, measurer: Measurer, backends: tuple[Backend, ...]
) -> None:
    key = KEYS[kind]

    def told(backend: Backend) -> str:
        generation = measurer.generation(backend, key, PROMPT, PARAMS, LIMITS)
        assert generation.of(ev.Ended)
        return repr(generation) + json.dumps(measure_keys(generation, backend), ensure_ascii=False)

    with ThreadPoolExecutor(AT_ONCE) as threads:
        texts = dict(zip([backend.name for backend in backends], threads.map(told, backends), strict=True))
    assert {name: left for name, text in texts.items() if (left := left_of(key, text))} == {}


def test_what_is_hidden_is_marked_and_the_rest_of_the_text_stays(
    measurer: Measurer, backends: tuple[Backend, ...]
) -> None:
    texts = next(backend for backend in backends if backend.name == "texts")
    keys = measure_keys(measurer.generation(texts, PLAIN, PROMPT, PARAMS, LIMITS), texts)
    assert keys["text"] == "Yours is [key hidden], or [key hidden]."
    assert keys["reasoning_text"] == "The key is [key hidden]. "
    assert keys["tool_calls"] == [{"name": "use_[key hidden]", "arguments": '{"key": "[key hidden]"}'}]


@pytest.mark.parametrize("placeholder", ["none", "test", "EMPTY", "", "end"])
def test_a_placeholder_for_a_key_is_left_alone_in_answers(measurer: Measurer, placeholder: str) -> None:
    text = f"none of the test: EMPTY, the end {placeholder}"

    def reply(_request: Request, wire: Wire) -> None:
        wire.head()
        wire.send(said(text), finished(), DONE)

    with serving(reply) as server:
        backend = Backend("b", "b", server.base_url, "m")
        generation = measurer.generation(backend, placeholder, PROMPT, PARAMS, LIMITS)
    assert "".join(delta.text for delta in generation.of(ev.Delta)) == text


def test_a_key_cut_over_two_chunks_is_in_the_text_alone(measurer: Measurer) -> None:
    def reply(request: Request, wire: Wire) -> None:
        key = request.headers["authorization"].removeprefix("Bearer ")
        wire.head()
        wire.send(said(key[:8]), said(key[8:16]), said(key[16:]), finished(), DONE)

    with serving(reply) as server:
        backend = Backend("b", "b", server.base_url, "m")
        generation = measurer.generation(backend, PLAIN, PROMPT, PARAMS, LIMITS)
    deltas = generation.of(ev.Delta)
    assert "".join(delta.text for delta in deltas) == PLAIN
    assert left_of(PLAIN, repr([delta.text for delta in deltas])) == []
    assert left_of(PLAIN, repr([event for event in generation.events if event not in deltas])) == []


@pytest.mark.parametrize("kind", KEYS)
def test_no_message_row_result_or_export_of_a_race_holds_a_piece_of_any_key(
    kind: str, backends: tuple[Backend, ...]
) -> None:
    key = KEYS[kind]
    run = Run(f"race-{len(key)}", PROMPT, PARAMS, Mode.ALL_AT_ONCE, backends)
    hub = new_hub()
    try:
        live = hub.start(
            run, dict.fromkeys(range(len(backends)), key), dict.fromkeys(range(len(backends)), LIMITS)
        )
        until(live, has_result)
        recorded = live.recorded()
        exports = encode_run(recorded) + lanes_csv(recorded, None) + deltas_csv(recorded)
        texts = {
            "messages": "".join(live.messages),
            "rows": json.dumps(live.lane_rows(), ensure_ascii=False),
            "exports": exports.decode(),
            "values": repr((recorded, run, vars(live), vars(hub), vars(hub.collector))),
        }
    finally:
        hub.close()
    assert {name: left for name, text in texts.items() if (left := left_of(key, text))} == {}


def test_one_lanes_key_in_another_lanes_answer_is_hidden_too() -> None:
    def reply(_request: Request, wire: Wire) -> None:
        wire.head()
        wire.send(said(f"Your neighbour's key is {PLAIN}."), finished(), DONE)

    hub = new_hub()
    try:
        with serving(reply) as server:
            lanes = tuple(Backend(name, name, server.base_url, "m") for name in "ab")
            run = Run("neighbours", PROMPT, PARAMS, Mode.ALL_AT_ONCE, lanes)
            live = hub.start(run, {0: PLAIN}, dict.fromkeys(range(2), LIMITS))
            until(live, has_result)
        assert left_of(PLAIN, json.dumps(live.lane_rows()) + "".join(live.messages)) == []
    finally:
        hub.close()


def _settings(backends: tuple[Backend, ...], variable: str) -> str:
    tables = [
        f'[backends.{b.id}]\nbase_url = "{b.base_url}"\nmodel = "m"\napi_key_env = "{variable}"\n'
        for b in backends
    ]
    return "\n".join(tables)


def _environment(settings: Path, key: str) -> dict[str, str]:
    """Everything that makes Python and the SDK talk."""
    return {**os.environ, "TOKENRACE_BACKENDS": str(settings), "HOSTILE_KEY": key, "PYTHONDEVMODE": "1",
            "PYTHONASYNCIODEBUG": "1", "OPENAI_LOG": "debug"}  # fmt: skip


@pytest.mark.parametrize("kind", ["plain", "with a carriage return", "with a character that cannot be sent"])
@pytest.mark.parametrize("as_json", [True, False])
def test_measure_prints_no_piece_of_the_key(
    kind: str, as_json: bool, backends: tuple[Backend, ...], tmp_path: Path
) -> None:
    settings = tmp_path / "backends.toml"
    settings.write_text(_settings(backends, "HOSTILE_KEY"), "utf-8")
    command = [sys.executable, "-X", "dev", "-m", "lib", "measure", "--max-tokens", "32",
               "--first-token-timeout", "1.5", "--stall-timeout", "1.5", *(["--json"] * as_json)]  # fmt: skip
    for backend in backends:
        command += ["--backend", backend.id]
    done = subprocess.run(
        command, cwd=ROOT, env=_environment(settings, KEYS[kind]), capture_output=True, text=True, timeout=200
    )
    assert "Traceback" not in done.stderr
    assert len(done.stdout) > 200
    assert left_of(KEYS[kind], done.stdout + done.stderr) == []


def test_what_a_wrong_call_of_measure_says_holds_no_piece_of_the_key(tmp_path: Path) -> None:
    settings = tmp_path / "backends.toml"
    settings.write_text(f'[backends.a]\nbase_url = ""\nmodel = "m"\napi_key = "{PLAIN}"\n', "utf-8")
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-m", "lib", "measure", "--backend", "a"],
        cwd=ROOT, env=_environment(settings, PLAIN), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode != 0
    assert left_of(PLAIN, done.stdout + done.stderr) == []


def test_no_child_process_is_started_with_the_key_in_its_arguments_or_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[str] = []
    real = subprocess.Popen

    def popen(*arguments: Any, **options: Any) -> Any:
        started.append(repr((arguments, options["env"])))
        return real(*arguments, **options)

    for variable in ("OPENAI_API_KEY", "HOSTILE_KEY"):
        monkeypatch.setenv(variable, PLAIN)
    monkeypatch.setattr(subprocess, "Popen", popen)
    server = ServerProcess("lib.simulator")
    with Measurer() as measurer:
        server.start()
        assert isinstance(server.wait(30), Ready)
        server.close()
        measurer.generation(Backend("b", "b", "http://127.0.0.1:9/v1", "m"), PLAIN, PROMPT, PARAMS, LIMITS)
    assert len(started) == 2
    assert "PATH" in started[0]
    assert left_of(PLAIN, "".join(started)) == []


def test_no_value_shows_its_key_when_it_is_printed() -> None:
    backend = Backend("b", "b", "http://127.0.0.1:9/v1", "m")
    values = [Offer(backend, PLAIN), Configured(backend, PLAIN),
              order_for(0, backend, PROMPT, PARAMS, LIMITS, "q", PLAIN)]  # fmt: skip
    assert left_of(PLAIN, repr(values) + "".join(map(str, values))) == []


def test_a_piece_of_a_key_would_be_found() -> None:
    assert left_of(PLAIN, f"...{PLAIN[5 : 5 + PIECE]}...") == [PLAIN[5 : 5 + PIECE]]
    assert left_of(KEYS["with a character that cannot be sent"], "Zq7Wm4Xc9\\xe9Rb2Kt5") != []
    assert left_of(PLAIN, "[key hidden]") == []
