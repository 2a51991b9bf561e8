"""Prompt sets: read, refused with the line named, carried out with a concurrency, stopped and gone on with."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path

import pytest

from lib.agents.asking import Asked
from lib.agents.prompt_set import PromptSet, PromptSetError, read_prompt_set
from lib.agents.set_run import SetPlan, SetRun
from lib.agents.set_state import Outcome, StateFile, state_path
from lib.agents.set_summary import summary_of
from lib.agents.work import Access
from lib.domain import events as ev
from lib.domain.run import Backend, Limits, Origin, Params, Prices
from lib.grace import Grace
from lib.metrics.quantity import Quantity, Unavailable
from tests.agents.test_loop import answered

BACKENDS = tuple(Backend(n, n.title(), "http://127.0.0.1:1/v1", n, prices=Prices(Decimal(5), Decimal(30)))
                 for n in ("one", "two"))  # fmt: skip
LINES = "".join(f'{{"id": "q{n}", "prompt": "Question {n}?"}}\n' for n in range(20))


def questions() -> PromptSet:
    return read_prompt_set("set.jsonl", LINES.encode())


def test_json_lines_and_csv_give_the_same_questions() -> None:
    table = "id,prompt,max_tokens\nq1,\"One,\ntwo?\",40\nq2,Three?,\n"
    lines = '{"id": "q1", "prompt": "One,\\ntwo?", "max_tokens": 40}\n"Three?"\n'
    by_csv, by_json = read_prompt_set("a.CSV", table.encode()), read_prompt_set("a.jsonl", lines.encode())
    assert [one.prompt.text for one in by_csv.questions] == ["One,\ntwo?", "Three?"]
    assert [(one.prompt, one.max_tokens) for one in by_csv.questions] == [
        (one.prompt, one.max_tokens) for one in by_json.questions
    ]
    assert [one.id for one in by_json.questions] == ["q1", "2"]


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.jsonl", b'{"prompt": "x"}\n{', "Line 2: this is not JSON"), ("a.jsonl", b"[]", "Line 1: expected"),
        ("a.jsonl", b'{"prompt": "x"}\n\n{"id": 1}', "Line 3: prompt is missing"), ("a.jsonl", b"", "no question"),
        ("a.jsonl", b'{"prompt": "x", "max_tokens": 0}', "Line 1: max_tokens"), ("a.csv", b"a,b\n1,2", "Line 1: there"),
        ("a.jsonl", b'{"id": 1, "prompt": "x"}\n{"id": 1, "prompt": "y"}', "Line 2: the id 1"),
        ("a.csv", b"prompt\nx\n\xff\n", "Line 3: this is not UTF-8"),
        ("a.csv", b'"prompt\nx', "Line 1: this is not CSV"), ("a.csv", b"x" * 200_000, "Line 1: this is not CSV"),
        ("a.csv", b"prompt,max_tokens\nx," + b"9" * 5000, "Line 2: max_tokens"),
        ("a.jsonl", b'{"prompt": "x", "id": [1]}', "Line 1: id must"),
    ],
)  # fmt: skip
def test_a_fault_names_its_line(name: str, data: bytes, told: str) -> None:
    with pytest.raises(PromptSetError, match=told):
        read_prompt_set(name, data)


def test_a_field_that_is_null_is_one_that_is_absent() -> None:
    lines = b'{"id": null, "prompt": null, "question": "One?", "system": null}\n{"id": null, "question": "Two?"}\n'
    found = read_prompt_set("a.jsonl", lines).questions
    assert [(one.id, one.prompt.text, one.prompt.system) for one in found] == [("1", "One?", ""), ("2", "Two?", "")]


class StandIn:
    """Answers at once; knows how many asked at the same time, and is stopped after so many answers."""

    clock_health_ms: float | None = 0.1
    versions: Mapping[str, str] = {}

    def __init__(self, together: int = 1, stop_after: int | None = None, failing: str = "") -> None:
        self.asked: list[str] = []
        self.run: SetRun | None = None
        self._barrier = threading.Barrier(together, timeout=10)
        self._stop_after, self._failing = stop_after, failing
        self._lock = threading.Lock()
        self._stopped = False

    def ask(self, lane: int, asked: Asked) -> ev.Generation:
        if not self._stopped:
            self._barrier.wait()
        with self._lock:
            self.asked.append(f"{asked.backend.id} {asked.prompt.text}")
            if len(self.asked) == self._stop_after and self.run is not None:
                self.run.stop()
        if self._stopped:
            return answered(0, ev.Status.STOPPED)
        wrong = self._failing and self._failing in asked.prompt.text
        return answered(0, ev.Status.ERROR, "server_error") if wrong else answered(0)

    def so_far(self, lane: int) -> ev.Generation | None:
        return None

    def stop(self, lane: int | None = None) -> None:
        self._stopped = True


def run_of(
    stand_in: StandIn, path: Path, concurrency: int = 1, cap: Decimal | None = None, *, again: bool = False,
    at_once: bool = False,
) -> SetRun:  # fmt: skip
    plan = SetPlan("s", questions(), BACKENDS, concurrency=concurrency, at_once=at_once)
    ticks = iter(range(0, 10**12, 10**8))
    run = SetRun(plan, Access(["", ""], [Limits()] * 2, cap), StateFile(path), lambda: nullcontext(stand_in),
                 lambda: next(ticks), failed_again=again)  # fmt: skip
    stand_in.run = run
    return run


def test_every_question_goes_through_each_backend_with_the_concurrency_asked_for(tmp_path: Path) -> None:
    stand_in = StandIn(together=5)
    run = run_of(stand_in, tmp_path / "state", concurrency=5)
    run.carry_out()
    assert len(stand_in.asked) == len(set(stand_in.asked)) == 40
    found = summary_of(run.outcomes(0), 20, run.wall_s(0))
    assert (found.answered, found.failed, found.retries) == (20, 0, 0)
    assert isinstance(found.cost, Quantity)
    assert found.cost.value == Decimal("0.016")
    assert isinstance(found.output_tok_s, Quantity)
    assert found.output_tok_s.value == pytest.approx(200 / run.wall_s(0))


def test_a_stopped_set_goes_on_where_it_was_and_asks_nothing_twice(tmp_path: Path) -> None:
    first = StandIn(stop_after=7)
    stopped = run_of(first, tmp_path / "state")
    stopped.carry_out()
    assert stopped.ended_early == "stopped"
    with (tmp_path / "state").open("ab") as file:
        file.write(b'{"backend": 0, "question": "q9", "sta')  # cut in the middle of a write
        file.write(b'\n"a question, and nothing of ours"\n')
    second = StandIn()
    again = run_of(second, tmp_path / "state")
    assert again.resumed == 6
    wall_before_s = again.wall_s(0)
    again.carry_out()
    assert len(second.asked) == 34
    assert not set(second.asked) & set(first.asked[:6])
    assert again.wall_s(0) > wall_before_s > 0
    third = StandIn()
    run_of(third, tmp_path / "state").carry_out()
    assert third.asked == []


def test_an_error_is_counted_and_is_in_no_median(tmp_path: Path) -> None:
    run = run_of(StandIn(failing="Question 1?"), tmp_path / "state")
    run.carry_out()
    found = summary_of(run.outcomes(1), 20, run.wall_s(1))
    assert (found.answered, found.failed) == (19, 1)
    assert not isinstance(found.seconds, Unavailable)
    assert found.seconds.count == 19


def test_what_failed_is_asked_again_when_that_is_wished_and_its_attempts_are_counted_on(tmp_path: Path) -> None:
    run_of(StandIn(failing="Question 1?"), tmp_path / "state").carry_out()
    unasked = StandIn()
    run_of(unasked, tmp_path / "state").carry_out()
    assert unasked.asked == []
    stopped = StandIn(stop_after=1)
    again = run_of(stopped, tmp_path / "state", again=True)
    assert again.resumed == 38
    assert summary_of(again.outcomes(0), 20, 1.0).failed == 1
    again.carry_out()
    second = StandIn()
    last = run_of(second, tmp_path / "state", again=True)
    last.carry_out()
    assert [*stopped.asked[1:], *second.asked] == ["one Question 1?", "two Question 1?"] or second.asked == [
        "one Question 1?", "two Question 1?",
    ]  # fmt: skip
    found = summary_of(last.outcomes(1), 20, last.wall_s(1))
    assert (found.answered, found.failed, found.retries) == (20, 0, 1)


def test_backends_of_this_machine_wait_for_each_other_even_when_all_are_asked_at_once(tmp_path: Path) -> None:
    stand_in = StandIn(together=4)
    run = run_of(stand_in, tmp_path / "state", concurrency=4, at_once=True)
    assert run.waits_in_turn
    run.carry_out()
    whom = [line.split()[0] for line in stand_in.asked]
    assert whom == sorted(whom)
    assert len(whom) == 40


def test_a_set_that_nobody_watches_is_stopped_and_goes_on_later(tmp_path: Path) -> None:
    plan, now_s = SetPlan("s", questions(), BACKENDS), [0.0]
    stand_in = StandIn()
    waiting = threading.Event()
    stand_in.stop = lambda lane=None: (setattr(stand_in, "_stopped", True), waiting.set())  # type: ignore[method-assign]
    ask = stand_in.ask

    def slow(lane: int, asked: Asked) -> ev.Generation:
        if len(stand_in.asked) == 3:
            now_s[0] = 16.0  # nobody has come for longer than the grace
            waiting.wait(10)
        return ask(lane, asked)

    stand_in.ask = slow  # type: ignore[method-assign]
    run = SetRun(plan, Access(["", ""], [Limits()] * 2), StateFile(tmp_path / "state"), lambda: nullcontext(stand_in),
                 grace=Grace(15.0, lambda: now_s[0]))  # fmt: skip
    run.start()
    assert run.wait(10)
    assert run.ended_early == "unwatched"
    assert len(run.outcomes(0)) == 3


def test_the_cap_ends_the_set_early(tmp_path: Path) -> None:
    stand_in = StandIn()
    run = run_of(stand_in, tmp_path / "state", cap=Decimal("0.0016"))
    run.carry_out()
    assert run.ended_early == "cap"
    assert len(stand_in.asked) == 2


def test_other_parameters_are_another_run(tmp_path: Path) -> None:
    paths = {state_path(tmp_path, "d", BACKENDS, Params(max_tokens=n)) for n in (1, 2)}
    assert len(paths) == 2


def test_a_server_of_ours_on_another_port_after_a_restart_is_the_same_one_but_another_address_is_not(tmp_path: Path) -> None:
    def path(base_url: str, id_: str = "sim") -> Path:
        return state_path(tmp_path, "d", [Backend(id_, "S", base_url, "m", Origin.SIMULATED)], Params())

    assert path("http://127.0.0.1:4001/v1") == path("http://127.0.0.1:4002/v1")
    assert path("https://a.example/v1") != path("https://b.example/v1")
    assert path("http://127.0.0.1:4001/v1", "own-1") != path("http://127.0.0.1:4002/v1", "own-1")


def test_the_same_parameters_are_the_same_run(tmp_path: Path) -> None:
    assert state_path(tmp_path, "d", BACKENDS, Params()) == state_path(tmp_path, "d", BACKENDS, Params())


def test_a_price_that_is_not_published_is_no_sum() -> None:
    found = summary_of([Outcome(0, "q", "complete", 1.0, 1, 10)], 1, 2.0)
    assert isinstance(found.cost, Unavailable)
