"""The loop with a stand-in for the collector: what is asked, kept, repeated, paused and stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from decimal import Decimal

import pytest

from lib.agents.asking import Asked
from lib.agents.closed_form import Speed, predicted, predicted_figures
from lib.agents.figures import six_figures
from lib.agents.loop import LoopRun, Witness
from lib.agents.phases import Kind, end_ns, request_pieces, sums_s, times_of
from lib.agents.record import read_loop, run_of
from lib.agents.task_lane import LoopPlan, Wait
from lib.agents.tasks import kept_tasks, tasks_of, turns_in_words
from lib.agents.trace import Step, Trace, samples
from lib.agents.work import Access, mode_of
from lib.domain import events as ev
from lib.domain.codec import decode_run, encode_event, encode_run
from lib.domain.run import Backend, Limits, Mode, Origin, Prices
from lib.grace import Grace
from lib.metrics.quantity import Quantity, Unavailable

MS = 1_000_000
SIM = Backend("s", "Sim", "http://127.0.0.1:1/v1", "m", Origin.SIMULATED, prices=Prices(Decimal(5), Decimal(30)))
HERE = Backend("here", "Here", "http://127.0.0.1:1/v1", "m")
TRACE = Trace("T", "Do the task.", (
    Step(10, tool="search", tool_s=2.0, tool_tokens=30), Step(20, tool="code", tool_s=1.0, tool_tokens=5, review_s=4.0),
    Step(5),
))  # fmt: skip


class Clock:
    """The task's time; tools and people take theirs from it at once."""

    def __init__(self) -> None:
        self.at_ns = 5_000 * MS

    def __call__(self) -> int:
        return self.at_ns

    def wait(self, event: threading.Event, seconds: float | None) -> bool:
        if seconds is None:
            return event.wait(10)
        self.at_ns += round(seconds * 1e9)
        return event.is_set()


def answered(
    at_ns: int, status: ev.Status = ev.Status.COMPLETE, failed: str = "", text: str = "I look."
) -> ev.Generation:
    """1 ms to connect, 100 ms to think of a first token, 200 ms of text."""
    events: list[ev.Event] = [ev.Attempt(at_ns, 1), ev.Connected(at_ns + MS, 1.0), ev.Sent(at_ns + MS)]
    if not failed:
        events += [ev.Delta(at_ns + 101 * MS, ev.Channel.ANSWER, text, 1),
                   ev.Usage(at_ns + 301 * MS, {"prompt_tokens": 100, "completion_tokens": 10}, 2)]  # fmt: skip
    else:
        events.append(ev.Failed(at_ns + 301 * MS, failed))
    return ev.Generation(0, (*events, ev.Ended(at_ns + 301 * MS, status)))


class StandIn:
    """Answers on the clock; `outcomes` are those of the first requests, in order."""

    clock_health_ms: float | None = 0.3
    versions: Mapping[str, str] = {"tokenrace": "test"}

    def __init__(
        self, clock: Clock, outcomes: tuple[str, ...] = (), on_ask: Callable[[int], None] = lambda n: None
    ) -> None:
        self.asked: list[Asked] = []
        self._clock, self._outcomes, self._on_ask = clock, list(outcomes), on_ask
        self.stopped = False

    def ask(self, lane: int, asked: Asked) -> ev.Generation:
        self.asked.append(asked)
        self._on_ask(len(self.asked))
        outcome = self._outcomes.pop(0) if self._outcomes else ""
        status = ev.Status.STOPPED if self.stopped else ev.Status.ERROR if outcome else ev.Status.COMPLETE
        found = answered(self._clock.at_ns, status, outcome)
        self._clock.at_ns = found.events[-1].at_ns
        if asked.hear is not None:
            asked.hear([encode_event(event) for event in found.events])
        return found

    def so_far(self, lane: int) -> ev.Generation | None:
        return None

    def stop(self, lane: int | None = None) -> None:
        self.stopped = self.stopped or lane is None


def loop_of(
    stand_in: StandIn, clock: Clock, *, pauses: bool = False, cap: Decimal | None = None,
    backends: tuple[Backend, ...] = (SIM,), witnesses: Sequence[Witness] = (), grace: Grace | None = None,
    wait: Wait | None = None,
) -> LoopRun:  # fmt: skip
    plan = LoopPlan("loop-1", TRACE, backends, pauses=pauses, mode=mode_of(backends))
    access = Access([""] * len(backends), [Limits()] * len(backends), cap)
    return LoopRun(plan, access, lambda: nullcontext(stand_in), clock, wait or clock.wait, witnesses, grace)


def carried_out(outcomes: tuple[str, ...] = ()) -> tuple[LoopRun, StandIn]:
    clock = Clock()
    stand_in = StandIn(clock, outcomes)
    loop = loop_of(stand_in, clock)
    loop.carry_out()
    return loop, stand_in


def test_every_step_is_asked_with_the_whole_history() -> None:
    loop, stand_in = carried_out()
    assert loop.lanes[0].ended == "complete"
    prompts = [asked.prompt for asked in stand_in.asked]
    assert [len(prompt.history) for prompt in prompts] == [0, 2, 4]
    assert prompts[0].text == "Do the task."
    assert prompts[1].history == (("user", "Do the task."), ("assistant", "I look."))
    assert prompts[1].text.startswith("Search results.")
    assert [asked.params.max_tokens for asked in stand_in.asked] == [10, 20, 5]
    assert [asked.params.extra_body["simulator"]["tokens"] for asked in stand_in.asked] == [10, 20, 5]


def test_the_pieces_of_a_task_are_all_of_its_time() -> None:
    loop, _stand_in = carried_out()
    times = [times_of(record, loop.now_ns) for record in loop.lanes[0].steps]
    sums = sums_s(times)
    assert sums[Kind.CONNECTION] == pytest.approx(0.003)
    assert sums[Kind.WAIT] == pytest.approx(0.3)
    assert sums[Kind.ANSWER] == pytest.approx(0.6)
    assert (sums[Kind.TOOL], sums[Kind.HUMAN]) == (3.0, 4.0)
    assert sum(sums.values()) == pytest.approx(end_ns(times) / 1e9)


def test_a_failed_step_is_tried_again_counted_and_its_time_stays() -> None:
    loop, stand_in = carried_out(("", "server_error"))
    assert loop.lanes[0].ended == "complete"
    assert len(stand_in.asked) == 4
    second = loop.lanes[0].steps[1]
    assert (len(second.tries), second.retries) == (2, 1)
    times = [times_of(record, loop.now_ns) for record in loop.lanes[0].steps]
    assert sums_s(times)[Kind.RETRY] == pytest.approx(0.301)
    six = six_figures(loop.lanes[0].steps, times, SIM, 3, "complete")
    assert isinstance(six.retry_share, Quantity)
    assert six.retry_share.value == pytest.approx(1 / 3)
    assert isinstance(six.cost, Quantity)
    assert six.cost.marks[-1] == "lower_bound"


def test_what_trying_again_cannot_help_ends_the_lane_with_what_is_there() -> None:
    loop, stand_in = carried_out(("", "auth"))
    assert (loop.lanes[0].ended, len(loop.lanes[0].steps), len(stand_in.asked)) == ("failed", 2, 2)
    times = [times_of(record, loop.now_ns) for record in loop.lanes[0].steps]
    assert isinstance(six_figures(loop.lanes[0].steps, times, SIM, 3, "failed").total_s, Unavailable)


def test_stop_keeps_every_step_that_was_done() -> None:
    clock = Clock()
    stand_in = StandIn(clock, on_ask=lambda n: loop.stop() if n == 2 else None)
    loop = loop_of(stand_in, clock)
    loop.carry_out()
    lane = loop.lanes[0]
    assert (lane.ended, len(lane.steps), len(stand_in.asked)) == ("stopped", 2, 2)
    assert run_of(loop) is not None


def test_a_person_is_really_waited_for_and_one_button_goes_on() -> None:
    clock = Clock()
    reached = threading.Event()
    wait = clock.wait

    def watched(event: threading.Event, seconds: float | None) -> bool:
        if seconds is None:
            reached.set()
        return wait(event, seconds)

    clock.wait = watched  # type: ignore[method-assign]
    loop = loop_of(StandIn(clock), clock, pauses=True)
    loop.start()
    assert reached.wait(10)
    assert loop.lanes[0].waits_for_person
    assert not loop.wait(0)
    clock.at_ns += 7_000 * MS
    loop.approve(0)
    assert loop.wait(10)
    assert loop.lanes[0].steps[1].human_piece is not None
    assert loop.lanes[0].steps[1].human_piece.seconds == pytest.approx(7.0)


def test_one_backend_is_stopped_and_the_others_go_on() -> None:
    clock = Clock()
    stand_in = StandIn(clock, on_ask=lambda n: loop.stop_lane(1) if n == 1 else None)
    loop = loop_of(stand_in, clock, backends=(HERE, replace(HERE, id="other", name="Other")))
    loop.carry_out()
    assert [(lane.ended, len(lane.steps)) for lane in loop.lanes] == [("complete", 3), ("stopped", 0)]


def test_backends_of_this_machine_do_the_task_one_after_another_each_on_its_own_clock() -> None:
    clock = Clock()
    stand_in = StandIn(clock)
    loop = loop_of(stand_in, clock, backends=(HERE, replace(HERE, id="other", name="Other")))
    loop.carry_out()
    assert [asked.backend.id for asked in stand_in.asked] == ["here"] * 3 + ["other"] * 3
    first, second = tasks_of(loop)
    assert second.seconds == pytest.approx(first.seconds)
    assert second.times[0].pieces[0].start_ns == 0
    assert "share this machine" in turns_in_words((first, second))
    run = run_of(loop)
    assert run is not None
    assert run.mode is Mode.BY_BACKEND
    assert [task.seconds for task in kept_tasks(run)[0]] == pytest.approx([first.seconds, second.seconds])


def test_a_loop_that_nobody_watches_is_stopped_with_what_is_there() -> None:
    clock, now_s = Clock(), [0.0]
    waits = threading.Event()
    stand_in = StandIn(clock)
    stop = stand_in.stop

    def stopped(lane: int | None = None) -> None:
        stop(lane)
        waits.set()

    def asked(n: int) -> None:
        if n == 2:
            now_s[0] = 16.0
            waits.wait(10)

    stand_in.stop, stand_in._on_ask = stopped, asked  # type: ignore[method-assign]
    loop = loop_of(stand_in, clock, grace=Grace(15.0, lambda: now_s[0]))
    loop.start()
    assert loop.wait(10)
    assert (loop.lanes[0].ended, len(loop.lanes[0].steps)) == ("unwatched", 2)


def test_the_spend_cap_stops_the_loop() -> None:
    clock = Clock()
    loop = loop_of(StandIn(clock), clock, cap=Decimal("0.0008"))
    loop.carry_out()
    assert (loop.lanes[0].ended, len(loop.lanes[0].steps)) == ("cap", 1)


def test_a_loop_is_a_recording_and_comes_back_the_same() -> None:
    loop, _stand_in = carried_out(("", "server_error"))
    run = run_of(loop)
    assert run is not None
    again = decode_run(encode_run(run))
    ((backend, steps),) = read_loop(again)
    assert backend.name == "Sim"
    assert [times_of(s, 0) for s in steps] == [times_of(s, 0) for s in loop.lanes[0].steps]
    assert again.params_of(1).max_tokens == 20


def test_the_waits_of_an_attempt_are_retries_and_thinking_stands_apart() -> None:
    one = ev.Generation(0, (
        ev.Attempt(0, 1), ev.Waiting(5 * MS, 20.0, "429"), ev.Attempt(25 * MS, 2), ev.Sent(26 * MS),
        ev.Delta(50 * MS, ev.Channel.THINKING, "hm", 1), ev.Delta(70 * MS, ev.Channel.ANSWER, "a", 2),
        ev.Ended(90 * MS, ev.Status.COMPLETE),
    ))  # fmt: skip
    found = [(piece.kind, round(piece.seconds * 1000)) for piece in request_pieces(one, 0)]
    assert found == [(Kind.RETRY, 25), (Kind.CONNECTION, 1), (Kind.WAIT, 24), (Kind.THINKING, 20), (Kind.ANSWER, 20)]


def test_the_closed_form_of_the_coding_sample_is_the_worked_task() -> None:
    trace = samples()["coding-task"]
    slow, fast = (end_ns(predicted(trace, Speed(0.5, rate))) / 1e9 for rate in (54, 750))
    assert (slow, fast) == (pytest.approx(297, abs=0.6), pytest.approx(91, abs=0.6))
    found = predicted_figures(trace, Speed(0.5, 54), Prices(Decimal(5), Decimal(30), Decimal("0.5"))).cost
    assert isinstance(found, Quantity)
    assert round(Decimal(found.value), 2) == Decimal("0.94")
