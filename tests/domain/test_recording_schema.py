"""docs/recording.schema.json says what `encode_run` writes: no more, no less."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from lib.domain import codec
from lib.domain import events as ev
from lib.domain.codec import encode_run
from lib.domain.run import Backend, Params, Prompt, Run
from tests.domain.test_codec import EVENTS, full_run

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/recording.schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def complaints(document: Any) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(document)]


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@given(st.lists(EVENTS, max_size=12), st.text())
def test_every_recording_written_fits_the_schema(events: list[ev.Event], text: str) -> None:
    assert complaints(json.loads(encode_run(full_run(events, text)))) == []


def test_every_row_and_every_field_is_in_the_schema() -> None:
    rows = {name for part in SCHEMA["$defs"]["event"]["anyOf"] for name in names(part["$ref"])}
    assert rows == {*codec._NAMES, *codec._DELTAS, "end"}
    for name, value in (("params", Params), ("backend", Backend)):
        assert set(SCHEMA["$defs"][name]["properties"]) == set(value.__slots__)
    assert set(SCHEMA["properties"]["prompt"]["properties"]) == set(Prompt.__slots__)
    document = json.loads(encode_run(full_run([], "")))
    assert set(document) == set(SCHEMA["properties"])
    assert set(Run.__slots__) - set(document) == {"backends", "generations"}  # written as lanes


def names(reference: str) -> list[str]:
    name = SCHEMA["$defs"][reference.rsplit("/", 1)[1]]["prefixItems"][1]
    return [name["const"]] if "const" in name else name["enum"]


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
        change("mode", to="at leisure"),
        change("api_key", to="sk-x"),
        change("lanes", to=[]),
        change("lanes", 0, "backend", "api_key", to="sk-x"),
        change("lanes", 0, "backend", "prices", "output", to="free"),
        change("lanes", 0, "events", 0, to=[5, "unheard", "x"]),
        change("lanes", 0, "events", 0, to=[5, "a", "", 0]),
        change("lanes", 0, "events", 0, to=[-1, "sent"]),
        change("lanes", 0, "events", 0, to=[5.5, "end", "complete"]),
        change("lanes", 0, "events", 0, to=[5, "end", "happily"]),
        change("prompt", "history", 0, 0, to="narrator"),
    ],
)
def test_what_is_no_recording_does_not_fit(spoil: Callable[[Any], None]) -> None:
    document = json.loads(encode_run(full_run([ev.Delta(1, ev.Channel.ANSWER, "x", 0)], "hi")))
    spoiled = copy.deepcopy(document)
    spoil(spoiled)
    assert complaints(document) == []
    assert complaints(spoiled) != []
