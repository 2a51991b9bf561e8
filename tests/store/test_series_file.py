"""A series goes out as one file and comes back the same; what is no series is refused in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from lib.domain.codec import RecordingError
from lib.store.series_file import is_series, read_document, series_document
from lib.store.store import Store
from tests.store.runs import race
from tests.store.test_series import keep, round_of


def written(store: Store, ended: str | None = "") -> bytes:
    keep(store, [round_of(number) for number in range(4)], ended)
    return series_document(store.series("series"))


def test_a_series_comes_back_as_it_went_out(store: Store) -> None:
    data = written(store)
    kept = store.series("series")
    assert is_series(data)
    assert read_document(data) == kept
    store.delete("series")
    assert store.import_run(data) == "series"
    assert [row.id for row in store.page().rows] == ["series"]
    assert store.series("series") == kept


def test_a_series_from_elsewhere_is_one_row_with_its_rounds_and_its_figures(store: Store) -> None:
    data = written(store)
    shown = [lane.summary for lane in store.row("series").lanes]
    store.delete("series")
    store._now_s = lambda: 4e9  # type: ignore[method-assign]  # long after: the deletion is final
    store.purge()
    assert store.page().total == 0
    assert store.import_run(data) == "series"
    assert [lane.summary for lane in store.row("series").lanes] == shown
    assert store.rounds("series") == tuple((number, f"series-{number}") for number in range(4))
    assert all(found.ok for found in store.verify_all())


def test_another_series_under_a_taken_id_gets_ids_of_its_own(store: Store) -> None:
    document = json.loads(written(store))
    document["recordings"] = document["recordings"][:2]
    data = json.dumps(document).encode()
    first = store.import_run(data)
    assert first != "series"
    assert store.import_run(data) == first
    assert [len(store.rounds(one)) for one in ("series", first)] == [4, 2]


def test_a_series_that_still_went_on_is_a_stopped_one_elsewhere(store: Store) -> None:
    assert read_document(written(store, None)).ended == "stopped"


def change(*path: str | int, to: Any) -> Callable[[Any], None]:
    def apply(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = to

    return apply


@pytest.mark.parametrize(
    "spoil",
    [
        change("version", to=2),
        change("rounds", to=0),
        change("rounds", to="three"),
        change("rounds", to=10**9),
        change("condition", to="lukewarm"),
        change("has_warm_up", to=1),
        change("seed", to=2**80),
        change("ended", to=5),
        change("asked", to={}),
        change("asked", "lanes", to=[]),
        change("recordings", to=7),
        change("recordings", 0, to="round"),
        change("recordings", 0, "round", to=9),
        change("recordings", 1, "round", to=0),
        change("recordings", 1, "round", to="1"),
        change("recordings", 1, "recording", "format", to="other"),
        change("recordings", 1, "recording", "lanes", 0, "backend", "name", to="another backend"),
        change("recordings", 1, "recording", "lanes", 0, "events", 0, to=[1, "unheard"]),
    ],
)
def test_what_is_no_series_is_refused_and_nothing_is_kept(store: Store, spoil: Callable[[Any], None]) -> None:
    document = json.loads(written(store))
    before = store.page().total
    spoil(document)
    with pytest.raises(RecordingError):
        store.import_run(json.dumps({**document, "id": "other"}).encode())
    assert store.page().total == before


def test_a_recording_is_no_series(store: Store) -> None:
    store.save(race("plain"))
    assert not is_series(store.export("plain"))
