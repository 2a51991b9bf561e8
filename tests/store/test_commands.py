"""`python -m lib history|export|import` and `measure --save`, as they are typed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lib.__main__ import main
from lib.domain.events import Status
from lib.series_files import read_series
from lib.server_process import Ready, ServerProcess
from lib.store.rows import Filter
from lib.store.store import Store
from tests.store.runs import race


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The history that the commands find."""
    monkeypatch.setenv("TOKENRACE_DATA", str(tmp_path))
    monkeypatch.delenv("TOKENRACE_DATABASE_URL", raising=False)
    store = Store()
    store.save(race("one", started_at="2026-11-29T10:00:00Z"))
    store.save(race("two", names=("Luna",), prompt="Red \x1b[31mtext"))
    yield store
    store.close()


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert main([*arguments, "--json"]) == 0
    document: dict[str, object] = json.loads(capsys.readouterr().out)
    return document


def test_the_list_obeys_its_filters_and_says_how_many_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    document = told(capsys, "history", "list", "--backend", "Luna", "--since", "2026-11-30")
    assert document["total"] == 1
    assert [(run["id"], run["status"], run["started_at"]) for run in document["runs"]] == [
        ("two", "complete", "2026-11-30T10:00:00+00:00")
    ]
    assert told(capsys, "history", "list", "--until", "2026-11-01")["total"] == 0


@pytest.mark.parametrize(
    ("filter_", "value", "told_"),
    [
        ("--mode", "sideways", "all at once"),
        ("--origin", "real", "simulated"),
        ("--status", "done", "incomplete"),
        ("--since", "yesterday", "2026-11-30"),
    ],
)
def test_a_filter_that_cannot_be_says_what_can_be(
    capsys: pytest.CaptureFixture[str], filter_: str, value: str, told_: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["history", "list", filter_, value])
    last = capsys.readouterr().err.splitlines()[-1]
    assert (ended.value.code, value in last, told_ in last) == (2, True, True)


def test_a_filter_by_mode_badge_and_status_is_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    fitting = ["--mode", "all at once", "--origin", "simulated", "--status", "complete"]
    assert told(capsys, "history", "list", *fitting)["total"] == 2
    assert told(capsys, "history", "list", "--status", "running")["total"] == 0


def test_what_a_terminal_is_shown_holds_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "list"]) == 0
    out = capsys.readouterr().out
    assert "Red  [31mtext" in out
    assert "\x1b" not in out
    assert out.endswith("2 of 2 runs\n")


def test_one_run_is_shown_with_its_lanes(capsys: pytest.CaptureFixture[str], kept: Store) -> None:
    kept.tag("one", ["board"])
    assert main(["history", "show", "one"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "    1. Sol (sol-model, simulated): complete, TTFT 200 ms, 100 tok/s, 40 tokens"
    assert lines[-1] == "    board"


def test_deleting_can_be_undone_and_touches_nothing_when_a_run_is_missing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["history", "delete", "one", "none"]) == 2
    assert "The history has no run none." in capsys.readouterr().err
    assert told(capsys, "history", "delete", "one") == {"deleted": ["one"]}
    assert told(capsys, "history", "list")["total"] == 1
    assert told(capsys, "history", "delete", "--undo", "one") == {"restored": ["one"]}
    assert told(capsys, "history", "list")["total"] == 2


def test_verify_tells_a_difference_and_ends_with_1(capsys: pytest.CaptureFixture[str], kept: Store) -> None:
    assert told(capsys, "history", "verify") == {"verified": 2, "wrong": []}
    with kept._write() as connection:
        connection.exec_driver_sql("UPDATE lane SET ttft_ms = 7 WHERE lane = 0")
    assert main(["history", "verify", "one"]) == 1
    assert (
        capsys.readouterr().out
        == "one: lane 1 ttft_ms: kept 7.0, computed 200.0\nverified: 1, differing: 1\n"
    )


@pytest.mark.parametrize(
    ("form", "begins"),
    [
        ("json", b'{"format"'),
        ("csv", b"\xef\xbb\xbflane,"),
        ("deltas-csv", b"\xef\xbb\xbflane,"),
        ("md", b"Terra had finished"),
    ],
)
def test_every_format_is_written_to_its_file(tmp_path: Path, form: str, begins: bytes) -> None:
    target = tmp_path / "out"
    assert main(["export", "one", "--format", form, "-o", str(target)]) == 0
    assert target.read_bytes().startswith(begins)


def test_an_exported_run_can_be_imported_where_it_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["export", "one", "-o", str(tmp_path / "one.json")]) == 0
    monkeypatch.setenv("TOKENRACE_DATA", str(tmp_path / "elsewhere"))
    assert told(capsys, "import", str(tmp_path / "one.json")) == {"id": "one"}
    assert told(capsys, "history", "list")["total"] == 1


def test_a_file_that_is_no_recording_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    assert main(["import", str(tmp_path / "x.json")]) == 2
    assert capsys.readouterr().err == "this is not a recording\n"
    assert main(["import", str(tmp_path / "missing.json")]) == 2


def test_a_database_that_is_away_is_said_without_its_password(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKENRACE_DATABASE_URL", "postgresql://u:secret@127.0.0.1:1/x")
    assert main(["history", "list"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("The history cannot be used: ")
    assert "secret" not in error


def test_measure_keeps_a_series_or_a_single_run_when_asked_and_nothing_otherwise(
    capsys: pytest.CaptureFixture[str], kept: Store
) -> None:
    server = ServerProcess("lib.simulator")
    server.start()
    assert isinstance(server.wait(60), Ready)
    command = ["measure", "--base-url", str(server.base_url), "--model", "gpt-5.6-sol-ultrafast", "--json",
               "--max-tokens", "20", "--trials", "2", "--prompt", "Tide"]  # fmt: skip
    try:
        assert main(command) == 0
        assert kept.page(Filter(tag="measure")).total == 0
        capsys.readouterr()
        assert main([*command, "--save", "--warm-up"]) == 0
        trials = json.loads(capsys.readouterr().out)["trials"]
        assert main([*command, "--trials", "1", "--save"]) == 0
    finally:
        server.close()
    single, series = kept.page(Filter(tag="measure")).rows
    assert (single.series, kept.open(single.id).generations[0].events[-1].status) == (None, Status.COMPLETE)
    assert (series.series and series.series.kept, series.series and series.series.plan.condition) == (
        2,
        "warm",
    )
    read = read_series(kept, series.id, None)
    assert [trial.turn.round for trial in read.trials] == [0, 1, 2]
    assert [trial.value("ttft_ms") for trial in read.trials[1:]] == [
        pytest.approx(trial["ttft_ms"], abs=0.001) for trial in trials
    ]
    capsys.readouterr()
    assert main(["export", series.id, "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 3
    assert main(["export", series.id, "--format", "html"]) == 2
    assert all(found.ok for found in kept.verify_all())
