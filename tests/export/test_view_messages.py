"""A recording as view messages: what a live viewer would have got, and lanes of several races on one start line."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from lib.collector.shipping import SLOT_NS
from lib.domain import events as ev
from lib.domain.run import Run
from lib.export.view_messages import STEP_NS, merged_messages, merged_run, view_messages
from lib.metrics.catalogue import compute_all
from lib.metrics.measurement import measure
from lib.reading import speed
from lib.view_stream import announcement, lane_figures, race_result
from tests.ui.made_runs import answered, backend, failed, run_of

WORDS = "The keeper climbed the stairs each evening and trimmed the wick before dusk. " * 4


@pytest.fixture
def run() -> Run:
    backends = [backend("Sol"), backend("Terra"), backend("Broken")]
    thinking = "Let me think about it."
    return run_of(
        backends, [answered(0, WORDS, gap_ms=3), answered(1, WORDS, thinking=thinking), failed(2)], "r"
    )


def told(messages: list[str]) -> list[dict[str, Any]]:
    return [json.loads(message) for message in messages]


def text_of(messages: list[dict[str, Any]], lane: int, channel: str) -> str:
    rows = [row for message in messages for row in message.get("d", ()) if row[:2] == [lane, channel]]
    return "".join("".join(pairs[1::2]) for _lane, _channel, pairs in rows)


def test_every_text_of_every_lane_is_in_the_messages_once_and_in_order(run: Run) -> None:
    messages = told(view_messages(run))
    for lane, generation in enumerate(run.generations):
        for channel in ev.Channel:
            text = "".join(d.text for d in generation.of(ev.Delta) if d.channel is channel)
            assert text_of(messages, lane, channel.value) == text


def test_no_message_speaks_of_what_comes_after_it_and_none_goes_back(run: Run) -> None:
    messages = told(view_messages(run))
    clocks = [message["now"] for message in messages]
    assert clocks == sorted(clocks)
    for message in messages:
        for _lane, _channel, pairs in message.get("d", ()):
            assert message["now"] - (STEP_NS + SLOT_NS) // 1_000_000 <= pairs[0]
            assert sum(pairs[0::2]) <= message["now"]
        assert all(row[1] <= message["now"] for row in message.get("e", ()))


def test_announcement_figures_and_result_are_those_of_the_live_stream(run: Run) -> None:
    messages = told(view_messages(run))
    assert messages[0]["run"] == json.loads(json.dumps(announcement(run)))
    figures = {lane: value for message in messages for lane, value in message.get("f", ())}
    assert figures == {
        lane: json.loads(json.dumps(lane_figures(run, lane, None), default=str)) for lane in range(3)
    }
    assert messages[-1]["result"] == json.loads(json.dumps(race_result(run, None), default=str))


def test_a_race_that_has_not_ended_has_no_result(run: Run) -> None:
    open_lane = replace(run.generations[0], events=run.generations[0].events[:-1])
    messages = told(view_messages(replace(run, generations=(open_lane, *run.generations[1:]))))
    assert not any("result" in message for message in messages)
    assert {lane for message in messages for lane, _value in message.get("f", ())} == {1, 2}


def shifted(generation: ev.Generation, by_ns: int) -> ev.Generation:
    return replace(generation, events=tuple(replace(e, at_ns=e.at_ns + by_ns) for e in generation.events))


def test_lanes_of_several_races_start_together_and_keep_their_figures(run: Run) -> None:
    late = replace(run, id="late", generations=tuple(shifted(g, 7_000_000_000) for g in run.generations))
    merged = merged_run([(run, 0), (late, 1)])
    sent_ns = {generation.of(ev.Sent)[-1].at_ns for generation in merged.generations}
    assert len(sent_ns) == 1
    for lane, original in enumerate((run.generations[0], run.generations[1])):
        before = compute_all(measure(original, run.backends[lane]), speed("en"))
        after = compute_all(measure(merged.generations[lane], merged.backends[lane]), speed("en"))
        assert after == before
    assert told(merged_messages([(run, 0), (late, 1)]))[0]["run"]["merged"] is True


def test_what_came_before_the_answered_attempt_is_not_part_of_a_merged_race(run: Run) -> None:
    events = run.generations[0].events
    tried = (ev.Attempt(0, 1), ev.Sent(1), ev.Waiting(2, 5000.0, "429"), ev.Attempt(5_000_000_000, 2))
    again = tuple(replace(e, at_ns=e.at_ns + 5_000_000_001) for e in events[1:])
    retried = replace(run, generations=(ev.Generation(0, (*tried, *again)), *run.generations[1:]))
    merged = merged_run([(retried, 0), (run, 1)])
    assert merged.generations[0].of(ev.Waiting) == ()
    assert [attempt.number for attempt in merged.generations[0].of(ev.Attempt)] == [2]
    assert merged.generations[0].events[0].at_ns >= 0


def test_a_prompt_that_the_races_do_not_share_is_not_named(run: Run) -> None:
    other = replace(run, prompt=replace(run.prompt, text="Something else"))
    assert merged_run([(run, 0), (other, 1)]).prompt.text == ""
    assert merged_run([(run, 0), (run, 1)]).prompt == run.prompt
