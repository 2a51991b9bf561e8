"""The view stream says the same, wherever the rows of a lane were cut into messages.

`tests/vectors/view_cuts.json` holds the player to the same (tests/js/view_cuts.test.mjs);
`python -m tests.collector.test_view_cuts` writes it anew.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lib.collector.shipping import SLOT_NS, ViewEncoder, message
from lib.domain.codec import Row

VECTORS = Path(__file__).parent.parent / "vectors" / "view_cuts.json"
MS = 1_000_000
TEXTS = ("The ", "keep", "er ", "climbed", ".\n", "灯塔", "é", "🗼 ", "2,000 ", "```\n", " ")
texts = st.sampled_from(TEXTS)
gaps_ns = st.sampled_from((0, MS // 3, MS, 2 * MS, 3 * MS, 5 * MS - 1, SLOT_NS - 1, SLOT_NS, 21 * MS))
bodies = st.one_of(
    st.tuples(st.sampled_from("aaaaaaaart"), texts, st.just(0)),
    st.tuples(st.just("a"), texts, st.just(0)),
    st.tuples(st.just("a"), texts, st.just(0), st.sampled_from((0, 1))),
    st.tuples(st.just("tool"), st.just(0), st.sampled_from(("", "look_up")), st.just(0), st.just(0)),
    st.tuples(st.just("usage"), st.fixed_dictionaries({"completion_tokens": st.integers(1, 500)}), st.just(0)),
)  # fmt: skip


@st.composite
def lanes_of_rows(draw: st.DrawFn) -> list[Row]:
    """The rows of a lane, in order."""
    at_ns, rows = draw(st.integers(0, 100 * MS)), []
    for body in draw(st.lists(bodies, min_size=6, max_size=40)):
        rows.append([at_ns, *body])
        at_ns += draw(gaps_ns)
    return rows


def cut(rows: list[Row], places: Sequence[int]) -> list[list[Row]]:
    """The rows in as many parts as there are places, and one more."""
    ends = [*sorted(place % (len(rows) + 1) for place in places), len(rows)]
    return [rows[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


def messages_of(parts: Sequence[list[Row]]) -> list[dict[str, Any]]:
    encoder = ViewEncoder(0)
    said = [message(part[-1][0], [encoder.encode(part)]) for part in parts if part]
    return [json.loads(one) for one in said if one is not None]


def pieces(messages: Sequence[dict[str, Any]]) -> list[tuple[int, str, str]]:
    """(ms, channel, text) as a viewer reads them, pieces of one moment and channel joined."""
    found: list[tuple[int, str, str]] = []
    for said in messages:
        for _lane, channel, pairs in said.get("d", ()):
            at_ms = 0
            for step_ms, text in zip(pairs[::2], pairs[1::2], strict=True):
                at_ms += step_ms
                found.append((at_ms, channel, text))
    joined = groupby(found, key=lambda piece: piece[:2])
    return [(*key, "".join(text for _ms, _channel, text in its)) for key, its in joined]


def events(messages: Sequence[dict[str, Any]]) -> list[Any]:
    return [event for said in messages for event in said.get("e", ())]


@given(
    lanes_of_rows(), st.lists(st.integers(0, 1000), max_size=30), st.lists(st.integers(0, 1000), max_size=3)
)
def test_pieces_and_their_times_do_not_depend_on_where_the_rows_were_cut(
    rows: list[Row], places: list[int], others: list[int]
) -> None:
    whole = messages_of([rows])
    for chosen in (places, others, range(len(rows))):
        parts = messages_of(cut(rows, chosen))
        assert pieces(parts) == pieces(whole)
        assert events(parts) == events(whole)


@given(lanes_of_rows())
def test_no_text_is_lost_or_later_or_a_slot_earlier_than_it_came(rows: list[Row]) -> None:
    came = [
        (row[0], "t" if row[1] == "tool" else row[1], f"{row[3]}(" if row[1] == "tool" else row[2])
        for row in rows
        if (row[1] in "art" and len(row) < 5) or (row[1] in "art" and row[4] == 0) or (row[1] == "tool" and row[3])
    ]  # fmt: skip
    shown = pieces(messages_of([rows]))
    for channel in "art":
        letters = [(at // MS, c) for at, its, text in came if its == channel for c in text]
        seen = [(at, c) for at, its, text in shown if its == channel for c in text]
        assert [c for _at, c in letters] == [c for _at, c in seen]
        assert all(
            0 <= late - early <= SLOT_NS // MS for (late, _), (early, _c) in zip(letters, seen, strict=True)
        )
        if letters:
            assert seen[0][0] == letters[0][0], "the first is a figure"


def vectors() -> list[dict[str, Any]]:
    """Lanes of different pace, each cut in several ways."""
    chance, made = random.Random(3), []
    for gap_ms in (1, 4, 8, 21):
        at_ns, rows = 50 * MS, []
        for number in range(90):
            name = "r" if number < 20 else "t" if number % 31 == 0 else "a"
            rows.append([at_ns, name, chance.choice(TEXTS), number])
            if number % 25 == 24:
                rows.append([at_ns, "usage", {"completion_tokens": number * 2}, number])
            at_ns += int(chance.expovariate(1) * gap_ms * MS)
        rows.append([at_ns, "end", "complete"])
        cuts = [
            [],
            sorted(chance.sample(range(90), 8)),
            sorted(chance.sample(range(90), 40)),
            list(range(90)),
        ]
        made.append({"gap_ms": gap_ms, "cuts": [messages_of(cut(rows, places)) for places in cuts]})
    return made


def test_the_player_is_tested_with_what_the_encoder_says() -> None:
    assert json.loads(VECTORS.read_text("utf-8")) == vectors()


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in vectors())
    VECTORS.write_text(f"[\n{lines}\n]\n", "utf-8")
