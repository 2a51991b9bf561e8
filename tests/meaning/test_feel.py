"""The feel strip's recording: exactly the speeds that are written on its lanes, and exactly the text."""

from __future__ import annotations

import itertools

import pytest

from lib import tokens
from lib.domain import events as ev
from lib.domain.run import Origin
from lib.export.view_messages import view_messages
from lib.meaning.feel import FEWEST_TOKENS, MOST_TOKENS, SPEEDS_TPS, feel_run
from lib.meaning.spans import spans_of
from lib.metrics.measurement import measure
from lib.metrics.quantity import number
from lib.metrics.rates import decode_rate, end_to_end_rate

ENGLISH = "The tide comes in twice a day, and nobody in the village remembers a day without it. " * 26
CHINESE = "每天两次，海水爬上沙滩，又慢慢退回去。村里没有人记得哪一天不是这样。" * 18


@pytest.mark.parametrize(("text", "encoding"), [(ENGLISH, "o200k_base"), (CHINESE, "r50k_base")])
def test_every_lane_has_the_speed_that_is_written_on_it(text: str, encoding: str) -> None:
    made = feel_run(text, encoding)
    assert len(made.generations) == len(SPEEDS_TPS) == 6
    for tps, generation, backend in zip(SPEEDS_TPS, made.generations, made.backends, strict=True):
        found = measure(generation, backend)
        assert number(decode_rate(found)) == pytest.approx(tps, rel=1e-4)
        assert number(end_to_end_rate(found)) == pytest.approx(tps, rel=1e-4)
        assert backend.origin is Origin.SIMULATED


@pytest.mark.parametrize("encoding", tokens.ENCODINGS)
def test_every_lane_says_the_whole_text_and_nothing_else(encoding: str) -> None:
    for generation in feel_run(CHINESE, encoding, (7.0, 90.0)).generations:
        said = "".join(delta.text for delta in generation.of(ev.Delta))
        assert said == CHINESE
        assert [delta.at_ns for delta in generation.of(ev.Delta)] == sorted(
            delta.at_ns for delta in generation.of(ev.Delta)
        )


def test_a_token_stands_where_its_number_and_the_speed_put_it() -> None:
    deltas = feel_run(ENGLISH, speeds_tps=(20.0,)).generations[0].of(ev.Delta)
    counted = itertools.accumulate(delta.tokens or 0 for delta in deltas)
    assert [delta.at_ns for delta in deltas] == [round(n * 1e9 / 20) for n in counted]


def test_a_short_text_is_said_again_until_the_fastest_lane_can_be_told() -> None:
    said = "".join(d.text for d in feel_run("Short.", speeds_tps=(3000.0,)).generations[0].of(ev.Delta))
    assert said.startswith("Short.\n\nShort.")
    assert tokens.count(said) >= FEWEST_TOKENS


def test_a_book_is_cut() -> None:
    deltas = feel_run(ENGLISH * 40, speeds_tps=(60.0,)).generations[0].of(ev.Delta)
    assert sum(delta.tokens or 0 for delta in deltas) <= MOST_TOKENS
    assert "".join(delta.text for delta in deltas) in ENGLISH * 40


def test_the_player_gets_it_as_any_recording_and_another_text_is_another_recording() -> None:
    first, again, other = feel_run(ENGLISH), feel_run(ENGLISH), feel_run(CHINESE)
    assert first.id == again.id != other.id
    messages = view_messages(first)
    assert sum('"f":' in message for message in messages) == 6
    assert '"result"' in messages[-1]


def test_a_token_that_is_part_of_a_character_stands_with_its_neighbours() -> None:
    whole = spans_of(tokens.pieces("灯塔 and 🚲", "r50k_base"))
    assert "".join(span.text for span in whole) == "灯塔 and 🚲"
    assert sum(span.tokens for span in whole) == tokens.count("灯塔 and 🚲", "r50k_base")
    assert max(span.tokens for span in whole) > 1
    assert [span.text for span in spans_of([b"a", b"\xe7\x81"])] == ["a", "\N{REPLACEMENT CHARACTER}"]
