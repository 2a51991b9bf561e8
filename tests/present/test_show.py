"""What is on stage after each press of a key, and what the room may read."""

from __future__ import annotations

from lib.present.show import (
    Show,
    at_act,
    blind_names,
    blind_verdict,
    failure_told,
    fell_back,
    paused,
    played,
    raced,
    slowed,
)  # fmt: skip
from tests.metrics.building import backend, run, steady


def test_another_act_begins_hidden_silent_and_from_its_start() -> None:
    before = Show(1, run="r", revealed=True, slow=True, replaying=True, cue=4, play=True, told="failed")
    assert at_act(before, 2, 3, "k") == Show(2, kept="k", cue=4)
    assert at_act(before, 3, 3, None) is before
    assert at_act(before, -1, 3, None) is before


def test_every_order_to_the_replay_has_a_number_of_its_own() -> None:
    once = played(Show(run="r"))
    again = played(once)
    still = paused(again)
    assert (once.cue, again.cue, still.cue) == (1, 2, 3)
    assert (once.play, again.play, still.play) == (True, True, False)


def test_slow_motion_begins_a_slow_replay_and_then_changes_its_speed_alone() -> None:
    slow = slowed(Show(run="r"), can_replay=True)
    assert (slow.replaying, slow.speed, slow.cue) == (True, 0.25, 1)
    usual = slowed(slow, can_replay=True)
    assert (usual.replaying, usual.speed, usual.cue) == (True, 1.0, 1)
    nothing = Show()
    assert slowed(nothing, can_replay=False) is nothing


def test_a_new_race_is_live_and_a_rebuilt_stage_does_not_replay_it() -> None:
    begun = raced(fell_back(Show(0, run="r"), "k", "It failed."), "new")
    assert (begun.run, begun.kept, begun.replaying, begun.play, begun.told) == ("new", None, False, False, "")


def test_a_kept_race_takes_the_place_of_a_failed_one_and_plays() -> None:
    show = fell_back(Show(0, run="r", slow=True), "k", "It failed.")
    assert (show.run, show.kept, show.replaying, show.play, show.speed) == (None, "k", True, True, 1.0)
    assert show.told == "It failed."


def test_a_blind_verdict_names_lanes_and_no_backend() -> None:
    lanes = [(backend("Sol"), steady(60, each_ms=10)), (backend("Ultra"), steady(60, each_ms=2))]
    told = "".join(text for text, _mark in blind_verdict(run(lanes), None))
    assert "Lane B" in told
    assert "Sol" not in told
    assert "Ultra" not in told
    assert blind_names(8)[-1] == "Lane H"


def test_the_room_is_told_who_failed_without_a_name_before_the_reveal() -> None:
    backends = (backend("Sol"), backend("Ultra"))
    told = failure_told(backends, 1, "silent", "2026-11-02", blind=False)
    assert told == "Recorded on 2026-11-02: Ultra did not answer."
    hidden = failure_told(backends, 1, "error", "2026-11-02", blind=True)
    assert hidden == "Recorded on 2026-11-02: Lane B failed before its first token."
