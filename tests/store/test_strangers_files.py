"""Files of strangers: whatever is in them, what is kept can be listed, opened, exported and verified."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.domain.codec import RecordingError, encode_run
from lib.store.rows import Filter
from lib.store.store import Store
from tests.store.runs import race

ANYTHING = st.one_of(
    st.none(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=8),
    st.integers(-(2**63), 2**64 - 1), st.just([]), st.just({}), st.just([[1, "a"]]),
    st.sampled_from(["\0", "restart", "end", "usage", "complete", "../x", 2**63, -1, 1e308]),
)  # fmt: skip
DOCUMENT = orjson.loads(encode_run(race(broken=True)))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside a JSON value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield (*path, key)
        yield from places(item, (*path, key))


PLACES = list(places(DOCUMENT))
OF_EVENTS = [path for path in PLACES if "events" in path]
OTHERS = [path for path in PLACES if "events" not in path]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('files')}/history.sqlite")
    yield store
    store.close()


@settings(max_examples=400)
@given(st.one_of(st.sampled_from(OTHERS), st.sampled_from(OF_EVENTS)), ANYTHING)
def test_a_recording_with_any_value_in_any_place_is_refused_or_can_be_used(
    shared: Store, path: tuple[Any, ...], value: object
) -> None:
    document = copy.deepcopy(DOCUMENT)
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    try:
        run_id = shared.import_run(orjson.dumps(document))
    except RecordingError:
        return
    assert shared.verify(run_id).ok
    assert shared.import_run(shared.export(run_id)) == run_id
    assert shared.row(run_id).id == run_id
    assert shared.page(Filter(text="lighthouse")).rows is not None


def test_threads_that_write_and_read_at_once_do_not_meet(
    database_url: str, opened: Callable[..., Store]
) -> None:
    store = opened()
    faults: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(6):
                store.save(race(f"{name}-{number}"), [name])
                store.note(f"{name}-{number}", name)
                assert store.page(Filter(tag=name)).total == number + 1
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("a", "b", "c", "d")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert store.page().total == 24


def test_a_database_file_that_is_none_is_said_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "history.sqlite"
    file.write_bytes(b"my own notes, not a database at all, and longer than a header" * 20)
    before = file.read_bytes()
    with pytest.raises(Exception, match="file is not a database"):
        Store(f"sqlite:///{file}")
    assert file.read_bytes() == before
