"""What runs may run unwatched for so long and no longer; clocks and viewers are the test's own."""

from __future__ import annotations

import threading

import pytest

from lib.grace import GRACE_S, GRACE_VARIABLE, Grace, grace_s, stop_unwatched


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_what_nobody_ever_watched_may_run_for_the_grace_and_no_longer(clock: Clock) -> None:
    grace = Grace(15.0, clock)
    clock.now_s += 15.0
    assert not grace.is_over
    clock.now_s += 0.1
    assert grace.is_over


def test_the_grace_begins_anew_when_the_last_of_several_viewers_leaves(clock: Clock) -> None:
    grace = Grace(15.0, clock)
    grace.come("one")
    grace.come("two")
    clock.now_s += 1000
    assert not grace.is_over
    grace.leave("one")
    clock.now_s += 1000
    assert not grace.is_over
    grace.leave("two")
    clock.now_s += 14
    assert not grace.is_over
    grace.leave("two")  # once more: they left before
    clock.now_s += 2
    assert grace.is_over
    grace.come("three")
    assert not grace.is_over


def test_a_viewer_who_can_be_asked_leaves_by_not_being_there_and_may_come_back(clock: Clock) -> None:
    there = [True]
    grace = Grace(5.0, clock)
    grace.come("tab", lambda: there[0])
    clock.now_s += 60
    assert not grace.is_over
    there[0] = False
    assert not grace.is_over, "the grace begins when they are missed"
    clock.now_s += 4
    there[0] = True
    grace.come("tab", lambda: there[0])
    clock.now_s += 60
    assert not grace.is_over
    there[0] = False
    assert not grace.is_over
    clock.now_s += 6
    assert grace.is_over


def test_without_a_limit_it_is_never_over(clock: Clock) -> None:
    grace = Grace(None, clock)
    clock.now_s += 1e9
    assert not grace.is_over


@pytest.mark.parametrize(
    ("told", "meant"), [("", GRACE_S), ("3.5", 3.5), ("0", None), ("-1", None), ("soon", GRACE_S)]
)
def test_the_variable_sets_the_grace_and_zero_is_without_end(
    monkeypatch: pytest.MonkeyPatch, told: str, meant: float | None
) -> None:
    monkeypatch.setenv(GRACE_VARIABLE, told)
    assert grace_s() == meant


def test_who_runs_unwatched_is_stopped_once_and_who_ended_is_not(clock: Clock) -> None:
    for ends in (False, True):
        stops, called, ended = [], threading.Event(), threading.Event()
        grace = Grace(1.0, clock)
        grace.come("somebody")
        if ends:
            ended.set()
        stop_unwatched(grace, lambda stops=stops, called=called: (stops.append(1), called.set()), ended)
        grace.leave("somebody")
        clock.now_s += 2.0
        assert called.wait(0 if ends else 30) is not ends
        assert len(stops) == (0 if ends else 1)
        ended.set()
