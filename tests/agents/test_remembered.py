"""What is remembered is what would be computed, of the very object asked about, and not too much of it."""

from __future__ import annotations

from lib.agents.figures import six_figures
from lib.agents.phases import StepRecord, times_of
from lib.agents.remembered import Remembered
from tests.agents.test_loop import HERE, MS, SIM, answered


def test_it_is_computed_once_for_an_object_and_anew_for_another_that_is_equal() -> None:
    made: list[tuple[int, ...]] = []

    def make(key: tuple[int, ...]) -> int:
        made.append(key)
        return sum(key)

    known = Remembered(make, 2)
    one, same = tuple(range(1, 3)), tuple(range(1, 3))
    assert [known.of(one), known.of(one), known.of(same)] == [3, 3, 3]
    assert len(made) == 2


def test_the_oldest_are_forgotten() -> None:
    made: list[str] = []
    known = Remembered(lambda key: made.append(key) or len(key), 2)  # type: ignore[func-returns-value]
    keys = ["one", "three", "seventeen"]
    for key in (*keys, keys[2], keys[1], keys[0]):
        assert known.of(key) == len(key)
    assert made == [*keys, keys[0]]


def test_the_same_answer_by_another_backend_costs_what_that_one_asks() -> None:
    record = StepRecord(0, "none", (answered(5 * MS),))
    times = [times_of(record, 0)]
    costs = [six_figures([record], times, backend, 1, "complete").cost for backend in (HERE, SIM, HERE)]
    assert costs[0] == costs[2] != costs[1]
