"""The sentence says what happened, by rule, and misleads nobody."""

from __future__ import annotations

import pytest

from lib import reading
from lib.domain import events as ev
from lib.domain.run import Backend, Mode, Origin
from lib.metrics.verdict import places, result_of, verdict
from tests.metrics.building import at, backend, generation, run, steady

ENGLISH = reading.speed("en")


def _say(*lanes: tuple[Backend, ev.Generation], mode: Mode = Mode.ALL_AT_ONCE) -> str:
    return "".join(text for text, _mark in verdict(run(lanes, mode), ENGLISH))


def _lane(name: str, each_ms: float, tokens: int = 400, **options: Origin) -> tuple[Backend, ev.Generation]:
    return backend(name, **options), steady(tokens, first_ms=200, each_ms=each_ms)


def _failed(name: str) -> tuple[Backend, ev.Generation]:
    failure = [ev.Failed(at(20), "rate_limited", "slow down", 429)]
    return backend(name), generation([], status=ev.Status.ERROR, finish=None, extra=failure)


def _stopped(name: str) -> tuple[Backend, ev.Generation]:
    return backend(name), steady(30, status=ev.Status.STOPPED)


def test_four_lanes() -> None:
    said = _say(_lane("Cloud", 12), _lane("Sol", 20), _lane("Ultrafast", 1.3), _lane("Small", 9))
    assert said == (
        "Ultrafast had finished in 719 ms; a person needs 1 min 41 s to read it; for a reader all four are "
        "fast enough, for an agent Ultrafast is 11.4× Sol."
    )


def test_one_lane() -> None:
    assert _say(_lane("Sol", 10)) == (
        "Sol had finished in 4.2 s; a person needs 1 min 41 s to read it; for a reader it is fast enough."
    )


def test_two_lanes_about_as_fast() -> None:
    said = _say(_lane("Sol", 10), _lane("Luna", 10.2))
    assert said.endswith("for a reader both are fast enough, for an agent Sol and Luna are about as fast.")


def test_a_lane_slower_than_reading_is_too_slow_for_a_reader() -> None:
    said = _say(_lane("Sol", 10), _lane("Slow", 400, tokens=100))
    assert "for a reader Slow is too slow: the reader stood waiting 14.6 s for text" in said


def test_a_first_word_after_a_long_time_is_too_slow_for_a_reader() -> None:
    late = backend("Thinker"), steady(400, first_ms=60_000, each_ms=2)
    assert "for a reader Thinker is too slow: the first word came after 1 min 0 s" in _say(
        _lane("Sol", 10), late
    )


def test_failed_and_stopped_lanes_are_counted_out() -> None:
    said = _say(_lane("Sol", 10), _failed("Luna"), _lane("Ultra", 2), _stopped("Mars"))
    assert said.startswith("Two of four finished; Ultra had finished in 998 ms")
    assert "Luna" not in said
    assert "Mars" not in said


@pytest.mark.parametrize(
    ("lanes", "said"),
    [
        ([_stopped("A"), _stopped("B")], "Stopped before any answer was complete."),
        ([_failed("A"), _failed("B")], "Every lane failed; nothing to compare."),
        ([_failed("A")], "The lane failed; nothing to compare."),
        ([_failed("A"), _stopped("B")], "No answer was complete, so there is nothing to compare."),
    ],
)
def test_when_nobody_finished_that_is_what_is_said(
    lanes: list[tuple[Backend, ev.Generation]], said: str
) -> None:
    assert _say(*lanes) == said
    assert places(run(lanes)) == [None] * len(lanes)


def test_answers_of_different_length_are_compared_by_rate_and_it_is_said() -> None:
    said = _say(_lane("Sol", 10, tokens=900), _lane("Ultra", 2, tokens=120))
    assert "by rate, as the answers are of very different length (126 to 947 tokens)" in said


def test_the_origin_is_named_where_origins_are_mixed_and_only_there() -> None:
    mixed = _say(
        _lane("Ultra", 2), _lane("Small", 10, origin=Origin.LIVE), _lane("Old", 5, origin=Origin.RECORDED)
    )
    assert mixed.startswith("Ultra (simulated) had finished")
    assert "Ultra (simulated) is 4.2× Small." in mixed
    assert "(simulated)" not in _say(_lane("Ultra", 2), _lane("Sol", 10))


def test_the_same_backend_twice_is_told_apart_by_its_lane() -> None:
    assert "Sol (lane 2) is 4.2× Sol (lane 1)" in _say(_lane("Sol", 10), _lane("Sol", 2))


def test_too_short_an_answer_takes_no_part_in_the_comparison_for_agents() -> None:
    said = _say(_lane("Sol", 10), _lane("Terse", 10, tokens=3))
    assert said.startswith("Terse had finished in 220 ms with only 3 tokens; ")
    assert "for an agent" not in said


def test_what_speaks_of_the_person_is_marked() -> None:
    marked = [text for text, mark in verdict(run([_lane("Sol", 10)]), ENGLISH) if mark == "reader"]
    assert marked == ["a person needs 1 min 41 s to read it", "for a reader it is fast enough"]


def test_places_go_by_the_race_clock_when_all_ran_at_once() -> None:
    lanes = [_lane("A", 10), _lane("B", 2), _failed("C"), _lane("D", 5), _stopped("E")]
    assert places(run(lanes)) == [3, 1, None, 2, None]


def test_places_go_by_time_taken_when_lanes_ran_after_one_another() -> None:
    late = tuple(
        type(event)(event.at_ns + 10**10, *[getattr(event, name) for name in event.__slots__[1:]])  # type: ignore[call-arg]
        for event in steady(100, each_ms=1).events
    )
    lanes = [_lane("First", 10), (backend("Later"), ev.Generation(1, late))]
    assert places(run(lanes, Mode.ONE_BY_ONE)) == [2, 1]
    assert places(run(lanes, Mode.ALL_AT_ONCE)) == [1, 2]


def test_equal_times_share_a_place() -> None:
    assert places(run([_lane("A", 10), _lane("B", 10), _lane("C", 20)])) == [1, 1, 3]


def test_an_incomplete_answer_has_no_place() -> None:
    cut = backend("Cut"), generation([(10, "half")], status=ev.Status.INCOMPLETE, finish=None)
    assert result_of(run([_lane("A", 10), cut]), None)["places"] == [1, None]


def test_the_fastest_is_set_against_the_slowest_of_its_own_badge_and_family() -> None:
    played = {"origin": Origin.SIMULATED}
    lanes = [_lane("Small model", 30, origin=Origin.LIVE), _lane("Sol standard", 20, **played), _lane("Sol fast", 8, **played),
             _lane("Other", 40, **played), _lane("Sol Ultrafast", 1.3, **played)]  # fmt: skip
    assert _say(*lanes).endswith("× Sol standard (simulated).")
    assert _say(lanes[0], lanes[3], _lane("Ultrafast", 1.3, **played)).endswith("× Other (simulated).")


def test_a_twin_of_the_fastest_is_no_comparison_while_there_is_another_backend() -> None:
    assert _say(_lane("Sol", 2), _lane("Sol", 2.4), _lane("Luna", 20)).endswith("× Luna.")
