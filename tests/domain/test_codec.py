"""What is written is read back the same, and what is no recording is refused in words."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.domain import events as ev
from lib.domain.codec import RecordingError, decode_row, decode_rows, decode_run, encode_event, encode_run
from lib.domain.run import Backend, Mode, Origin, Params, Prices, Prompt, Run

AT = st.integers(0, 10**13)
TEXT = st.text(min_size=1)
EVENTS = st.one_of(
    st.builds(ev.Delta, AT, st.sampled_from(ev.Channel), TEXT, st.integers(0, 99), st.integers(0, 3),
              st.none() | st.integers(1, 9)),
    st.builds(ev.ToolCall, AT, st.integers(0, 3), TEXT, st.integers(0, 9), st.integers(0, 3)),
    st.builds(ev.Attempt, AT, st.integers(1, 9)),
    st.builds(ev.Connected, AT, st.none() | st.floats(0, 1e4), st.none() | st.floats(0, 1e4)),
    st.builds(ev.Sent, AT),
    st.builds(ev.Headers, AT, st.integers(100, 599), TEXT),
    st.builds(ev.Usage, AT, st.dictionaries(TEXT, st.integers(0, 99)), st.integers(0, 9)),
    st.builds(ev.Finish, AT, TEXT, st.integers(0, 3)),
    st.builds(ev.Served, AT, TEXT),
    st.builds(ev.ServerReport, AT, st.dictionaries(TEXT, st.floats(0, 1e6))),
    st.builds(ev.Done, AT),
    st.builds(ev.BodyEnd, AT),
    st.builds(ev.Warned, AT, TEXT, TEXT),
    st.builds(ev.Waiting, AT, st.floats(0, 1e6), TEXT),
    st.builds(ev.Failed, AT, TEXT, TEXT, st.none() | st.integers(100, 599), st.none() | st.floats(0, 1e6)),
    st.builds(ev.Ended, AT, st.sampled_from(ev.Status)),
)  # fmt: skip


@given(EVENTS)
def test_an_event_survives_its_row(event: ev.Event) -> None:
    assert decode_row(encode_event(event)) == event


def full_run(events: list[ev.Event], text: str) -> Run:
    """A run with something in every field, and these events in its one lane."""
    prices = Prices(Decimal("5"), None, Decimal("0.1"), source="list")
    return Run(
        id="r", prompt=Prompt(text, "sys", (("user", "a"), ("assistant", "b"))), mode=Mode.BY_BACKEND,
        params=Params(64, 0.5, stop=("x",), extra_body={"k": [1]}), started_at="2026-11-30T02:00:00+00:00",
        backends=(Backend("a", "A", "http://h/v1", "m", Origin.SIMULATED, "n", prices, {"x": 1}),),
        generations=(ev.Generation(0, tuple(events)),), clock_health_ms=1.5, versions={"python": "3"},
        own_params={0: Params(8, reasoning_effort="low")},
    )  # fmt: skip


@given(st.lists(EVENTS, max_size=10), st.text())
def test_a_run_survives_its_document(events: list[ev.Event], text: str) -> None:
    run = full_run(events, text)
    assert decode_run(encode_run(run)) == run


def test_a_restart_begins_a_new_generation() -> None:
    rows = [[1, "attempt", 1], [2, "end", "error"], [3, "restart"], [4, "attempt", 1]]
    assert [len(generation.events) for generation in decode_rows(0, rows)] == [2, 1]


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b'{"format": "other", "version": 1}',
                                  b'{"format": "tokenrace-recording", "version": 99}'])  # fmt: skip
def test_what_is_no_recording_is_refused(text: bytes) -> None:
    with pytest.raises(RecordingError):
        decode_run(text)


@pytest.mark.parametrize("row", [[1, "unknown"], [1, "attempt"], [1, "a"], [1, "end", "odd"]])
def test_an_odd_row_is_refused(row: list[object]) -> None:
    with pytest.raises(RecordingError):
        decode_row(row)


def test_modes_say_who_waits_for_whom() -> None:
    def lane(url: str, origin: Origin = Origin.LIVE) -> Backend:
        return Backend(url, url, url, "m", origin)

    here, there, far = lane("http://127.0.0.1:1/v1"), lane("http://localhost:2/v1"), lane("https://api.example.com/v1")
    played = lane("http://127.0.0.1:3/v1", Origin.SIMULATED)
    lanes = [here, there, far, far, played, played]
    assert len({Mode.ALL_AT_ONCE.queue(n, one) for n, one in enumerate(lanes)}) == 6
    assert len({Mode.ONE_BY_ONE.queue(n, one) for n, one in enumerate(lanes)}) == 1
    by_backend = [Mode.BY_BACKEND.queue(n, one) for n, one in enumerate(lanes)]
    assert by_backend[0] == by_backend[1] != by_backend[2] == by_backend[3]
    assert len(set(by_backend)) == 4
