"""Processes that are killed, and several that write at once."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import median

from lib.domain.events import Delta, Status
from lib.store.rows import Filter
from lib.store.store import Store
from tests.store.runs import race
from tests.store.writing_process import PER_BATCH

KILLS = 20
ROOT = Path(__file__).resolve().parents[2]


def process(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.store.writing_process", *arguments]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE if arguments[0] == "endless" else None, text=True
    )


def killed_at(url: str, batches: int, after_s: float) -> tuple[str, int, int]:
    """Kill a process at that moment of the so-many-th batch after its run began; (run, handed, written)."""
    with process("endless", url) as writing:
        assert writing.stdout is not None
        told: list[list[str]] = []
        since_begun = 0
        for line in writing.stdout:
            told.append(line.split())
            since_begun += (since_begun > 0 and told[-1][0] == "handed") or told[-1][0] == "run"
            if since_begun == batches:
                break
        end_s = time.perf_counter() + after_s
        while time.perf_counter() < end_s:
            pass  # a moment inside a write cannot be waited for more coarsely
        writing.kill()
        told += [line.split() for line in writing.stdout]
    run_id = next(words[1] for words in told if words[0] == "run")
    last = {words[0]: int(words[1]) for words in told if words[0] != "run"}
    return run_id, last["handed"], last.get("written", 0)


def until_closed(store: Store, run_id: str) -> None:
    """A PostgreSQL server notices a moment later that a client is gone; the keeper looks again, as this does."""
    end_s = time.monotonic() + 60
    while store.row(run_id).status == "running" and time.monotonic() < end_s:
        store.recover()


def test_a_kill_at_any_moment_loses_at_most_the_last_batch_and_corrupts_nothing(database_url: str) -> None:
    moments = random.Random(20)
    lost = []
    for _ in range(KILLS):
        run_id, handed, written = killed_at(database_url, moments.randint(2, 12), moments.uniform(0, 0.02))
        with closing(Store(database_url)) as store:
            until_closed(store, run_id)
            assert store.row(run_id).status == "interrupted"
            for generation in store.open(run_id).generations:
                kept = [delta.text for delta in generation.of(Delta)]
                batches = len(kept) // PER_BATCH
                assert kept == [f"{n}.{i} " for n in range(1, batches + 1) for i in range(PER_BATCH)]
                assert written <= batches <= handed
                assert generation.events[-1].status is Status.INTERRUPTED
            lost.append(handed - batches)
    assert median(lost) <= 1
    with closing(Store(database_url)) as store:
        assert [found for found in store.verify_all() if not found.ok] == []
        assert store.page(Filter(status="interrupted")).total == KILLS
    if database_url.startswith("sqlite"):
        with closing(sqlite3.connect(database_url.removeprefix("sqlite:///"))) as file:
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_processes_that_start_at_once_on_nothing_and_write_at_once_all_keep_everything(
    database_url: str,
) -> None:
    names = ("a", "b", "c")
    writers = [process("runs", database_url, name, "8") for name in names]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0, 0]
    with closing(Store(database_url)) as store:
        assert store.page().total == 24
        assert [found for found in store.verify_all() if not found.ok] == []
        assert all(store.open(f"{name}-7").generations == race().generations for name in names)


def test_a_reader_sees_the_list_while_another_process_writes(
    database_url: str, opened: Callable[..., Store]
) -> None:
    store = opened()
    with process("runs", database_url, "w", "8") as writer:
        totals = [store.page().total]
        while writer.poll() is None:
            totals.append(store.page().total)
    assert writer.returncode == 0
    assert totals == sorted(totals)
    assert store.page().total == 8
