"""The limits of response time: complete, in order, each with words and a source."""

from __future__ import annotations

from lib.response_limits import response_limits


def test_the_three_limits_and_the_spoken_turn_are_there_in_the_order_of_time() -> None:
    found = [(limit.id, limit.lo_s, limit.hi_s) for limit in response_limits()]
    assert found == [
        ("instant", 0.1, None),
        ("voice-turn", 0.2, 0.8),
        ("flow", 1.0, None),
        ("attention", 10.0, None),
    ]


def test_every_limit_says_what_it_means_and_who_says_so() -> None:
    for limit in response_limits():
        assert limit.label
        assert limit.meaning.endswith(".")
        assert any(character.isdigit() for character in limit.source), "a source has a year"
