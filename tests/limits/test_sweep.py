"""The concurrency sweep: what a level's figures are, that levels come in order, that Stop keeps what is there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Self

import pytest

from lib.domain import events as ev
from lib.domain.run import Backend, Limits, Params, Prompt
from lib.server_process import Ready, ServerProcess
from lib.trials.crowd import CrowdMeasurer
from lib.trials.sweep import Level, Question, Sweep, SweepDesk, TooManySweeps, knee_of, level_of
from lib.ui.limits_sweep import sentence
from tests.metrics.building import backend, steady

WAIT_S = 60.0


class MadeUpCrowd:
    """Answers at once; every user is slower by the number of users. `before` is told each level."""

    def __init__(self, before: Callable[[int], None] = lambda users: None) -> None:
        self._before = before
        self.was_stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to end."""

    def crowd(
        self, backend: Backend, key: str, prompt: Prompt, params: Params, limits: Limits, users: int
    ) -> tuple[ev.Generation, ...]:
        self._before(users)
        return tuple(steady(50, first_ms=100, each_ms=10 * users) for _user in range(users))

    def stop(self) -> None:
        self.was_stopped = True


def wait(event: threading.Event) -> None:
    assert event.wait(WAIT_S)


def question(levels: tuple[int, ...] = (1, 2, 4), **more: object) -> Question:
    asked = Question(
        "s1", "Sol", levels, [backend()] * len(levels), Prompt("Why?"), Params(max_tokens=50), Limits()
    )
    return replace(asked, **more)  # type: ignore[arg-type]


def test_a_level_has_the_median_of_its_users_and_the_total_over_their_common_time() -> None:
    level = level_of(2, backend(), [steady(50, each_ms=10), steady(50, each_ms=20)])
    assert level.completed == 2
    assert level.ttft_ms == pytest.approx(200)
    assert level.per_user_tps == pytest.approx(75)
    assert level.total_tps == pytest.approx(100 / 0.98)


def test_users_that_failed_do_not_count() -> None:
    level = level_of(2, backend(), [steady(50), steady(50, status=ev.Status.ERROR)])
    assert level.completed == 1
    assert level_of(1, backend(), [steady(50, status=ev.Status.ERROR)]) == Level(1, 0, None, None, None)


def test_levels_come_in_order_and_the_sweep_ends() -> None:
    sweep = Sweep(question(), MadeUpCrowd)
    sweep.carry_out()
    assert [level.users for level in sweep.results] == [1, 2, 4]
    assert not sweep.is_running
    assert not sweep.was_stopped


def test_stop_ends_the_requests_keeps_the_levels_before_and_begins_no_other() -> None:
    crowd = MadeUpCrowd(lambda users: sweep.stop() if users == 2 else None)
    sweep = Sweep(question(), lambda: crowd)
    sweep.carry_out()
    assert [level.users for level in sweep.results] == [1]
    assert crowd.was_stopped
    assert sweep.was_stopped


def test_a_fault_ends_the_sweep_and_is_told() -> None:
    def fail(users: int) -> None:
        raise RuntimeError(users)

    sweep = Sweep(question(), lambda: MadeUpCrowd(fail))
    sweep.carry_out()
    assert sweep.is_faulty
    assert not sweep.is_running


def test_one_sweep_at_a_time() -> None:
    desk, go_on = SweepDesk(), threading.Event()
    first = Sweep(question(), lambda: MadeUpCrowd(lambda users: wait(go_on)))
    desk.start(first)
    with pytest.raises(TooManySweeps):
        desk.start(Sweep(question(id="s2"), MadeUpCrowd))
    go_on.set()
    assert first.wait(WAIT_S)
    assert desk.get("s1") is first
    assert desk.get("s2") is None


def test_the_knee_is_where_the_product_is_largest() -> None:
    levels = [
        Level(1, 1, 10, 100, 100), Level(2, 2, 10, 90, 180), Level(4, 4, 10, 60, 240), Level(8, 8, 10, 20, 160),
    ]  # fmt: skip
    assert knee_of(levels) == 2
    assert knee_of([*levels[:2], Level(4, 0, None, None, None)]) is None


def test_the_sentence_fits_a_backend_that_gives_less_to_two_than_to_one() -> None:
    told = sentence(measured(Level(1, 1, 10, 68, 69), Level(2, 2, 10, 24, 45)))
    assert "from 1 user to 2 users" in told
    assert "each goes from 68.0 tok/s to 24.0 tok/s, that of all together from 69.0 tok/s to 45.0 tok/s" in told
    assert "rise" not in told


def test_a_simulated_machine_that_was_late_is_told_from_its_level_on() -> None:
    levels = [Level(1, 1, 10, 100, 100), Level(2, 2, 10, 96, 190), Level(4, 4, 10, 60, 240)]
    told = sentence(measured(*levels, expected_tps=(100, 99, 80)))
    assert "From 4 users on, this computer was too busy" in told
    assert "too busy" not in sentence(measured(*levels, expected_tps=(100, 99, 61)))
    assert "too busy" not in sentence(measured(*levels))


def measured(*levels: Level, **more: object) -> Sweep:
    sweep = Sweep(question(tuple(level.users for level in levels), **more), MadeUpCrowd)
    sweep._results.extend(levels)
    return sweep


def test_a_real_crowd_meets_the_simulator_on_the_wire() -> None:
    simulator = ServerProcess("lib.simulator")
    simulator.start()
    try:
        ready = simulator.wait(WAIT_S)
        assert isinstance(ready, Ready)
        wish = {
            "simulator": {"ttft_ms": 50, "tok_s": 200, "tokens": 60, "tokens_per_chunk": 1, "jitter_cv": 0}
        }
        asked = Backend("sim", "Sim", ready.base_url, "gpt-5.6-sol-ultrafast", extra_body=wish)
        sweep = Sweep(question((1, 4), backends=[asked, asked]), CrowdMeasurer)
        sweep.carry_out()
    finally:
        simulator.close()
    assert [level.completed for level in sweep.results] == [1, 4]
    one, four = sweep.results
    assert one.per_user_tps == pytest.approx(200, rel=0.15)
    assert one.total_tps is not None
    assert four.total_tps is not None
    assert four.total_tps > 2.5 * one.total_tps
