"""A probe says what works and what to do, before the audience sits down."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lib.backends.probe import MAX_TOKENS, probe
from lib.backends.reach import Reach
from lib.backends.report import STEPS, Report, Step, title
from lib.collector.single import Measurer
from lib.domain.run import Backend, Limits
from lib.server_process import Ready, ServerProcess
from tests.backends.small_server import USAGE, WORDS, counting, models, serving

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-probe-0123456789abc"
LIMITS = Limits(connect_s=3, first_token_s=5, stall_s=5, total_s=10, max_attempts=1)
GOOD = {"GET /v1/models": models("m", "other"), "POST /v1/chat/completions": counting}


@pytest.fixture(scope="module")
def measurer() -> Iterator[Measurer]:
    with Measurer() as running:
        yield running


def probed(measurer: Measurer, base_url: str, model: str = "m", key: str = "") -> dict[str, Step]:
    report = probe(Backend("p", "p", base_url, model), key, LIMITS, measurer=measurer)
    assert sorted(step.name for step in report.steps) == sorted(STEPS)
    assert report.ok == (next(step for step in report.steps if step.name == "stream").ok is True)
    return {step.name: step for step in report.steps}


def chat(reply: Any) -> dict[str, Any]:
    return {**GOOD, "POST /v1/chat/completions": reply}


def test_a_good_server_passes_every_step(measurer: Measurer) -> None:
    with serving(GOOD) as server:
        steps = probed(measurer, server.base_url)
    passed = {name for name, step in steps.items() if step.ok}
    assert passed == set(STEPS) - {"tls", "reasoning"}
    assert steps["usage"].detail == "20 in, 8 out"
    assert steps["tokens_per_chunk"].detail == "1.0"
    assert all(steps[name].ms is not None for name in ("resolve", "tcp", "models", "stream", "first_token"))


def test_it_costs_one_small_request_with_the_key_as_its_header(measurer: Measurer) -> None:
    with serving(GOOD) as server:
        probed(measurer, server.base_url, key=KEY)
        asked = [one for one in server.asked if one.method == "POST"]
    assert [one.body["max_tokens"] for one in asked] == [MAX_TOKENS]
    assert {one.headers["authorization"] for one in server.asked} == {f"Bearer {KEY}"}


def test_steps_are_told_as_they_become_known(measurer: Measurer) -> None:
    told: list[Step] = []
    with serving(GOOD) as server:
        report = probe(Backend("p", "p", server.base_url, "m"), "", LIMITS, told.append, measurer=measurer)
    assert tuple(told) == report.steps
    assert [step.name for step in told[:6]] == ["address", "resolve", "tcp", "tls", "models", "stream"]


def test_an_address_is_cleaned_and_the_cleaned_one_is_used(measurer: Measurer) -> None:
    with serving(GOOD) as server:
        steps = probed(measurer, f" {server.base_url}//chat/completions ")
    assert steps["stream"].ok
    assert steps["address"].detail == f"{server.base_url} (cleaned)"


@pytest.mark.parametrize(
    "url", ["http://", "https://{resource}.openai.azure.com/openai/v1", "nonsense with blanks"]
)
def test_what_is_no_address_ends_there(measurer: Measurer, url: str) -> None:
    steps = probed(measurer, url)
    assert steps["address"].ok is False
    assert steps["address"].advice
    assert {step.ok for name, step in steps.items() if name != "address"} == {None}


def test_nobody_listening_is_told_with_what_to_do(measurer: Measurer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    steps = probed(measurer, f"http://127.0.0.1:{port}/v1")
    assert steps["tcp"].ok is False
    assert "nothing listens" in steps["tcp"].detail
    assert steps["tcp"].advice


def test_a_name_that_does_not_exist_is_told() -> None:
    def fails(_host: str, _port: int) -> list[str]:
        raise socket.gaierror(-2, "Name or service not known")

    step = Reach("http://gone.example/v1", 2, resolver=fails).resolve()
    assert step.ok is False
    assert "gone.example" in step.detail
    assert step.advice


def test_localhost_that_means_ipv6_first_is_warned_of() -> None:
    with serving(GOOD) as server:
        reach = Reach(f"http://localhost:{server.port}/v1", 2, resolver=lambda _h, _p: ["::1", "127.0.0.1"])
        resolved, connected = reach.resolve(), reach.tcp()
        reach.close()
    assert resolved.detail == "::1, 127.0.0.1"
    assert "127.0.0.1" in resolved.advice
    assert connected.ok
    assert connected.advice


def test_a_trusted_certificate_is_shown_with_its_days(
    monkeypatch: pytest.MonkeyPatch, certificate: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with Measurer() as trusting, serving(GOOD, certificate) as server:
        steps = probed(trusting, server.base_url)
    assert steps["tls"].ok
    assert steps["tls"].detail.startswith("TLSv1.")
    assert "29 more days" in steps["tls"].detail
    assert steps["models"].ok
    assert steps["stream"].ok


def test_a_certificate_about_to_end_is_warned_of(monkeypatch: pytest.MonkeyPatch, certificate: Path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with serving(GOOD, certificate) as server:
        reach = Reach(server.base_url, 2)
        reach.resolve()
        reach.tcp()
        step = reach.tls(datetime.now(UTC).timestamp() + 20 * 86_400)
        reach.close()
    assert "9 more days" in step.detail
    assert step.advice


def test_a_certificate_nobody_vouches_for_is_told(measurer: Measurer, certificate: Path) -> None:
    with serving(GOOD, certificate) as server:
        steps = probed(measurer, server.base_url)
    assert steps["tls"].ok is False
    assert "self-signed" in steps["tls"].detail
    assert "SSL_CERT_FILE" in steps["tls"].advice


def test_https_to_a_server_without_tls_is_told(measurer: Measurer) -> None:
    with serving(GOOD) as server:
        steps = probed(measurer, server.base_url.replace("http:", "https:"))
    assert steps["tls"].ok is False
    assert "http" in steps["tls"].advice


def test_a_model_that_is_not_listed_gets_the_nearest_names(measurer: Measurer) -> None:
    with serving({**GOOD, "GET /v1/models": models("llama-3.3-70b-versatile", "whisper")}) as server:
        step = probed(measurer, server.base_url, "llama-3.3-70b")["models"]
    assert step.ok is None
    assert step.advice == "Did you mean llama-3.3-70b-versatile?"


def test_a_server_without_a_list_of_models_can_race(measurer: Measurer) -> None:
    with serving({"POST /v1/chat/completions": counting}) as server:
        steps = probed(measurer, server.base_url)
    assert (steps["models"].ok, steps["stream"].ok) == (None, True)


def test_a_refused_key_is_told_and_not_repeated(measurer: Measurer) -> None:
    def refuse(handler: Any, asked: Any) -> None:
        handler.answer({"error": {"message": f"Incorrect key: {asked.headers['authorization']}"}}, 401)

    with serving({"GET /v1/models": refuse, "POST /v1/chat/completions": refuse}) as server:
        steps = probed(measurer, server.base_url, key=KEY)
    assert (steps["models"].ok, steps["stream"].ok) == (False, False)
    assert "key" in steps["stream"].advice.lower()
    assert KEY not in json.dumps(Report(tuple(steps.values())).document())


def test_a_key_typed_in_the_wrong_field_is_shown_in_no_step(measurer: Measurer) -> None:
    told: list[Step] = []
    with serving(GOOD) as server:
        address = server.base_url.replace("://", f"://user:{KEY}@") + f"?key={KEY}"
        probe(Backend("p", "p", server.base_url, KEY), KEY, LIMITS, told.append, measurer=measurer)
        probe(Backend("p", "p", address, "m"), KEY, LIMITS, told.append, measurer=measurer)
    assert KEY not in json.dumps(Report(tuple(told)).document())


def test_a_redirect_is_told_with_what_to_do(measurer: Measurer) -> None:
    def away(handler: Any, _asked: Any) -> None:
        handler.answer(b"", 308, Location="https://elsewhere.example/v1")

    with serving({"GET /v1/models": away, "POST /v1/chat/completions": away}) as server:
        steps = probed(measurer, server.base_url)
    assert "elsewhere.example" in steps["models"].detail
    assert steps["stream"].ok is False
    assert "redirect" in steps["stream"].advice


def test_missing_token_counts_are_told(measurer: Measurer) -> None:
    with serving(
        chat(lambda handler, _asked: handler.stream([{"content": f"{w} "} for w in WORDS], None))
    ) as server:
        steps = probed(measurer, server.base_url)
    assert steps["usage"].ok is False
    assert "estimated" in steps["usage"].advice
    assert steps["stream"].ok


def test_refused_stream_options_are_told_and_hinder_nothing(measurer: Measurer) -> None:
    def picky(handler: Any, asked: Any) -> None:
        if "stream_options" in asked.body:
            handler.answer(
                {"error": {"message": "unknown field stream_options", "param": "stream_options"}}, 400
            )
        else:
            counting(handler, asked)

    with serving(chat(picky)) as server:
        steps = probed(measurer, server.base_url)
    assert steps["stream_options"].ok is False
    assert steps["stream"].ok


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_the_field_of_visible_thinking_is_named(measurer: Measurer, field: str) -> None:
    deltas = [{field: "Let me count. "}, {field: "Yes. "}, *({"content": f"{word} "} for word in WORDS)]
    with serving(chat(lambda handler, _asked: handler.stream(deltas, USAGE))) as server:
        step = probed(measurer, server.base_url)["reasoning"]
    assert step.ok
    assert step.detail == f"shown, in the field {field}"


def test_thinking_between_tags_is_named_also_when_a_tag_is_split(measurer: Measurer) -> None:
    deltas = [
        {"content": "<thi"},
        {"content": "nk>Let me count.</think>"},
        *({"content": f"{w} "} for w in WORDS),
    ]
    with serving(chat(lambda handler, _asked: handler.stream(deltas, USAGE))) as server:
        step = probed(measurer, server.base_url)["reasoning"]
    assert step.detail == "shown, in the field content (tags)"


def test_token_counts_of_zero_are_no_counts(measurer: Measurer) -> None:
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    with serving(
        chat(lambda handler, _asked: handler.stream([{"content": w} for w in WORDS], usage))
    ) as server:
        steps = probed(measurer, server.base_url)
    assert (steps["usage"].ok, steps["stream"].ok) == (False, True)


def test_hidden_thinking_is_told_by_its_count(measurer: Measurer) -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 40,
        "completion_tokens_details": {"reasoning_tokens": 32},
    }
    with serving(
        chat(lambda handler, _asked: handler.stream([{"content": w} for w in WORDS], usage))
    ) as server:
        step = probed(measurer, server.base_url)["reasoning"]
    assert "32" in step.detail
    assert step.advice


def test_an_answer_of_hidden_thinking_alone_can_race(measurer: Measurer) -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 32,
        "completion_tokens_details": {"reasoning_tokens": 32},
    }
    with serving(chat(lambda handler, _asked: handler.stream([{"content": ""}], usage))) as server:
        steps = probed(measurer, server.base_url)
    assert steps["stream"].ok
    assert "hidden" in steps["stream"].detail
    assert steps["first_token"].ok is None


def test_a_stream_held_back_is_suspected_of_buffering(measurer: Measurer) -> None:
    held = chat(
        lambda handler, _asked: handler.stream([{"content": f"{w} "} for w in WORDS], USAGE, at_once=True)
    )
    with serving(held) as server:
        step = probed(measurer, server.base_url)["buffering"]
    assert step.ok is False
    assert "proxy_buffering" in step.advice


def test_several_tokens_in_a_chunk_are_shown(measurer: Measurer) -> None:
    deltas = [{"content": " ".join(WORDS[:4]) + " "}, {"content": " ".join(WORDS[4:])}]
    with serving(chat(lambda handler, _asked: handler.stream(deltas, USAGE))) as server:
        step = probed(measurer, server.base_url)["tokens_per_chunk"]
    assert step.detail == "4.0"
    assert "between chunks" in step.advice


def test_a_web_page_in_place_of_an_api_is_told(measurer: Measurer) -> None:
    def page(handler: Any, _asked: Any) -> None:
        handler.answer(b"<!doctype html><title>Hello</title>", Content_Type="text/html")

    with serving({"GET /v1/models": page, "POST /v1/chat/completions": page}) as server:
        steps = probed(measurer, server.base_url)
    assert (steps["models"].ok, steps["stream"].ok) == (False, False)
    assert "web page" in steps["models"].detail


def test_every_step_has_a_title() -> None:
    assert [name for name in STEPS if title(name) == name] == ["stream_options"]


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lib", "probe", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120,
        env={**os.environ, **environment}, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def simulator() -> Iterator[str]:
    process = ServerProcess("lib.simulator")
    process.start()
    ready = process.wait(30)
    assert isinstance(ready, Ready)
    yield ready.base_url
    process.close()


def test_the_command_prints_the_steps_and_succeeds_when_the_backend_can_race(simulator: str) -> None:
    done = command("--base-url", simulator, "--model", "gpt-5.6-sol-ultrafast", "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["ok"]) == (0, True)
    assert [set(step) for step in document["steps"]] == [{"name", "ok", "detail", "advice", "ms"}] * len(
        STEPS
    )


def test_the_command_fails_when_it_cannot_and_never_prints_the_key(simulator: str) -> None:
    done = command("--base-url", simulator, "--model", "none", "--api-key-env", "PROBE_KEY", PROBE_KEY=KEY)
    assert done.returncode == 1
    assert "cannot race" in done.stdout
    assert KEY not in done.stdout + done.stderr


def test_the_command_takes_a_backend_from_the_settings(simulator: str, tmp_path: Path) -> None:
    settings = tmp_path / "team.toml"
    settings.write_text(f'[backends.quick]\nbase_url = "{simulator}"\nmodel = "gpt-5.6-sol-ultrafast"\n')
    assert command("--backend", "quick", TOKENRACE_BACKENDS=str(settings)).returncode == 0
    gone = command("--backend", "gone", "--json", TOKENRACE_BACKENDS=str(settings))
    assert gone.returncode == 2
    assert json.loads(gone.stdout)["ok"] is False
    assert "quick" in gone.stderr


@pytest.mark.parametrize("arguments", [(), ("--base-url", "http://127.0.0.1:1"), ("--api-key-env", "NOT_SET_ANYWHERE",
                                       "--base-url", "http://127.0.0.1:1", "--model", "m")])  # fmt: skip
def test_the_command_says_what_is_missing(arguments: tuple[str, ...]) -> None:
    done = command(*arguments)
    assert done.returncode == 2
    assert done.stderr
