"""The local model as a stranger meets it: a real process, a real socket, the OpenAI client.

Its two packages are part of `make setup`. Where a platform has none, what must hold instead is that the
product says so in a sentence.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai
import pytest

from lib.local_model import weights
from lib.server_process import Absent, Failed, Idle, Ready, ServerProcess

ROOT = Path(__file__).resolve().parents[2]
PROMPT = [{"role": "user", "content": "Name three colours of the sea."}]
REPEATED = (
    "Repeat this code exactly, twice:\ndef centre(points):\n    total = sum(point.mass for point in points)\n"
    "    x = sum(point.mass * point.x for point in points) / total\n    return x\n"
)
PATIENCE_S = 60


def local_model() -> ServerProcess:
    return ServerProcess("lib.local_model", absence=weights.unavailable_reason)


def run_alone(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lib.local_model", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def test_a_missing_engine_is_told_in_a_sentence_with_the_command_that_helps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(weights, "ENGINE_PACKAGE", "no_such_engine")
    reason = weights.unavailable_reason()
    assert reason is not None
    assert "make local-model" in reason


def test_missing_weights_are_told_in_a_sentence_with_the_command_that_helps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(weights, "ENGINE_PACKAGE", "json")
    monkeypatch.setattr(weights, "WEIGHTS_PACKAGE", "no_such_weights")
    assert "make local-model" in (weights.unavailable_reason() or "")
    with pytest.raises(weights.WeightsError):
        weights.verified_file()


def test_a_machine_without_the_model_gets_a_state_and_no_process() -> None:
    model = ServerProcess("lib.local_model", absence=lambda: "Not here.")
    model.start()
    assert model.state == Absent("Not here.")
    assert model.base_url is None


if weights.unavailable_reason() is not None:

    def test_without_its_packages_the_process_says_why_and_ends() -> None:
        ended = run_alone()
        assert ended.returncode == 1
        assert json.loads(ended.stdout) == {"error": weights.unavailable_reason()}

else:

    @pytest.fixture(scope="module")
    def ready() -> Iterator[Ready]:
        model = local_model()
        model.start()
        state = model.wait(PATIENCE_S)
        assert isinstance(state, Ready), state
        yield state
        model.close()

    @pytest.fixture
    def client(ready: Ready) -> Iterator[openai.OpenAI]:
        with openai.OpenAI(base_url=ready.base_url, api_key="none", max_retries=0) as client:
            yield client

    def chat(client: openai.OpenAI, limit: int) -> list[Any]:
        stream = client.chat.completions.create(
            model=weights.MODEL,
            messages=PROMPT,
            stream=True,
            max_tokens=limit,
            temperature=0,
            seed=1,
            stream_options={"include_usage": True},
            extra_body={"cache_prompt": False},
        )
        return list(stream)

    def text_of(chunks: list[Any]) -> str:
        return "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)

    def test_it_answers_on_loopback_and_says_who_it_is(ready: Ready) -> None:
        assert ready.base_url.startswith("http://127.0.0.1:")
        assert ready.base_url.endswith("/v1")
        assert ready.told == {"model": weights.MODEL, "engine": weights.engine_name()}

    def test_it_lists_the_model_under_the_name_it_announced(client: openai.OpenAI) -> None:
        assert [model.id for model in client.models.list()] == [weights.MODEL]

    def test_a_stream_brings_text_usage_a_finish_reason_and_the_servers_own_timings(
        client: openai.OpenAI,
    ) -> None:
        chunks = chat(client, limit=24)
        reasons = [c.choices[0].finish_reason for c in chunks if c.choices and c.choices[0].finish_reason]
        assert len(text_of(chunks).split()) > 5
        assert reasons == ["length"]
        assert chunks[-1].usage.completion_tokens == 24
        assert chunks[-1].timings["predicted_n"] == 24

    def test_the_same_request_gives_the_same_text(client: openai.OpenAI) -> None:
        assert text_of(chat(client, limit=16)) == text_of(chat(client, limit=16))

    def test_two_lanes_are_answered_at_once_and_alike(client: openai.OpenAI) -> None:
        with ThreadPoolExecutor(2) as pool:
            first, second = pool.map(lambda limit: text_of(chat(client, limit)), (16, 16))
        assert first == second != ""

    def test_a_long_prompt_and_2048_tokens_of_answer_have_room(client: openai.OpenAI) -> None:
        listing = client.get("/models", cast_to=object)
        assert isinstance(listing, dict)
        assert listing["data"][0]["meta"]["n_ctx"] >= 2048 + 2048

    def test_a_prompt_beyond_the_context_is_refused_in_words(client: openai.OpenAI) -> None:
        with pytest.raises(openai.BadRequestError, match="context size"):
            client.chat.completions.create(
                model=weights.MODEL, messages=[{"role": "user", "content": "sea " * 5000}], max_tokens=1
            )

    def started(*arguments: str) -> tuple[ServerProcess, Ready]:
        model = ServerProcess("lib.local_model", *arguments)
        model.start()
        state = model.wait(PATIENCE_S)
        assert isinstance(state, Ready), state
        return model, state

    def test_guessing_ahead_gives_the_same_text_and_says_what_was_kept(client: openai.OpenAI) -> None:
        request: dict[str, Any] = {
            "messages": [{"role": "user", "content": REPEATED}], "max_tokens": 96, "temperature": 0, "seed": 1,
            "extra_body": {"cache_prompt": False},
        }  # fmt: skip
        plain = client.chat.completions.create(model=weights.MODEL, **request)
        model, state = started("--speculation", "ngram")
        with openai.OpenAI(base_url=state.base_url, api_key="none", max_retries=0) as guessing:
            guessed: Any = guessing.chat.completions.create(model=weights.MODEL, **request)
        model.close()
        assert guessed.choices[0].message.content == plain.choices[0].message.content
        assert 0 < guessed.timings["draft_n_accepted"] <= guessed.timings["draft_n"]

    def test_any_file_is_served_under_its_own_name(tmp_path: Path) -> None:
        path = tmp_path / "Some Model.gguf"
        path.symlink_to(weights.verified_file())
        model, state = started("--model", str(path))
        with openai.OpenAI(base_url=state.base_url, api_key="none", max_retries=0) as client:
            listed = [found.id for found in client.models.list()]
        model.close()
        assert listed == [state.told["model"]] == ["some-model"]

    def test_it_ends_when_its_parent_lets_go_and_can_be_started_again() -> None:
        model = local_model()
        model.start()
        first = model.wait(PATIENCE_S)
        model.close()
        assert isinstance(first, Ready)
        assert model.state == Idle()
        with pytest.raises(ProcessLookupError):
            os.kill(first.pid, 0)
        model.start()
        second = model.wait(PATIENCE_S)
        model.close()
        assert isinstance(second, Ready)
        assert second.pid != first.pid

    def test_a_process_that_died_is_noticed_and_started_anew_when_asked() -> None:
        model = local_model()
        model.start()
        first = model.wait(PATIENCE_S)
        assert isinstance(first, Ready)
        os.kill(first.pid, signal.SIGKILL)
        while isinstance(model.state, Ready):
            time.sleep(0.01)
        assert isinstance(model.state, Failed)
        model.start()
        second = model.wait(PATIENCE_S)
        model.close()
        assert isinstance(second, Ready)

    def test_asked_to_terminate_it_leaves_with_code_0() -> None:
        command = [sys.executable, "-m", "lib.local_model"]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert "base_url" in json.loads(process.stdout.readline())
            process.terminate()
            assert process.wait(PATIENCE_S) == 0

    def test_a_file_that_is_no_model_is_told_on_its_one_line(tmp_path: Path) -> None:
        broken = tmp_path / "broken.gguf"
        broken.write_bytes(b"GGUF but not really")
        ended = run_alone("--model", str(broken))
        assert ended.returncode == 1
        assert "broken.gguf" in json.loads(ended.stdout)["error"]

    def test_a_file_that_is_no_model_becomes_a_failed_state_with_the_reason(tmp_path: Path) -> None:
        model = ServerProcess("lib.local_model", "--model", str(tmp_path / "absent.gguf"))
        model.start()
        state = model.wait(PATIENCE_S)
        model.close()
        assert isinstance(state, Failed)
        assert "absent.gguf" in state.reason

    def test_it_shows_nobody_what_others_are_asking(ready: Ready) -> None:
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(ready.base_url.removesuffix("/v1") + "/slots", timeout=PATIENCE_S)
        refused.value.close()
        assert refused.value.code == 501

    def test_damaged_weights_are_never_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(weights, "SHA256", "0" * 64)
        with pytest.raises(weights.WeightsError, match="damaged"):
            weights.verified_file()
