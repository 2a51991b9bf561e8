"""The history as its users see it, on every database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import sqlalchemy as sa

from lib.domain.codec import RecordingError, decode_run, encode_run
from lib.domain.events import Delta, Status
from lib.domain.run import Mode, Origin, Run
from lib.store.engine import writing
from lib.store.rows import Filter, NoSuchRunError
from lib.store.schema import LANE, RECORDING, RUN
from lib.store.store import KEPT_DELETED_MS, Store
from tests.store.runs import backend, race, shipped

HOUR_MS = 3_600_000
TEN_MS = 1_796_032_800_000  # 2026-11-30T10:00Z


def keep(store: Store, run: Run) -> Run:
    store.begin(run)
    for batch in shipped(run):
        store.append(run.id, batch)
    store.end(run.id, run.clock_health_ms)
    return run


def ids(store: Store, wanted: Filter, offset: int = 0, limit: int = 50) -> list[str]:
    return [row.id for row in store.page(wanted, offset, limit).rows]


def test_a_run_kept_as_it_came_opens_as_it_was(store: Store) -> None:
    run = keep(store, race())
    assert store.open("one") == run


def test_a_listed_run_shows_what_its_recording_gives(store: Store) -> None:
    keep(store, race(broken=True))
    row = store.row("one")
    assert (row.status, row.mode, row.clock_health_ms, row.started_ms) == (
        "error",
        Mode.ALL_AT_ONCE,
        0.25,
        TEN_MS,
    )
    first, second = (lane.summary for lane in row.lanes)
    assert (first.status, first.ttft_ms, first.decode_tok_s, first.output_tokens) == (
        "complete",
        200.0,
        100.0,
        40,
    )
    assert f"{first.cost:f}" == "0.000255"
    assert (second.status, second.error_kind, second.ttft_ms, second.cost) == (
        "error",
        "rate_limited",
        None,
        None,
    )


def test_a_run_that_has_not_ended_is_listed_as_running_and_opens_with_what_it_has(store: Store) -> None:
    run = race()
    store.begin(run)
    store.append("one", shipped(run)[0])
    assert store.row("one").status == "running"
    kept = store.open("one")
    assert [len(generation.events) for generation in kept.generations] == [7, 7]
    assert kept.generations[0].events == run.generations[0].events[:7]


def test_a_lane_tried_again_opens_with_its_last_try_and_the_first_stays_in_the_record(store: Store) -> None:
    keep(store, race(broken=True))
    store.append("one", b'[[1,[[9000000,"restart"],[9000001,"attempt",1],[9000002,"sent"]]]]')
    assert store.row("one").status == "running"
    store.append(
        "one", b'[[1,[[9500000,"a","Again",0],[9600000,"finish","stop",0],[9600000,"end","complete"]]]]'
    )
    store.end("one", 0.5)
    assert [d.text for d in store.open("one").generations[1].of(Delta)] == ["Again"]
    assert (store.row("one").status, store.row("one").lanes[1].summary.ttft_ms) == ("complete", 0.499998)


def test_a_row_that_comes_after_the_end_of_its_lane_does_not_make_it_interrupted(store: Store) -> None:
    run = race()
    store.begin(run)
    for batch in [*shipped(run), b'[[0,[[1000,"warning","burst",""]]]]']:
        store.append("one", batch)
    store.end("one", None)
    assert store.row("one").status == "complete"
    assert store.import_run(store.export("one")) == "one"


def test_runs_are_listed_newest_first_page_by_page(store: Store) -> None:
    for hour in (11, 9, 10, 12):
        store.save(race(f"at-{hour}", started_at=f"2026-11-30T{hour:02}:00:00Z"))
    assert ids(store, Filter()) == ["at-12", "at-11", "at-10", "at-9"]
    assert ids(store, Filter(), offset=1, limit=2) == ["at-11", "at-10"]
    assert store.page(Filter(), 1, 2).total == 4


@pytest.fixture
def several(store: Store) -> Store:
    store.save(
        race("old", "Write about the tide.", ("Sol",), "2026-11-29T10:00:00Z", Mode.ONE_BY_ONE, Origin.LIVE)
    )
    store.save(
        race("new", "灯塔守护人每天晚上做什么？", ("Terra", "Luna"), origin=Origin.RECORDED, broken=True)
    )
    store.save(race("mid", names=("Sol", "Luna"), started_at="2026-11-30T08:00:00+02:00"), ["Board Meeting"])
    store.note("mid", "Shown to the café's owner")
    return store


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Filter(backend="Luna"), ["new", "mid"]),
        (Filter(backend="Lun"), []),
        (Filter(prompt="Write about the tide."), ["old"]),
        (Filter(since_ms=TEN_MS - 4 * HOUR_MS), ["new", "mid"]),
        (Filter(until_ms=TEN_MS), ["mid", "old"]),
        (Filter(mode=Mode.ONE_BY_ONE), ["old"]),
        (Filter(origin=Origin.LIVE), ["old"]),
        (Filter(origin=Origin.RECORDED), ["new"]),
        (Filter(status="error"), ["new"]),
        (Filter(status="complete", backend="Sol"), ["mid", "old"]),
        (Filter(tag="Board Meeting"), ["mid"]),
        (Filter(text="LIGHTHOUSE"), ["mid"]),
        (Filter(text="light"), ["mid"]),
        (Filter(text="house"), []),
        (Filter(text="守护人"), ["new"]),
        (Filter(text="塔"), ["new"]),
        (Filter(text="塔灯"), []),
        (Filter(text="luna-model"), ["new", "mid"]),
        (Filter(text="board"), ["mid"]),
        (Filter(text="CAFÉ's"), ["mid"]),
        (Filter(text="tide brief"), ["old"]),
        (Filter(text="tide lighthouse"), []),
        (Filter(text='" OR * : ( ) & | ! <->'), []),
        (Filter(text="or"), []),
    ],
)
def test_filters_and_search_find_exactly(several: Store, wanted: Filter, expected: list[str]) -> None:
    assert ids(several, wanted) == expected
    assert several.page(wanted).total == len(expected)


def test_choices_of_the_filters_are_what_was_raced_and_tagged(several: Store) -> None:
    assert several.backends() == ("Luna", "Sol", "Terra")
    assert several.tags() == ("Board Meeting",)


def test_tags_and_notes_can_be_changed_and_the_old_words_are_no_longer_found(several: Store) -> None:
    several.tag("mid", [" Weekly ", "", "weekly", "Weekly"])
    several.note("mid", "quiet")
    assert several.row("mid").tags == ("Weekly", "weekly")
    assert several.row("mid").notes == "quiet"
    assert ids(several, Filter(text="owner")) == ids(several, Filter(tag="Board Meeting")) == []


def test_a_deleted_run_is_out_of_the_list_until_it_is_restored(store: Store) -> None:
    run = keep(store, race())
    store.delete("one")
    assert (ids(store, Filter()), ids(store, Filter(deleted=True))) == ([], ["one"])
    store.restore("one")
    assert (ids(store, Filter()), store.open("one")) == (["one"], run)


def test_what_was_deleted_more_than_a_week_ago_is_removed_with_everything_of_it(
    opened: Callable[..., Store],
) -> None:
    now_s = [1000.0]
    store = opened(now_s=lambda: now_s[0])
    store.save(race("old"), ["t"])
    store.save(race("late"))
    store.delete("old")
    now_s[0] += KEPT_DELETED_MS / 1000
    store.delete("late")
    assert store.purge() == 0
    now_s[0] += 1
    assert store.purge() == 1
    assert (ids(store, Filter(deleted=True)), store.tags()) == (["late"], ())
    with pytest.raises(NoSuchRunError):
        store.open("old")


def test_importing_an_export_into_another_history_gives_the_same_run(store: Store, tmp_path: object) -> None:
    run = keep(store, race())
    other = Store(f"sqlite:///{tmp_path}/other.sqlite")
    assert other.import_run(store.export("one")) == "one"
    assert other.open("one") == run
    assert other.row("one").lanes == store.row("one").lanes
    other.close()


def test_importing_the_same_twice_gives_one_run_and_brings_back_a_deleted_one(store: Store) -> None:
    data = encode_run(race())
    assert store.import_run(data) == store.import_run(data) == "one"
    store.delete("one")
    store.import_run(data)
    assert store.page().total == 1


def test_another_recording_under_a_taken_id_is_kept_beside_it(store: Store) -> None:
    store.save(race())
    other = encode_run(race(broken=True))
    first, second = store.import_run(other), store.import_run(other)
    assert first == second != "one"
    assert store.open("one") == race()
    assert store.open(first).generations == decode_run(other).generations


def test_an_id_that_could_be_a_path_or_markup_is_not_taken_over(store: Store) -> None:
    run_id = store.import_run(encode_run(race("../<script>")))
    assert run_id.isalnum()
    assert store.open(run_id).generations == race().generations


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"null",
        b'{"format": "tokenrace-recording"}',
        b"\xff\xfe",
        encode_run(race()).replace(b'"version":1', b'"version":2'),
        encode_run(replace(race(), backends=(), generations=())),
        encode_run(race()).replace(b'"attempt"', b'"unheard"', 1),
        encode_run(race()).replace(b'[0,"attempt"', b'["0","attempt"', 1),
        encode_run(race()).replace(b'[0,"attempt"', b'[-5,"attempt"', 1),
        encode_run(race()).replace(b'" keeper"', b"7"),
        encode_run(race()).replace(
            b'"prompt":{"text":"Tell me about the lighthouse."', b'"prompt":{"text":null'
        ),
    ],
)
def test_what_is_no_recording_is_refused_and_leaves_no_trace(store: Store, data: bytes) -> None:
    with pytest.raises(RecordingError):
        store.import_run(data)
    assert store.page().total == 0


def test_texts_no_database_column_can_hold_are_kept_whole_in_the_recording(store: Store) -> None:
    run = replace(race(prompt="nul \0 inside"), backends=(backend("So\0l"), backend("Terra")))
    keep(store, run)
    assert store.open("one") == run
    assert (store.row("one").prompt, store.row("one").lanes[0].name) == ("nul  inside", "Sol")


def test_verify_finds_every_figure_that_its_recording_does_not_give(store: Store) -> None:
    keep(store, race())
    assert [found.ok for found in store.verify_all()] == [True]
    with writing(store._engine).begin() as connection:
        connection.execute(sa.update(LANE).where(LANE.c.lane == 1).values(ttft_ms=1.0, cost=None))
    found = store.verify("one")
    assert [(one.lane, one.figure, one.kept) for one in found.differences] == [
        (1, "ttft_ms", "1.0"),
        (1, "cost", "None"),
    ]


def test_verify_names_a_recording_that_is_damaged(store: Store) -> None:
    keep(store, race())
    with writing(store._engine).begin() as connection:
        connection.execute(sa.update(RECORDING).where(RECORDING.c.lane == 0).values(rows=b"damaged"))
    assert store.verify("one").problem == "the recording is damaged"


def test_a_run_of_a_process_that_is_gone_is_closed_as_interrupted_with_what_it_had(
    opened: Callable[..., Store],
) -> None:
    run, first = race(), opened()
    first.begin(run)
    first.append("one", shipped(run)[0])
    first.close()
    second = opened()
    assert second.row("one").status == "interrupted"
    lane = second.open("one").generations[0]
    assert lane.events[:7] == run.generations[0].events[:7]
    assert [getattr(event, "status", None) for event in lane.events[8:]] == [Status.INTERRUPTED]
    assert second.verify("one").ok


def test_a_run_of_another_living_process_is_left_alone(opened: Callable[..., Store]) -> None:
    run, first = race(), opened()
    first.begin(run)
    first.append("one", shipped(run)[0])
    second = opened()
    assert second.row("one").status == "running"
    for batch in shipped(run)[1:]:
        first.append("one", batch)
    first.end("one", 0.25)
    assert second.open("one") == run


def test_a_journal_that_cannot_be_read_does_not_keep_the_history_from_opening(
    opened: Callable[..., Store],
) -> None:
    first = opened()
    first.begin(race())
    first.append("one", b"[[0,[[5")
    first.close()
    second = opened()
    assert second.row("one").status == "interrupted"
    assert second.verify("one").problem == "the journal is damaged"
    assert second.recover() == 0


@pytest.mark.parametrize("call", [
    lambda store: store.open("none"), lambda store: store.row("none"), lambda store: store.export("none"),
    lambda store: store.append("none", b"[]"), lambda store: store.end("none", None),
    lambda store: store.delete("none"), lambda store: store.restore("none"), lambda store: store.tag("none", ["x"]),
    lambda store: store.note("none", "x"), lambda store: store.verify("none"),
])  # fmt: skip
def test_a_run_that_is_not_there_is_said_to_be_missing(store: Store, call: Callable[[Store], object]) -> None:
    with pytest.raises(NoSuchRunError):
        call(store)


def test_every_write_can_be_repeated_without_doubling_anything(store: Store) -> None:
    run = race()
    store.begin(run)
    for batch in shipped(run):
        place = store._open["one"]
        store.append("one", batch)
        store._open["one"] = place  # as if the answer to the commit had been lost
        store.append("one", batch)
    store.begin(run)
    store.end("one", 0.25)
    store.end("one", 0.25)
    assert store.open("one") == run
    assert store.page().total == 1


def test_no_text_of_the_tables_says_more_than_the_run_does(store: Store) -> None:
    run = keep(store, race())
    with store._engine.connect() as connection:
        row = connection.execute(sa.select(RUN)).one()
    assert set(row._mapping) == set(RUN.c.keys())
    assert (row.id, row.prompt, row.notes, row.writer) == (run.id, run.prompt.text, "", None)
