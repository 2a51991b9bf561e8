"""The event reader gives the same events however the bytes are cut, for everything the grammar allows."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.collector import sse
from lib.collector.sse import EventReader, FrameTooLarge

CONTRACT = Path(__file__).parent.parent / "contract"


def read(*pieces: bytes) -> list[tuple[bytes, str]]:
    reader = EventReader()
    found = [event for piece in pieces for event in reader.feed(piece)]
    return found + reader.flush()


@pytest.mark.parametrize(
    ("text", "events"),
    [
        (b"data: a\n\ndata: b\n\n", [(b"a", ""), (b"b", "")]),
        (b"data:a\n\n", [(b"a", "")]),
        (b"data:  a\n\n", [(b" a", "")]),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", [(b"a", ""), (b"b", "")]),
        (b"data: a\r\rdata: b\r\r", [(b"a", ""), (b"b", "")]),
        (b"data: a\r\n\rdata: b\n\r\n", [(b"a", ""), (b"b", "")]),
        (b"data: a\ndata: b\n\n", [(b"a\nb", "")]),
        (b"data\n\n", [(b"", "")]),
        (b": ping\n\ndata: a\n\n:\n\n", [(b"a", "")]),
        (b"retry: 3000\n\nid: 1\n\nevent: ping\n\ndata: a\n\n", [(b"a", "")]),
        (b"event: error\ndata: bad\n\ndata: a\n\n", [(b"bad", "error"), (b"a", "")]),
        (b"\xef\xbb\xbfdata: a\n\n", [(b"a", "")]),
        (b"data: a\n\n\n\n\ndata: b\n\n", [(b"a", ""), (b"b", "")]),
        (b"data: a\n\ndata: tail", [(b"a", ""), (b"tail", "")]),
        ("data: \u2028\u0085\n\n".encode(), [("\u2028\u0085".encode(), "")]),
        (b"unknown: x\nno colon at all\ndata: a\n\n", [(b"a", "")]),
        (b"", []),
    ],
)
def test_the_grammar_is_read_whole_and_cut_at_every_position(
    text: bytes, events: list[tuple[bytes, str]]
) -> None:
    assert read(text) == events
    for cut in range(len(text) + 1):
        assert read(text[:cut], text[cut:]) == events
    assert read(*(text[i : i + 1] for i in range(len(text)))) == events


def test_a_frame_is_given_by_the_read_that_completes_it() -> None:
    reader = EventReader()
    assert reader.feed(b"data: a\r\n\r") == [(b"a", "")]
    assert reader.feed(b"\ndata: b\n") == []
    assert reader.feed(b"\n") == [(b"b", "")]


@given(st.data())
def test_no_cut_of_any_bytes_changes_the_events(data: st.DataObject) -> None:
    fragments = [b"data: x", b"data:", b":", b"event: error", b"\n", b"\r", b"\r\n", b"\n\n", b"\xef\xbb\xbf", b"\xff",
                 "é".encode(), b"id: 1", b" "]  # fmt: skip
    text = b"".join(data.draw(st.lists(st.sampled_from(fragments), max_size=30)))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert read(*pieces) == read(text)


def bodies() -> list[bytes]:
    """Every case's and every transcript's bytes as they went over the wire."""
    found = []
    for path in sorted((CONTRACT / "cases").glob("*.json")):
        case = json.loads(path.read_text("utf-8"))
        for reply in case.get("responses", [case]):
            found.append(b"".join(
                base64.b64decode(e["raw_b64"]) if "raw_b64" in e else e["raw"].encode() for e in reply["events"]
            ))  # fmt: skip
    for path in sorted((CONTRACT / "transcripts").glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
        found.append(b"".join(base64.b64decode(row["bytes"]) for row in rows if "bytes" in row)[:6000])
    return found


@pytest.mark.parametrize("body", bodies(), ids=range(len(bodies())))
def test_every_recorded_body_cut_at_every_position_is_the_same(body: bytes) -> None:
    whole = read(body)
    step = max(1, len(body) // 1500)
    for cut in range(0, len(body) + 1, step):
        assert read(body[:cut], body[cut:]) == whole


def test_a_frame_without_end_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_FRAME_BYTES", 10_000)
    for piece in (b"x" * 100, b"data: x\n" * 10):
        reader = EventReader()
        with pytest.raises(FrameTooLarge):
            _feed_often(reader, piece)


def _feed_often(reader: EventReader, piece: bytes) -> None:
    for _ in range(1000):
        reader.feed(piece)
