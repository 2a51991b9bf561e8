"""Recorded backends: the bytes of the recording, at the times of the recording, whatever is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from lib.simulator import recordings
from lib.simulator.recordings import RecordedFileError, Recording, load_recordings
from tests.simulator.conftest import Running
from tests.simulator.wire import ask

SHORT = next(r for r in load_recordings() if r.id == "rec-llamacpp-q4-story")


@pytest.mark.parametrize("recording", load_recordings(), ids=lambda recording: recording.id)
def test_a_recording_says_what_it_is_and_where_it_comes_from(recording: Recording) -> None:
    said = ("name", "label", "engine", "model", "date", "machine", "prompt", "params", "licence", "source")
    assert [name for name in said if not getattr(recording, name)] == []
    assert recording.date in recording.note
    times = [at_ns for at_ns, _ in recording.reads]
    assert times == sorted(times)
    assert recording.reads[0][1].startswith(b"HTTP/1.1 200 OK\r\n")
    assert times[-1] <= recording.end_ns


def test_a_recording_is_served_byte_for_byte_at_its_own_times(simulator: Running) -> None:
    got = ask(simulator.port, SHORT.id, prompt="something else entirely")
    assert got.raw == b"".join(data for _, data in SHORT.reads)
    assert got.end == "closed"
    arrived = 0
    for at_s, data in got.reads:
        arrived += len(data)
        may_be_here = sum(len(data) for due_ns, data in SHORT.reads if due_ns / 1e9 <= at_s + 0.001)
        assert arrived <= may_be_here
    assert got.reads[-1][0] < SHORT.end_ns / 1e9 + 5


def test_a_recorded_stream_is_no_answer_in_one_piece(simulator: Running) -> None:
    got = ask(simulator.port, SHORT.id, stream=False)
    assert (got.status, b"stream" in got.payload) == (400, True)


def test_a_recording_can_be_refused_but_not_broken(simulator: Running) -> None:
    assert ask(simulator.port, f"{SHORT.id}+rate_limit").status == 429
    assert ask(simulator.port, f"{SHORT.id}+cut").status == 400


def test_a_changed_recording_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in recordings.FOLDER.iterdir():
        content = file.read_text(encoding="utf-8")
        (tmp_path / file.name).write_text(content.replace("chatcmpl-", "chatcmpl_"), encoding="utf-8")
    monkeypatch.setattr(recordings, "FOLDER", tmp_path)
    with pytest.raises(RecordedFileError, match="other bytes"):
        load_recordings.__wrapped__()
