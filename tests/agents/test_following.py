"""A loop as it is followed: by the history, which keeps what came even of a crash, and by viewers, live and again."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from lib import i18n
from lib.agents.keeping import Keeping
from lib.agents.record import TAG, is_loop, read_loop, run_of, tasks_in
from lib.agents.showing import Showing, loop_messages, on_stage
from lib.agents.tasks import kept_tasks, tasks_of
from lib.domain.codec import encode_run
from lib.store.keeper import Keeper
from lib.store.store import Store
from lib.view_stream import announcement
from tests.agents.test_loop import HERE, SIM, Clock, StandIn, loop_of

OTHER = replace(HERE, id="other", name="Other")


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'history.sqlite'}"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    known = Store(url)
    yield known
    known.close()


def test_a_loop_is_kept_as_it_was_with_every_try_tool_and_person(store: Store) -> None:
    clock, keeper = Clock(), Keeper(store)
    loop = loop_of(StandIn(clock, ("", "server_error")), clock, backends=(SIM, SIM), witnesses=[Keeping(keeper)])
    loop.carry_out()
    keeper.close()
    row, run, told = store.row("loop-1"), store.open("loop-1"), run_of(loop)
    assert told is not None
    assert row.tags == (TAG,)
    assert len(row.lanes) == len(run.backends) == 7
    assert encode_run(run) == encode_run(told)
    assert tasks_in([lane.name for lane in row.lanes]) == {"Sim": 3}
    assert tasks_in([*(lane.name for lane in row.lanes), "Sim"]) == {}
    assert not store.verify("loop-1").differences
    assert [task.figures for task in kept_tasks(run)[0]] == [task.figures for task in tasks_of(loop)]


def test_of_a_loop_whose_process_dies_everything_that_came_is_kept(store: Store) -> None:
    clock = Clock()
    keeper = Keeper(store)
    seen: list[int] = []

    def dies(n: int) -> None:
        seen.append(n)
        if n == 3:
            keeper.close()  # nothing is written from here on, as after a kill

    loop = loop_of(StandIn(clock, on_ask=dies), clock, witnesses=[Keeping(keeper)])
    loop.carry_out()
    assert store.row("loop-1").status == "running"
    run = store.open("loop-1")
    assert is_loop(run)
    ((_backend, steps),) = read_loop(run)
    assert [bool(step.answered) for step in steps] == [True, True, False]
    assert [step.tool_piece.seconds for step in steps[:2] if step.tool_piece] == [2.0, 1.0]
    task = kept_tasks(run)[0][0]
    assert (task.figures.steps, task.figures.of) == (2, 3)


def test_a_pause_that_runs_when_the_process_dies_is_kept_as_far_as_it_came(store: Store) -> None:
    clock, keeper = Clock(), Keeper(store)
    look, looked = threading.Semaphore(0), threading.Semaphore(0)

    def waits_to_look(over: threading.Event, _seconds: float) -> bool:
        looked.release()
        assert look.acquire(timeout=10)
        return over.is_set()

    def waits(event: threading.Event, seconds: float | None) -> bool:
        if seconds != 4.0:
            return clock.wait(event, seconds)
        clock.at_ns += 3_000_000_000  # of the person's four seconds
        look.release()
        assert looked.acquire(timeout=10)
        assert looked.acquire(timeout=10)
        keeper.close()  # nothing is written from here on, as after a kill
        look.release()
        return clock.wait(event, 1.0)

    loop = loop_of(StandIn(clock), clock, witnesses=[Keeping(keeper, waits_to_look)], wait=waits)
    loop.carry_out()
    look.release()
    ((_backend, steps),) = read_loop(store.open("loop-1"))
    pieces = [(step.tool_piece, step.human_piece) for step in steps]
    assert [[piece and piece.seconds for piece in pair] for pair in pieces] == [[2.0, None], [1.0, 3.0]]


def shown(messages: list[str], lane: int) -> dict[str, Any]:
    """All that a viewer has been told of a lane, however it was cut."""
    read = [orjson.loads(message) for message in messages]
    pieces = [(channel, text) for one in read for at, channel, parts in one.get("d", ()) if at == lane
              for text in parts[1::2]]  # fmt: skip
    events = [row[1:] for one in read for row in one.get("e", ()) if row[0] == lane]
    figures = [f for one in read for at, f in one.get("f", ()) if at == lane]
    texts = [(channel, "".join(text for _c, text in part)) for channel, part in itertools.groupby(pieces, lambda p: p[0])]
    return {"texts": texts, "events": sorted(map(str, events)), "figures": figures}


def test_a_viewer_of_the_loop_and_of_its_replay_are_told_the_same() -> None:
    clock, messages = Clock(), list[str]()
    over: list[bool] = []
    witness = Showing(messages.append, lambda: over.append(True))
    loop = loop_of(StandIn(clock, ("", "server_error")), clock, backends=(HERE, OTHER), witnesses=[witness])
    loop.carry_out()
    run = run_of(loop)
    assert run is not None
    again = loop_messages(run)
    first = orjson.loads(messages[0])["run"]
    assert (first["task"], [lane["name"] for lane in first["lanes"]]) == (3, ["Here", "Other"])
    for lane in range(2):
        live, replayed = shown(messages, lane), shown(again, lane)
        assert live == replayed
    assert orjson.loads(messages[-1]) == orjson.loads(again[-1])
    assert [backend.name for backend in on_stage(run).backends] == ["Here", "Other"]
    assert announcement(on_stage(run))["lanes"] == first["lanes"]
    assert over == [True]


def test_a_replay_tells_step_answer_and_tool_in_order_whatever_fraction_of_a_microsecond_an_answer_ended_at() -> None:
    clock = Clock()
    loop = loop_of(StandIn(clock), clock, wait=lambda event, seconds: clock.wait(event, (seconds or 0) + 7e-9))
    loop.carry_out()
    run = run_of(loop)
    assert run is not None
    said = "\n".join(text.strip() for _channel, text in shown(loop_messages(run), 0)["texts"]).splitlines()
    assert [line.partition(",")[0] for line in said] == [
        "Step 1 of 3", "I look.", "search", "Step 2 of 3", "I look.", "code", "a person looks at it", "Step 3 of 3",
        "I look.",
    ]  # fmt: skip


def test_what_is_said_between_the_answers_names_step_tool_person_and_why_a_step_was_asked_again() -> None:
    clock, messages = Clock(), list[str]()
    loop = loop_of(StandIn(clock, ("", "server_error")), clock, witnesses=[Showing(messages.append)])
    loop.carry_out()
    marks = [text for channel, text in shown(messages, 0)["texts"] if channel == "x"]
    assert "".join(marks).splitlines() == [
        "Step 1 of 3", "search, 2.0 s", "Step 2 of 3", "Step 2 of 3, asked again (Server error)", "code, 1.0 s",
        "a person looks at it, 4.0 s", "Step 3 of 3",
    ]  # fmt: skip


def test_tokens_are_counted_on_over_the_steps() -> None:
    clock, messages = Clock(), list[str]()
    loop_of(StandIn(clock), clock, witnesses=[Showing(messages.append)]).carry_out()
    read = [orjson.loads(message) for message in messages]
    usages = [row[3] for one in read for row in one.get("e", ()) if row[2] == "usage"]
    (figures,) = shown(messages, 0)["figures"]
    assert usages == [10, 20, 30]
    assert (figures["tokens_total"], figures["hero"]["text"], figures["place"]) == (30, "7.9 s", None)
    assert read[-1]["result"]["places"] == [1]


def test_a_failed_task_says_why_and_offers_no_retry() -> None:
    clock, messages = Clock(), list[str]()
    loop_of(StandIn(clock, ("", "auth")), clock, witnesses=[Showing(messages.append)]).carry_out()
    read = [orjson.loads(message) for message in messages]
    (failure,) = [row[3] for one in read for row in one.get("e", ()) if row[2] == "error"]
    assert failure["retry_helps"] is False
    assert [row[3] for one in read for row in one.get("e", ()) if row[2] == "end"] == ["error"]
    assert read[-1]["result"]["places"] == [None]


def test_what_is_said_is_in_the_language_of_whoever_started_it(monkeypatch: pytest.MonkeyPatch) -> None:
    here = threading.current_thread()
    asked = [lambda: "zh-Hans" if threading.current_thread() is here else None]
    monkeypatch.setattr(i18n, "_askers", asked)  # as in the action behind a button
    clock, messages = Clock(), list[str]()
    loop = loop_of(StandIn(clock), clock, witnesses=[Showing(messages.append)])
    loop.start()
    assert loop.wait(10)
    marks = [text for channel, text in shown(messages, 0)["texts"] if channel == "x"]
    assert "步骤 1/3" in marks[0]
