"""A series is kept as it comes, and what is read back says what the series said."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from lib.collector.single import Hear
from lib.domain.codec import decode_run, encode_event
from lib.domain.events import Generation, Status
from lib.domain.run import Backend, Limits, Origin, Params, Prompt
from lib.grace import Grace
from lib.series_files import read_series, series_json, series_markdown, trials_csv
from lib.server_process import Ready, ServerProcess
from lib.store.keeper import Keeper
from lib.store.store import Store
from lib.trials.keeping import Keeping
from lib.trials.plan import WARM_UP_TOKENS, Condition, Plan
from lib.trials.runner import Asker, Series
from lib.trials.trial import Trial
from tests.trials.made_trials import backend, plan
from tests.trials.test_runner import StandIn, access

A, B, C = backend("A"), backend("B"), backend("C", url="https://other.example.com/v1")


class Shipping(StandIn):
    """A stand-in that also ships what it answers, on a clock of its own for each request."""

    def generation(
        self,
        backend: Backend,
        key: str,
        prompt: Prompt,
        params: Params,
        limits: Limits,
        hear: Hear | None = None,
    ) -> Generation:
        found = super().generation(backend, key, prompt, params, limits)
        assert hear is not None
        rows = [encode_event(event) for event in found.events]
        origin_ns = len(self.asked) * 3_000_000_000
        hear(origin_ns, rows[:3])
        hear(origin_ns, rows[3:])
        return found


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(f"sqlite:///{tmp_path}/history.sqlite")) as made:
        yield made


def told(trials: tuple[Trial, ...]) -> dict[tuple[int, int], tuple[object, ...]]:
    """What is said of each trial, by its round and place."""
    return {
        (one.turn.round, one.turn.place): (one.status, one.figures, one.longest_stall, one.failure)
        for one in trials
    }


def carried_out(
    store: Store,
    asked: Plan,
    asker: Callable[[], Asker],
    meanwhile: Callable[[Series], None] = lambda _one: None,
) -> Series:
    with closing(Keeper(store)) as keeper:
        keeping = Keeping(asked, keeper, clock_ns=lambda: 1_000_000_000)
        one = Series(asked, access(len(asked.backends)), lambda: nullcontext(asker()), keeping=keeping)
        one.start()
        meanwhile(one)
        assert one.wait(30)
    return one


@pytest.mark.parametrize("condition", list(Condition))
def test_a_kept_series_says_what_it_said_when_it_was_made(store: Store, condition: Condition) -> None:
    stand_in = Shipping()
    asked = replace(plan(A, B, C, rounds=3, condition=condition), own_params={1: Params(max_tokens=99)})
    made = carried_out(store, asked, lambda: stand_in)
    kept = read_series(store, asked.id, None)
    assert kept.plan == asked
    assert told(kept.trials) == told(made.trials)
    assert (kept.progress.done, kept.progress.ended_early, kept.progress.is_running) == (12, "", False)
    assert kept.clock_health_ms == made.clock_health_ms
    assert kept.versions == made.versions
    warm_up = store.open(f"{asked.id}-0")
    assert [warm_up.params_of(place).max_tokens for place in range(3)] == [WARM_UP_TOKENS] * 3
    assert all(found.ok for found in store.verify_all())
    assert [row.id for row in store.page().rows] == [asked.id]


def test_stop_keeps_what_is_there_and_lanes_that_were_not_asked_are_no_trials(store: Store) -> None:
    held = threading.Event()
    stand_in = Shipping(held=held)

    def stop(one: Series) -> None:
        while not stand_in.asked:
            assert one.progress.is_running
        one.stop()

    made = carried_out(store, plan(A, B, rounds=5, has_warm_up=False), lambda: stand_in, stop)
    kept = read_series(store, "series", None)
    assert [trial.status for trial in kept.trials] == [Status.STOPPED]
    assert told(kept.trials) == told(made.trials)
    assert kept.progress.ended_early == "stopped"
    assert store.row("series").status == "stopped"


def test_a_series_that_nobody_watches_is_stopped_and_says_so() -> None:
    held = threading.Event()
    stand_in = StandIn(held=held)
    now_s = [0.0]
    grace = Grace(15.0, lambda: now_s[0])
    one = Series(plan(A, rounds=5), access(1), lambda: nullcontext(stand_in), grace=grace)
    grace.come("tab")
    one.start()
    while not stand_in.asked:
        assert one.progress.is_running
    now_s[0] = 1000.0
    assert one.progress.is_running
    grace.leave("tab")
    now_s[0] += 15.1
    assert one.wait(30)
    assert one.progress.ended_early == "unwatched"


def test_the_files_of_a_series_hold_every_trial_every_recording_and_what_may_be_said(store: Store) -> None:
    asked = plan(A, B, rounds=3)
    carried_out(store, asked, Shipping)
    kept = read_series(store, asked.id, None)
    table = trials_csv(kept).decode("utf-8-sig").splitlines()
    assert len(table) == 1 + 8
    assert table[0].startswith("series,started_at,round,condition,mode,name,origin,model,status")
    document = json.loads(series_json(store, asked.id))
    assert (document["format"], document["rounds"], document["condition"]) == ("tokenrace-series", 3, "cold")
    runs = [decode_run(json.dumps(one["recording"]).encode()) for one in document["recordings"]]
    assert [one["round"] for one in document["recordings"]] == [0, 1, 2, 3]
    assert runs == [run for _number, run in store.series(asked.id).rounds]
    said = series_markdown(kept).decode()
    assert "cannot be told apart with 3 rounds" in said
    assert "| 3 / 3 |" in said


def test_a_series_of_a_real_server_is_the_same_when_it_is_read_back(store: Store) -> None:
    server = ServerProcess("lib.simulator")
    server.start()
    state = server.wait(60)
    assert isinstance(state, Ready)
    lanes = tuple(
        Backend(f"b{n}", f"Lane {n}", state.base_url, "gpt-5.6-sol-ultrafast", Origin.SIMULATED,
                extra_body={"simulator": {"ttft_ms": 20 + 30 * n, "tok_s": 900, "tokens": 40, "tokens_per_chunk": 1}})
        for n in range(2)
    )  # fmt: skip
    asked = plan(*lanes, rounds=2)
    try:
        with closing(Keeper(store)) as keeper:
            made = Series(asked, access(2), keeping=Keeping(asked, keeper))
            made.start()
            assert made.wait(60)
    finally:
        server.close()
    kept = read_series(store, asked.id, None)
    assert told(kept.trials).keys() == told(made.trials).keys()
    for place, (status, figures, *_rest) in told(made.trials).items():
        assert told(kept.trials)[place][0] == status == Status.COMPLETE
        assert told(kept.trials)[place][1] == figures
    rounds = store.series(asked.id).rounds
    for _number, run in rounds:
        sent = [generation.events[0].at_ns for generation in run.generations]
        assert all(0 <= at_ns < 60_000_000_000 for at_ns in sent), "on the round's own clock"
