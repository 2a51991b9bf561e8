"""A history of very many runs for the benchmark, written by a short cut: one transaction for thousands of runs.

Every hundredth run has its recording; one run in five is a round of a series. It is read by the product's own ways.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from lib.domain.run import Mode, Run
from lib.store import words
from lib.store.columns import lane_columns, run_columns, searched, summary, summary_columns
from lib.store.packing import pack_lane, rows_of
from lib.store.schema import LANE, RECORDING, RUN, SEARCH, SERIES, TAG
from lib.store.store import Store
from tests.metrics.building import steady
from tests.store.runs import race

LANES, TOKENS = 4, 600
EVERY_RECORDED = 100
EVERY_SERIES, ROUNDS = 20, 4
SUBJECTS = (
    "lighthouse",
    "tide",
    "merge sort",
    "harbour",
    "letter",
    "recipe",
    "proof",
    "timetable",
    "灯塔",
    "潮汐",
)
NAMES = ("Sol", "Sol Fast", "Terra", "Luna", "Nova", "Rarely")
RARE = "chrysanthemum"
INSERT_WORDS = {
    "sqlite": f"INSERT INTO {SEARCH} (rowid, body) VALUES (:of, :body)",
    "postgresql": f"INSERT INTO {SEARCH} (run, body) VALUES (:of, to_tsvector('simple', :body))",
}


def full_run() -> Run:
    """A finished run of the size of the target."""
    made = race(names=NAMES[:LANES])
    lanes = tuple(replace(steady(TOKENS, each_ms=1.33 + lane / 100), lane=lane) for lane in range(LANES))
    return replace(made, generations=lanes)


def fill(store: Store, runs: int) -> None:
    """So many runs, a minute apart, each with a prompt of its own."""
    chance = random.Random(0)
    made = full_run()
    found = [summary_columns(summary(*pair)) for pair in zip(made.generations, made.backends, strict=True)]
    packed = [pack_lane(rows) for rows in rows_of(made)]
    with store._write() as connection:
        for first in range(0, runs, 2000):
            part = range(first, min(first + 2000, runs))
            connection.execute(sa.insert(RUN), [row_of(made, number, chance) for number in part])
            lanes = [lane for number in part for lane in lanes_of(made, number, found, chance)]
            connection.execute(sa.insert(LANE), lanes)
            texts = [{"of": number + 1, "body": body_of(made, number)} for number in part
                     if place_of(number)["within"] is None]  # fmt: skip
            connection.execute(sa.text(INSERT_WORDS[connection.dialect.name]), texts)
            rows = [{"run": number + 1, "lane": lane, "rows": data} for number in part
                    if number % EVERY_RECORDED == 0 for lane, data in enumerate(packed)]  # fmt: skip
            connection.execute(sa.insert(RECORDING), rows)
            series = [{"run": number + 1, "rounds": ROUNDS, "condition": "cold", "has_warm_up": False, "seed": number}
                      for number in part if number % EVERY_SERIES == 0]  # fmt: skip
            connection.execute(sa.insert(SERIES), series)
            tags = [{"run": number + 1, "tag": "board"} for number in part if number % 50 == 0]
            connection.execute(sa.insert(TAG), tags)


def settle(store: Store) -> None:
    """What a PostgreSQL server does by itself within a minute of many writes."""
    if store._engine.dialect.name == "postgresql":
        with store._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE")


def prompt_of(number: int) -> str:
    """A prompt of some 300 characters that no other run has; one has a rare word."""
    subject = SUBJECTS[number % len(SUBJECTS)]
    rare = RARE if number == 4330 else ""
    return (
        f"Explain to visitor {number} what a {subject} is, and what a guide should know about it. {rare}"
        + (
            "Keep it under four hundred words, use plain language, begin with what can be seen, give one example with "
            "numbers, and end with one question that a curious listener may take home and think about."
        )
    )


def row_of(made: Run, number: int, chance: random.Random) -> dict[str, Any]:
    """The columns of one run."""
    prompt = replace(made.prompt, text=prompt_of(number))
    mode = Mode.ONE_BY_ONE if number % 3 == 0 else Mode.ALL_AT_ONCE
    columns = run_columns(replace(made, id=f"long-{number}", prompt=prompt, mode=mode), 0)
    status = chance.choices(("complete", "error", "stopped"), (90, 8, 2))[0]
    live = number % 4 == 0
    return {**columns, "number": number + 1, "started_ms": day_ms(0) + number * 60_000, "status": status,
            "is_live": live, "is_simulated": not live, **place_of(number)}  # fmt: skip


def place_of(number: int) -> dict[str, int | None]:
    """One run in five is a round of the series that the run before them stands for."""
    round_ = number % EVERY_SERIES
    is_round = 1 <= round_ <= ROUNDS
    return {"within": number - round_ + 1 if is_round else None, "round": round_ if is_round else None}


def lanes_of(
    made: Run, number: int, found: Sequence[dict[str, Any]], chance: random.Random
) -> list[dict[str, Any]]:
    """The columns of its lanes."""
    names = [*chance.sample(NAMES[:-1], LANES - 1), NAMES[-1] if number % 500 == 0 else f"Own {number % 40}"]
    return [
        {**columns, **figures, "run": number + 1, "name": name}
        for columns, figures, name in zip(lane_columns(made), found, names, strict=True)
    ]


def body_of(made: Run, number: int) -> str:
    """The searched words of one run."""
    prompt = replace(made.prompt, text=prompt_of(number))
    return " ".join(words.words(" ".join(searched(prompt, made.backends, (), ""))))


def day_ms(number: int) -> int:
    """The begin of a day of the list."""
    return 1_790_000_000_000 + number * 24 * 3_600_000
