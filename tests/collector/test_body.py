"""One body from first byte to end: the same rows however it is cut, an end for every garbage, bounded memory."""

from __future__ import annotations

import asyncio
import base64
import json
import random
import time
from collections.abc import AsyncIterator, Callable, Iterable
from itertools import count, pairwise
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.collector import body as body_module
from lib.collector import sse
from lib.collector.body import Body, NotAStream, TooLarge
from lib.collector.chunks import StreamError
from lib.collector.errors import message_of
from lib.collector.shipping import ViewEncoder, dump
from lib.collector.sse import FrameTooLarge
from lib.domain.codec import decode_row
from tests.collector.wire_server import DONE, finished, frame, said
from tests.contract.recorded import CHATS
from tests.contract.test_cases import CASES

Rows = list[list[Any]]
READ_NUMBER = {
    "a": 3,
    "r": 3,
    "t": 3,
    "tool": 4,
    "usage": 3,
}  # where a row keeps the number of its network read


def read(pieces: Iterable[bytes]) -> tuple[Rows, str]:
    """(rows, how it ended) of a body that comes in these pieces, by a clock that ticks once per look."""
    ticks = count(1)
    body = Body([], lambda: next(ticks))
    try:
        asyncio.run(body.read(_stream(pieces)))
    except (StreamError, NotAStream, TooLarge, FrameTooLarge) as end:
        how = f"{type(end).__name__}: {message_of(end.args[0])}"
    else:
        how = "complete" if body.complete else "incomplete"
    body.flush()
    return body.rows, how


async def _stream(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


def whole(*pieces: str) -> tuple[Rows, str]:
    return read(piece.encode() for piece in pieces)


def without_cuts(result: tuple[Rows, str]) -> tuple[Rows, str]:
    """The result but for what depends on the cuts: stamps and numbers of reads."""
    rows = [[v for i, v in enumerate(row) if i not in (0, READ_NUMBER.get(row[1]))] for row in result[0]]
    return rows, result[1]


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    return [data[a:b] for a, b in pairwise([0, *sorted(places), len(data)])]


def texts(rows: Rows) -> list[str]:
    return [row[2] for row in rows if row[1] == "a"]


def warned(rows: Rows) -> list[str]:
    return [row[2] for row in rows if row[1] == "warning"]


def case_bodies() -> dict[str, bytes]:
    found = {}
    for name, case in CASES.items():
        for number, reply in enumerate(case.get("responses", [case])):
            found[f"{name}-{number}"] = b"".join(
                base64.b64decode(event["raw_b64"]) if "raw_b64" in event else event["raw"].encode()
                for event in reply["events"]
            )
    return found


BODIES = {**case_bodies(), **{name: chat.body for name, chat in CHATS.items()}}


@pytest.mark.parametrize("name", BODIES)
def test_no_cut_of_a_known_body_changes_its_rows(name: str) -> None:
    data, chance = BODIES[name], random.Random(name)
    expected = without_cuts(read([data]))
    for cuts in (1, 2, 7, 40, 400):
        places = [chance.randint(0, len(data)) for _ in range(cuts)]
        assert without_cuts(read(cut(data, places))) == expected, places


@pytest.mark.parametrize("name", [name for name in BODIES if len(BODIES[name]) < 4000])
def test_a_short_body_that_comes_byte_by_byte_has_the_same_rows(name: str) -> None:
    data = BODIES[name]
    assert without_cuts(read(data[i : i + 1] for i in range(len(data)))) == without_cuts(read([data]))


def must_end_in_rows_that_can_be_shipped_and_read(pieces: list[bytes]) -> None:
    rows, _how = read(pieces)
    for row in orjson.loads(dump(rows)):
        decode_row(row)
    dump(ViewEncoder(0).encode(rows))


@given(st.lists(st.binary(max_size=80), max_size=12))
@settings(max_examples=150, deadline=None)
def test_random_bytes_come_to_an_end(pieces: list[bytes]) -> None:
    must_end_in_rows_that_can_be_shipped_and_read(pieces)


@given(st.sampled_from(sorted(BODIES)), st.data())
@settings(max_examples=250, deadline=None)
def test_damaged_bodies_come_to_an_end(name: str, data: st.DataObject) -> None:
    body = bytearray(BODIES[name][:8000])
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(body)))
        gone = data.draw(st.sampled_from([0, 1, 1, 5, 60]))
        put = data.draw(st.one_of(st.binary(max_size=3), st.sampled_from(DAMAGE)))
        body[place : place + gone] = put
    places = data.draw(st.lists(st.integers(0, len(body)), max_size=4))
    must_end_in_rows_that_can_be_shipped_and_read(cut(bytes(body), places))


DAMAGE = (b"\n\n", b"data: ", b"[", b"{", b'"', b"null", b"\\ud83d", b"\xff\xfe", b"1e999", b"9" * 400, b"NaN",
          b'{"choices":' * 3, b"[" * 1100, b'{"error":' * 1100, b"\r", b"\x00")  # fmt: skip

leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(2**60, 2**1100), st.floats(), st.text(max_size=8),
    st.sampled_from(["stop", "<think>", "</think>", "\ud83d", "\udd25", "assistant", "x" * 25]),
)  # fmt: skip
names = st.sampled_from(
    ["choices", "delta", "content", "index", "reasoning", "reasoning_content", "tool_calls", "function", "name",
     "arguments", "finish_reason", "usage", "timings", "x_groq", "error", "message", "model", "text", "thinking",
     "type", "logprobs", "refusal", "object", "completion_tokens", "detail"]
)  # fmt: skip
anything = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=4)),
    max_leaves=12,
)
chunks = st.one_of(
    anything,
    st.fixed_dictionaries({"choices": st.lists(st.dictionaries(names, anything, max_size=4), max_size=2)}),
    st.builds(lambda text: {"choices": [{"delta": {"content": text}}]}, leaves),
)


@given(st.lists(chunks, max_size=6))
@settings(max_examples=250, deadline=None)
def test_chunks_of_any_shape_come_to_an_end(values: list[Any]) -> None:
    must_end_in_rows_that_can_be_shipped_and_read(
        [f"data: {json.dumps(value)}\n\n".encode() for value in values]
    )


@pytest.mark.parametrize(
    "opening",
    ['{"usage":', '{"timings":', '{"error":', '{"choices":[{"delta":{"content":[{"thinking":[', "["],
)
@pytest.mark.parametrize("depth", [30, 120, 300, 900, 5000])
def test_no_depth_of_nesting_is_too_deep_to_end(opening: str, depth: int) -> None:
    closing = "".join({"{": "}", "[": "]"}[mark] for mark in reversed(opening) if mark in "{[")
    value = opening + '{"a":' * depth + "1" + "}" * depth + closing
    same = opening * depth + "1" + closing * depth
    for payload in (value, same):
        must_end_in_rows_that_can_be_shipped_and_read([f"data: {payload}\n\n".encode(), said("x").encode()])


@pytest.mark.parametrize(
    "number", ["9" * 400, "-" + "9" * 400, "1e999", "NaN", "-Infinity", "18446744073709551616"]
)
def test_no_number_is_too_large_to_end(number: str) -> None:
    usage = 'data: {"usage": {"completion_tokens": ' + number + ', "note": "\\ud83c"}}\n\n'
    must_end_in_rows_that_can_be_shipped_and_read([usage.encode()])
    assert [row[1] for row in whole(usage)[0]] == ["usage", "body_end"]


def test_the_caps_of_a_frame_and_of_a_lane_are_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_FRAME_BYTES", 1 << 20)
    monkeypatch.setattr(body_module, "MAX_BODY_BYTES", 2 << 20)
    assert whole(said("Sea."), *["data: x" * 1000] * 200)[1] == "FrameTooLarge: One frame passed 1 MB."
    rows, how = whole(*[said("Sea ") * 100] * 1000)
    assert how == "TooLarge: The answer passed 2 MB."
    assert sum(map(len, texts(rows))) > 50_000


@pytest.mark.parametrize("piece", [b": beat\n", b"\n", b": beat\n\n", b"data: ping\n\n", b"x", b"data: \n"])
def test_a_body_that_never_says_anything_holds_no_more_than_its_caps(
    piece: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sse, "MAX_FRAME_BYTES", 50_000)
    monkeypatch.setattr(body_module, "MAX_BODY_BYTES", 300_000)
    monkeypatch.setattr(body_module, "MAX_HEAD_BYTES", 10_000)
    rows, how = read([piece * 20] * 20_000)
    assert how.startswith(("TooLarge", "FrameTooLarge"))
    assert len(rows) <= 1


@pytest.mark.parametrize("index", [-1, 128, 10**30])
def test_an_index_beyond_any_choice_is_the_first_choice(index: int) -> None:
    rows, _how = whole(frame({"choices": [{"index": index, "delta": {"content": "Sea."}}]}))
    assert rows[0][1:3] == ["a", "Sea."]
    assert len(rows[0]) == 4


def _tiny_events(n: int) -> list[bytes]:
    return [said("x").encode() * n]


def _byte_by_byte(n: int) -> list[bytes]:
    data = said("x").encode() * (n // 50)
    return [data[i : i + 1] for i in range(len(data))]


def _no_end_of_line(n: int) -> list[bytes]:
    return [b"data: ", *[b"x" * 10] * (n * 5)]


def _no_blank_line(n: int) -> list[bytes]:
    return [b"data: x\n"] * (n * 5)


def _one_long_word(n: int) -> list[bytes]:
    return [said("x" * 64 * n).encode()]


def _white_space_only(n: int) -> list[bytes]:
    return [said("\n").encode()] * n


def _one_line_again_and_again(n: int) -> list[bytes]:
    return [said("| --- | --- | --- | --- |\n").encode()] * n


def _growing_by_a_character(n: int) -> list[bytes]:
    return [said("a b"[: i % 3 + 1] * 7).encode() for i in range(n)]


def _broken_frames(n: int) -> list[bytes]:
    return [b'data: {"choices": [\n\n'] * n


@pytest.mark.parametrize(
    "make",
    [_tiny_events, _byte_by_byte, _no_end_of_line, _no_blank_line, _one_long_word, _white_space_only,
     _one_line_again_and_again, _growing_by_a_character, _broken_frames],
)  # fmt: skip
def test_ten_times_the_body_takes_ten_times_as_long_not_a_hundred(make: Callable[[int], list[bytes]]) -> None:
    small, large = make(2_000), make(20_000)
    assert _least_s(large) < 35 * _least_s(small)


def _least_s(pieces: list[bytes]) -> float:
    taken = []
    for _ in range(3):
        began = time.process_time()
        read(pieces)
        taken.append(time.process_time() - began)
    return min(taken)


def test_the_end_of_the_body_has_a_stamp_of_its_own() -> None:
    rows, how = whole(said("Sea."))
    assert how == "incomplete"
    assert [(row[0], row[1]) for row in rows] == [(1, "a"), (2, "body_end")]


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["\\ud83c", "\\udf0a!"], "\U0001f30a!"),
        (["Sea \\ud83c"], "Sea \ufffd"),
        (["Sea \\ud83c", "sky"], "Sea \ufffdsky"),
        (["\\udf0a sea"], "\ufffd sea"),
        (["\\ud83c", "\\ud83c", "\\udf0a"], "\ufffd\U0001f30a"),
    ],
)
def test_halves_of_characters_are_joined_and_a_lone_half_is_marked_and_told(
    pieces: list[str], text: str
) -> None:
    frames = ['data: {"choices":[{"delta":{"content":"' + piece + '"}}]}\n\n' for piece in pieces]
    rows, _how = whole(*frames, finished(), DONE)
    assert "".join(texts(rows)) == text
    assert warned(rows) == (["replacement_characters"] if "\ufffd" in text else [])


def test_a_lone_half_at_the_end_keeps_the_stamp_it_came_with() -> None:
    rows, _how = whole(
        said("Sea "), 'data: {"choices":[{"delta":{"content":"\\ud83c"}}]}\n\n', finished(), DONE
    )
    assert [(row[0], row[2], row[3]) for row in rows if row[1] == "a"] == [(1, "Sea ", 1), (2, "\ufffd", 2)]


def test_white_space_that_never_ends_is_given_before_it_is_over() -> None:
    rows, _how = whole(*[said("\n")] * 400)
    stamps = [row[0] for row in rows if row[1] == "a"]
    assert stamps == list(range(1, 401))
