"""Loops and prompt sets from the command line, against the simulator."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import orjson
import pytest

from lib.__main__ import main
from lib.agents.command import _values
from lib.agents.figures import LOWER_BOUND, SixFigures
from lib.agents.record import read_loop
from lib.domain.codec import decode_run
from lib.metrics.quantity import Quantity, Unavailable
from lib.server_process import Ready, ServerProcess

ULTRA = "gpt-5.6-sol-ultrafast"


@pytest.fixture(scope="module")
def backend() -> Iterator[list[str]]:
    simulator = ServerProcess("lib.simulator")
    simulator.start()
    ready = simulator.wait(30)
    assert isinstance(ready, Ready)
    yield ["--base-url", ready.base_url, "--model", ULTRA, "--price-in", "5", "--price-out", "30"]
    simulator.close()


def test_a_trace_is_carried_out_and_its_recording_written(
    backend: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = tmp_path / "loop.json"
    assert main(["agents", "voice-turn", "--steps", "2", "-o", str(recording), *backend]) == 0
    (lane,) = orjson.loads(capsys.readouterr().out)["backends"]
    assert (lane["ended"], lane["steps"]) == ("complete", 2)
    assert lane["total_s"] == pytest.approx(sum(lane["seconds_by_kind"].values()), abs=0.25)
    assert len(read_loop(decode_run(recording.read_bytes()))[0][1]) == 2


def test_a_sum_that_may_be_more_says_so() -> None:
    figures = SixFigures(
        1, 2, Unavailable("1 of 2 steps were done."), Quantity(Decimal("0.5"), "$", (LOWER_BOUND,)), Quantity(300, "ms"),
        *(Quantity(0.0, unit) for unit in ("s", "", "s")),
    )  # fmt: skip
    found = _values(figures, SixFigures)
    assert (found["cost"], found["cost_marks"]) == (Decimal("0.5"), (LOWER_BOUND,))
    assert "ttft_ms_marks" not in found
    assert found["total_s_reason"] == "1 of 2 steps were done."


def test_a_set_is_asked_once(
    backend: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKENRACE_DATA", str(tmp_path))
    questions = tmp_path / "q.csv"
    questions.write_text("prompt,max_tokens\nOne?,20\nTwo?,20\n", "utf-8")
    told = []
    for _ in range(2):
        assert main(["promptset", str(questions), "--concurrency", "2", *backend]) == 0
        told.append(orjson.loads(capsys.readouterr().out))
    assert [one["resumed"] for one in told] == [0, 2]
    assert told[0]["backends"][0]["cost"] == told[1]["backends"][0]["cost"]


@pytest.mark.parametrize(
    "arguments", [["agents", "voice-turn", "--steps", "-3"], ["agents", "voice-turn", "--steps", "0"],
                  ["agents", "voice-turn", "--cap", "much"], ["agents", "voice-turn", "--price-in", "nan"],
                  ["promptset", "q.csv", "--max-tokens", "0"], ["promptset", "q.csv", "--concurrency", "9" * 5000],
                  ["measure", "--price-out", "-1"]],
)  # fmt: skip
def test_an_option_that_is_no_number_of_its_kind_is_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert "is no" in capsys.readouterr().err


def test_a_recording_that_cannot_be_written_is_refused_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = str(tmp_path / "none" / "loop.json")
    assert main(["agents", "voice-turn", "-o", nowhere, "--base-url", "http://127.0.0.1:1/v1", "--model", "m"]) == 2
    assert nowhere in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["agents", "voice-turn"],
                  ["agents", "no-such-file", "--base-url", "http://127.0.0.1:1/v1", "--model", "m"],
                  ["promptset", "no-such-file", "--base-url", "http://127.0.0.1:1/v1", "--model", "m"]],
)  # fmt: skip
def test_what_cannot_be_asked_is_told_in_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1
