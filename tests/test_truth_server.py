"""The bench's truth server tells the truth: its log agrees with its schedule and with a bare client."""

from __future__ import annotations

import json
import socket
import urllib.request
from collections.abc import Iterator

import pytest

from tests.bench.accuracy import Pair, Stamped, match, percentile
from tests.bench.races import raced_by, specs
from tests.bench.raw_client import request
from tests.bench.report import Finding
from tests.bench.truth import Sent, Truth
from tests.bench.truth_content import TOKENS, Spec, letters_before, parse_spec, text_of


@pytest.fixture(scope="module")
def truth() -> Iterator[Truth]:
    with Truth() as server:
        yield server


def test_every_chunk_is_logged_in_order_and_none_before_it_was_due(truth: Truth) -> None:
    spec = Spec(ttft_ms=20, rate_tps=2000, tokens=400)
    (pair,) = raced_by("raw_client", truth, [spec])
    sends = pair.sent.sends_ns
    assert len(sends) == 400
    assert list(sends) == sorted(sends)
    assert all(send - pair.sent.read_ns >= spec.due_ns(i) for i, send in enumerate(sends))


def test_a_bare_client_reads_every_chunk_after_it_was_sent(truth: Truth) -> None:
    pairs = raced_by("raw_client", truth, specs(lanes=4, rate_tps=1000, seconds=0.3, ttft_ms=20))
    assert len(pairs) == 4
    assert all(error > 0 for pair in pairs for error in pair.errors_ms)
    assert all(pair.seen.sent_ns < pair.sent.sends_ns[0] for pair in pairs)


def test_a_client_that_closes_in_mid_answer_is_noted_with_the_moment(truth: Truth) -> None:
    with socket.create_connection(("127.0.0.1", truth.port)) as sock:
        sock.sendall(request(truth.port, Spec(ttft_ms=1, tokens=100000).name))
        while b'"content":" the"' not in sock.recv(65536):
            pass
    (record,) = truth.wait_for(1)
    assert record.close_seen_ns is not None
    assert record.close_seen_ns > record.sends_ns[0]
    assert len(record.sends_ns) < 100000


@pytest.mark.parametrize(
    "spec",
    [
        Spec(ttft_ms=1, tokens=430, rate_tps=1e5),
        Spec(ttft_ms=1, tokens=432, rate_tps=1e5, tokens_per_chunk=4, role=1, usage=1),
        Spec(ttft_ms=1, tokens=432, rate_tps=1e5, thinking=8, tokens_per_chunk=2, role=0, late_headers=True),
    ],
    ids=lambda spec: spec.name,
)
def test_the_text_is_the_one_the_number_of_tokens_says(truth: Truth, spec: Spec) -> None:
    assert parse_spec(spec.name) == spec
    with socket.create_connection(("127.0.0.1", truth.port)) as sock:
        sock.sendall(request(truth.port, spec.name))
        body = b""
        while not body.endswith(b"0\r\n\r\n"):
            body += sock.recv(65536)
    frames = [json.loads(row[6:]) for row in body.splitlines() if row.startswith(b"data: {")]
    deltas = [frame["choices"][0]["delta"] for frame in frames if frame["choices"]]
    said = [delta.get("reasoning_content") or delta.get("content") or "" for delta in deltas]
    assert "".join(said) == text_of(spec.tokens)
    assert sum("reasoning_content" in delta for delta in deltas) == spec.thinking // spec.tokens_per_chunk
    assert any("usage" in frame for frame in frames) == (spec.usage == 1)
    (record,) = truth.wait_for(1)
    assert len(record.sends_ns) == spec.chunks


def test_a_model_name_that_is_no_configuration_is_refused(truth: Truth) -> None:
    body = json.dumps({"model": "gpt-4", "stream": True}).encode()
    address = f"{truth.base_url}/chat/completions"
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address, body, timeout=10)
    assert refused.value.code == 400
    refused.value.close()


def test_letters_before_counts_what_is_not_white_space() -> None:
    counts = letters_before(len(TOKENS) + 5)
    text = text_of(len(TOKENS) + 5)
    assert counts[-1] == sum(not letter.isspace() for letter in text)
    assert counts[:3] == [0, len("the"), len("thekeeper")]


def pair_with_errors(errors_ms: list[float], step_ms: float = 10.0) -> Pair:
    sends = tuple(round(i * step_ms * 1e6) for i in range(len(errors_ms)))
    stamps = tuple(send + round(error * 1e6) for send, error in zip(sends, errors_ms, strict=True))
    return Pair(Stamped("m", -2_000_000, stamps), Sent("m", -1_000_000, sends, None, 0))


def test_a_client_that_gets_one_millisecond_later_per_hundred_falls_behind_by_one_percent() -> None:
    pair = pair_with_errors([i * 0.1 for i in range(50)])
    assert pair.falling_behind_percent == pytest.approx(1.0)
    assert pair.rate_error_percent == pytest.approx(100 * (1 / 1.01 - 1))


def test_a_constant_delay_is_no_falling_behind_and_no_rate_error() -> None:
    pair = pair_with_errors([0.7] * 20)
    assert pair.falling_behind_percent == pytest.approx(0.0, abs=1e-9)
    assert pair.rate_error_percent == pytest.approx(0.0, abs=1e-9)
    assert pair.ttft_error_ms == pytest.approx(0.7 + 1.0)


def test_a_lost_chunk_is_an_error_and_not_a_shorter_list() -> None:
    whole = pair_with_errors([0.1] * 5)
    lost = Stamped("m", 0, whole.seen.stamps_ns[:-1])
    with pytest.raises(ValueError, match="4 chunks seen of 5 sent"):
        match([lost], [whole.sent])


def test_percentiles_are_values_that_occurred() -> None:
    assert percentile([3.0, 1.0, 2.0, 4.0], 0.5) == 2.0
    assert percentile([float(i) for i in range(1, 101)], 0.99) == 99.0
    assert percentile([5.0], 0.99) == 5.0


def test_a_finding_is_judged_by_its_median_and_names_a_worst_that_misses() -> None:
    assert Finding("lag", "ms", (1.0, 2.0, 9.0), at_most=3).verdict == "met (worst misses)"
    assert Finding("rate", "frames/s", (60.0, 59.0), at_least=60).verdict == "MISSED"
    assert Finding("floor", "ms", (1.0,)).verdict == ""
