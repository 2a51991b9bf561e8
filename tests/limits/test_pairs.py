"""The live pairs: what they say by rule, and the simulated lanes that stand in for the local model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lib.charts.result_lanes import ResultLane, lanes_of
from lib.domain import events as ev
from lib.domain.run import Origin
from lib.server_process import Failed, Starting, State
from lib.ui import limits_pairs, wiring
from lib.ui.limits_pairs import PAIRS, outcome, stand_ins
from tests.metrics.building import backend, generation, run, steady

GUESSING, NARROW = PAIRS


@pytest.fixture(scope="module", autouse=True)
def services() -> Iterator[None]:
    wiring.services()
    yield
    wiring.close()


def lanes(first: ev.Generation, second: ev.Generation) -> tuple[ResultLane, ...]:
    return lanes_of(run([(backend("Plain"), first), (backend("Guessing"), second)]), None)


def bursts(each_ms: float) -> ev.Generation:
    """Four tokens at a time."""
    pieces = [(100 + each_ms * number, " the keeper walked on") for number in range(25)]
    return generation(pieces, usage={"prompt_tokens": 9, "completion_tokens": 100, "total_tokens": 109})


def test_a_faster_second_lane_is_told_with_its_ratio() -> None:
    told = outcome(lanes(steady(100, each_ms=20), steady(100, each_ms=5)), GUESSING)
    assert told == (
        "Guessing, simulated ran at 4.0× the speed of Plain, simulated: 200 tok/s against 50.0 tok/s."
    )


def test_bursts_are_told_beside_the_gain() -> None:
    told = outcome(lanes(steady(100, each_ms=20), bursts(each_ms=40)), GUESSING)
    assert "in bursts of 4.0 tokens on average, instead of 1.0" in told
    assert "pays only where" not in told


def test_tokens_sent_one_by_one_right_after_each_other_are_one_burst() -> None:
    times = [100 + 40 * check + 0.05 * token for check in range(25) for token in range(4)]
    counts = {"prompt_tokens": 9, "completion_tokens": 100, "total_tokens": 109}
    told = outcome(lanes(steady(100, each_ms=20), generation([(ms, " on") for ms in times], usage=counts)), GUESSING)
    assert "in bursts of 4.0 tokens on average, instead of 1.0" in told


def test_a_lane_that_is_only_faster_does_not_come_in_bursts() -> None:
    times = [100 + 5 * token + (token % 3) for token in range(100)]
    counts = {"prompt_tokens": 9, "completion_tokens": 100, "total_tokens": 109}
    found = lanes(steady(100, each_ms=20), generation([(ms, " on") for ms in times], usage=counts))
    assert "bursts" in outcome(found, GUESSING)
    assert "bursts" not in outcome(found, NARROW)


def test_bursts_that_brought_no_speed_say_why() -> None:
    told = outcome(lanes(steady(100, each_ms=20), bursts(each_ms=80)), GUESSING)
    assert "1.0× the speed" in told
    assert "guessing ahead pays only where arithmetic is to spare" in told


def test_a_lane_without_a_rate_is_not_compared() -> None:
    failed = generation([], status=ev.Status.ERROR, finish=None)
    assert "cannot be compared" in outcome(lanes(steady(100), failed), GUESSING)


class Models:
    """Local models of which nobody has started any; `now` is the state of all."""

    def __init__(self, now: State) -> None:
        self.now, self.started = now, list[str]()

    def state(self, _id: str) -> State:
        return self.now

    def start(self, id_: str) -> None:
        self.started.append(id_)
        self.now = Starting()


def test_a_model_that_ended_is_started_again_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    put: dict[str, object] = {}
    models = Models(Failed("The process ended (code -9)."))
    monkeypatch.setattr(limits_pairs, "local_models", lambda: models)
    monkeypatch.setattr(limits_pairs.state, "put", put.__setitem__)
    limits_pairs._ask_for(NARROW.id)
    assert models.started == list(NARROW.ids)
    assert put[limits_pairs.WAITS] == NARROW.id


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.id)
def test_the_stand_ins_are_simulated_and_the_second_is_faster(pair: object) -> None:
    found = stand_ins(next(one for one in PAIRS if one is pair))
    assert [one.origin for one in found] == [Origin.SIMULATED] * 2
    assert all("stands in for the local model" in one.note for one in found)
    slow, fast = (one.extra_body["simulator"] for one in found)
    assert fast["tok_s"] > 1.5 * slow["tok_s"]
    assert slow["tokens_per_chunk"] == 1
    assert (fast["tokens_per_chunk"] > 1) is (pair is PAIRS[0])
