"""A plan carried out: by a stand-in for the collector, and by the real one against the simulator."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from decimal import Decimal

import pytest

from lib import i18n
from lib.collector.single import Hear
from lib.domain.events import Generation, Status
from lib.domain.run import Backend, Limits, Mode, Origin, Params, Prices, Prompt
from lib.metrics.quantity import Unavailable
from lib.server_process import Ready, ServerProcess
from lib.trials.plan import WARM_UP_TOKENS, Condition, Plan
from lib.trials.runner import MOST_RUNNING, Access, Desk, Series, TooManyTrials
from lib.trials.summary import figure_summary, trials_of
from tests.trials.made_trials import backend, plan
from tests.ui.made_runs import answered, failed

WORDS = "The keeper climbed the stairs each evening and trimmed the wick before dusk. " * 3


class Clock:
    """Advances by a second whenever a request is answered."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class StandIn:
    """Answers at once, or when it is let go; knows who asks at the same time."""

    clock_health_ms: float | None = 0.2
    versions: Mapping[str, str] = {"tokenrace": "test"}

    def __init__(self, clock: Clock | None = None, held: threading.Event | None = None) -> None:
        self.asked: list[tuple[str, Prompt, Params]] = []
        self.at_once: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self._clock, self._held = clock or Clock(), held
        self._lock = threading.Lock()
        self.stopped = threading.Event()
        self.answers: dict[str, Generation] = {}

    def generation(
        self, backend: Backend, key: str, prompt: Prompt, params: Params, limits: Limits, hear: Hear | None = None
    ) -> Generation:
        with self._lock:
            self.asked.append((backend.id, prompt, params))
            self.at_once[backend.base_url] += 1
            self.most[backend.base_url] = max(self.most[backend.base_url], self.at_once[backend.base_url])
            self._clock.now_s += 1
        if self._held is not None:
            self._held.wait()
        with self._lock:
            self.at_once[backend.base_url] -= 1
        if self.stopped.is_set():
            return answered(0, WORDS, status=Status.STOPPED)
        return self.answers.get(backend.id, answered(0, WORDS))

    def stop(self) -> None:
        self.stopped.set()
        if self._held is not None:
            self._held.set()


def access(places: int, cap: Decimal | None = None) -> Access:
    return Access([""] * places, [Limits()] * places, None, cap)


def series(asked: Plan, stand_in: StandIn, clock: Clock | None = None, cap: Decimal | None = None) -> Series:
    own = clock or Clock()
    return Series(asked, access(len(asked.backends), cap), lambda: nullcontext(stand_in), own)


A, B, C = backend("A"), backend("B"), backend("C", url="https://other.example.com/v1")


def test_every_turn_of_the_plan_becomes_a_trial_and_warm_ups_stay_apart() -> None:
    one = series(plan(A, B, C, rounds=3), StandIn())
    one.carry_out()
    assert len(one.trials) == 12
    assert sum(trial.is_warm_up for trial in one.trials) == 3
    assert all(len(trials_of(one.trials, place)) == 3 for place in range(3))
    progress = one.progress
    assert (progress.done, progress.total, progress.is_running, progress.ended_early) == (12, 12, False, "")
    assert one.clock_health_ms == 0.2
    assert one.versions == {"tokenrace": "test"}


def test_a_host_is_never_asked_twice_at_a_time() -> None:
    stand_in = StandIn()
    series(plan(A, B, C, rounds=5), stand_in).carry_out()
    assert stand_in.most == {A.base_url: 1, C.base_url: 1}


def test_every_cold_request_has_a_prompt_of_its_own_and_warm_ones_share_it() -> None:
    cold, warm = StandIn(), StandIn()
    series(plan(A, A, rounds=3), cold).carry_out()
    series(plan(A, A, rounds=3, condition=Condition.WARM), warm).carry_out()
    assert len({prompt.text for _id, prompt, _params in cold.asked}) == 8
    assert {prompt.text for _id, prompt, _params in warm.asked} == {"Say something."}


def test_a_warm_up_asks_for_few_tokens() -> None:
    stand_in = StandIn()
    series(plan(A, rounds=1), stand_in).carry_out()
    assert [params.max_tokens for _id, _prompt, params in stand_in.asked] == [WARM_UP_TOKENS, 512]


def test_a_failed_trial_stays_and_the_others_go_on() -> None:
    stand_in = StandIn()
    stand_in.answers["b"] = failed(0)
    one = series(plan(A, B, rounds=2), stand_in)
    one.carry_out()
    bad = trials_of(one.trials, 1)
    assert [trial.has_failed for trial in bad] == [True, True]
    assert [trial.was_throttled for trial in bad] == [True, True]
    assert bad[0].failure == "Too many requests"
    assert figure_summary(trials_of(one.trials, 0), "ttft_ms").values == (300.0, 300.0)


def test_reasons_are_in_the_language_of_whoever_started_it(monkeypatch: pytest.MonkeyPatch) -> None:
    here = threading.current_thread()
    asked = [lambda: "zh-Hans" if threading.current_thread() is here else None]
    monkeypatch.setattr(i18n, "_askers", asked)  # as in the action behind a button
    stand_in = StandIn()
    stand_in.answers["b"] = failed(0)
    one = series(plan(A, B, rounds=1), stand_in)
    one.start()
    assert one.wait(30)
    (trial,) = trials_of(one.trials, 1)
    assert trial.failure == "请求过多"
    reasons = {figure.reason for figure in trial.figures.values() if isinstance(figure, Unavailable)}
    assert reasons
    assert not any(reason.isascii() for reason in reasons)


def test_stop_keeps_what_is_there_and_asks_nothing_more() -> None:
    held = threading.Event()
    stand_in = StandIn(held=held)
    one = series(plan(A, B, rounds=5, has_warm_up=False), stand_in)
    one.start()
    while not stand_in.asked:
        assert one.progress.is_running
    one.stop()
    assert one.wait(30)
    assert [trial.status for trial in one.trials] == [Status.STOPPED]
    assert one.progress.ended_early == "stopped"


def test_time_left_is_told_once_a_round_has_shown_how_long_it_takes() -> None:
    clock, seen = Clock(), []
    stand_in = StandIn(clock)
    one = series(plan(A, B, rounds=4), stand_in, clock)
    inner = stand_in.generation

    def looked_at(*asked: object) -> Generation:
        seen.append(one.progress.left_s)
        return inner(*asked)  # type: ignore[arg-type]

    stand_in.generation = looked_at  # type: ignore[method-assign]
    one.carry_out()
    assert seen == [None, None, None, None, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]
    assert one.progress.left_s is None


def test_a_spend_cap_ends_the_series_and_keeps_what_is_there() -> None:
    paid = Backend("p", "P", "https://api.example.com/v1", "p", prices=Prices(Decimal(0), Decimal(1_000_000)))
    one = series(plan(paid, rounds=9, has_warm_up=False), StandIn(), cap=Decimal(60))
    one.carry_out()
    assert one.progress.ended_early == "cap"
    assert len(one.trials) == 2  # 39 tokens at a dollar each


def test_a_fault_of_ours_ends_the_series_and_is_told() -> None:
    broken = StandIn()
    broken.generation = None  # type: ignore[method-assign,assignment]
    one = series(plan(A, rounds=2), broken)
    one.carry_out()
    assert one.progress.ended_early == "fault"
    assert not one.progress.is_running


def test_a_desk_finds_series_by_their_id_and_runs_only_so_many() -> None:
    desk, held = Desk(), threading.Event()
    running = [
        Series(_named(plan(A), f"s{n}"), access(1),
               lambda: nullcontext(StandIn(held=held)), Clock())
        for n in range(MOST_RUNNING)
    ]  # fmt: skip
    for one in running:
        desk.start(one)
    with pytest.raises(TooManyTrials):
        desk.start(Series(_named(plan(A), "one too many"), access(1)))
    assert desk.get("s1") is running[1]
    assert desk.get("nobody") is None
    desk.close()
    held.set()
    assert all(one.wait(30) for one in running)


def _named(made: Plan, id_: str) -> Plan:
    return Plan(id_, made.prompt, made.params, made.backends, made.rounds)


@pytest.fixture(scope="module")
def simulator() -> Iterator[str]:
    process = ServerProcess("lib.simulator")
    process.start()
    ready = process.wait(30)
    assert isinstance(ready, Ready)
    yield ready.base_url
    process.close()


def lane(url: str, name: str, **wish: object) -> Backend:
    body = {"simulator": wish}
    return Backend(name, name, url, "gpt-5.6-sol-ultrafast", Origin.SIMULATED, extra_body=body)


def test_the_real_collector_measures_the_simulators_rates(simulator: str) -> None:
    fast = lane(simulator, "fast", ttft_ms=50, tok_s=400, tokens=80, tokens_per_chunk=2)
    slow = lane(simulator, "slow", ttft_ms=100, tok_s=200, tokens=80, tokens_per_chunk=2)
    asked = Plan("real", Prompt("Speak."), Params(), (fast, slow), 3, Mode.BY_BACKEND)
    one = Series(asked, access(2))
    one.start()
    assert one.wait(120)
    rates = [figure_summary(trials_of(one.trials, place), "decode_tok_s").values for place in (0, 1)]
    assert rates[0] == pytest.approx((400,) * 3, rel=0.15)
    assert rates[1] == pytest.approx((200,) * 3, rel=0.15)
    assert one.clock_health_ms is not None
    assert "openai" in one.versions


def test_stop_ends_a_real_answer_in_the_middle(simulator: str) -> None:
    endless = lane(simulator, "endless", ttft_ms=20, tok_s=30, tokens=20_000, tokens_per_chunk=1)
    one = Series(Plan("endless", Prompt("Speak."), Params(max_tokens=None), (endless,), 3, has_warm_up=False),
                 access(1))  # fmt: skip
    one.start()
    while not one.progress.asking:
        assert one.progress.is_running
    one.stop()
    assert one.wait(60)
    assert [trial.status for trial in one.trials] in ([], [Status.STOPPED])
    assert one.progress.ended_early == "stopped"
