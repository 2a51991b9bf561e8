"""Each warning comes by its kind, and a sound result carries none."""

from __future__ import annotations

import pytest

from lib.domain import events as ev
from lib.domain.run import Origin
from lib.domain.warning_codes import WARNINGS
from lib.metrics.measurement import measure
from lib.metrics.warnings import is_same_model, warnings_of
from tests.metrics.building import ANSWER_WORDS, at, backend, generation, steady

USAGE = {"prompt_tokens": 8, "completion_tokens": 7, "total_tokens": 15}
PIECES = [(200, "Mint"), (240, " leaves"), (280, " curl.")]


def _codes(made: ev.Generation) -> list[str]:
    return [code for code, _detail in warnings_of(measure(made, backend()))]


@pytest.mark.parametrize(
    "made",
    [
        generation(PIECES, usage=USAGE),
        steady(200),
        generation([(300, "Blue")], usage={"completion_tokens": 1}),
        generation([(300, "Blue")], usage={"completion_tokens": 2}),
        generation(
            [
                (400, "Long ropes hold"),
                (460, " wide sails while"),
                (520, " small crews watch"),
                (580, " the grey sea roll"),
            ],
            usage={"completion_tokens": 13},
        ),
        generation([(200, "Hm", "r"), (500, "Ship"), (540, " ahoy.")], usage=USAGE),
        generation(PIECES, usage=USAGE, extra=[ev.Served(at(1), "replay-model-2026-08-06")]),
        generation(
            PIECES,
            usage={
                "prompt_tokens": 10000,
                "completion_tokens": 5,
                "prompt_tokens_details": {"cached_tokens": 8000},
            },
        ),
        generation([], status=ev.Status.ERROR, finish=None, extra=[ev.Failed(at(20), "auth")]),
    ],
    ids=[
        "plain",
        "long",
        "one token",
        "one token and its end mark",
        "speculative",
        "thinking",
        "dated model",
        "shared prefix",
        "failed before any text",
    ],
)
def test_a_sound_result_carries_no_warning(made: ev.Generation) -> None:
    assert _codes(made) == []


@pytest.mark.parametrize(
    ("made", "codes"),
    [
        (generation(PIECES), ["usage_estimated"]),
        (generation(PIECES, usage={"prompt_tokens": 0, "completion_tokens": 0}), ["usage_estimated"]),
        (generation(PIECES, usage={**USAGE, "total_tokens": 99}), ["usage_inconsistent"]),
        (
            generation(
                [(9, w) for w in ["Fog", "hides", "the", "far", "shore", "."]], reads=[1] * 6, usage=USAGE
            ),
            ["burst"],
        ),
        (
            generation(
                [(100, ANSWER_WORDS * 2), *((500 + i * 9, " and") for i in range(50))],
                usage={"completion_tokens": 90},
            ),
            ["burst"],
        ),
        (generation([(1200, "The tide chart shows two highs.")], usage=USAGE), ["not_streamed"]),
        (generation(PIECES, usage=USAGE, finish=None), ["no_finish_reason"]),
        (generation(PIECES, finish=None, status=ev.Status.INCOMPLETE), ["usage_estimated", "incomplete"]),
        (generation(PIECES, usage=USAGE, finish="length"), ["truncated_length"]),
        (generation(PIECES, usage=USAGE, finish="content_filter"), ["content_filter"]),
        (
            generation([(200, "First", "r"), (300, " weigh", "r")], usage=USAGE, finish="length"),
            ["truncated_length", "empty_answer"],
        ),
        (generation([(250, "get_time({})", "t")], usage=USAGE, finish="tool_calls"), ["empty_answer"]),
        (generation(PIECES, usage=USAGE, extra=[ev.Served(at(1), "backup-model-8b")]), ["model_mismatch"]),
        (
            generation(
                PIECES,
                usage={
                    "prompt_tokens": 2048,
                    "completion_tokens": 5,
                    "prompt_tokens_details": {"cached_tokens": 2032},
                },
            ),
            ["prompt_cached"],
        ),
        (steady(20, status=ev.Status.STOPPED), ["usage_estimated", "stopped_by_user"]),
        (generation(PIECES, status=ev.Status.ERROR, finish=None), ["usage_estimated"]),
        (
            generation(PIECES, usage=USAGE, extra=[ev.Warned(at(1), "bad_chunk", "half a frame")]),
            ["bad_chunk"],
        ),
    ],
)
def test_a_result_carries_the_warning_of_its_kind_and_no_other(made: ev.Generation, codes: list[str]) -> None:
    assert _codes(made) == codes


def test_what_the_collector_warned_of_keeps_its_detail_and_comes_once() -> None:
    twice = [
        ev.Warned(at(1), "param_dropped", "temperature"),
        ev.Warned(at(2), "param_dropped", "temperature"),
    ]
    made = generation(PIECES, usage=USAGE, extra=twice)
    assert warnings_of(measure(made, backend())) == [("param_dropped", "temperature")]


def test_every_code_that_can_follow_from_a_recording_is_explained() -> None:
    made = generation(PIECES, extra=[ev.Warned(at(1), code) for code in WARNINGS])
    assert _codes(made) == list(WARNINGS)


def test_a_recording_may_answer_under_the_name_it_was_recorded_with() -> None:
    made = generation(PIECES, usage=USAGE, extra=[ev.Served(at(1), "models/smollm2-135m.F32.gguf")])
    assert warnings_of(measure(made, backend(origin=Origin.RECORDED, model="rec-1"))) == []


@pytest.mark.parametrize(
    ("asked", "served", "same"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06", True),
        ("gpt-4", "gpt-4-0613", True),
        ("gpt-4o", "gpt-4o-mini", False),
        ("gpt-4o", "gpt-4-turbo", False),
        ("openai/gpt-4o", "gpt-4o", True),
        ("llama3:latest", "llama3", True),
        ("llama3:8b", "llama3:70b", False),
        ("claude-x-latest", "claude-x-20260101", True),
        ("smollm2-135m", "/models/SmolLM2-135M-Instruct-F32.gguf", True),
        ("qwen3", "C:\\models\\qwen3.gguf", True),
        ("primary-model", "backup-model-8b", False),
        ("Model-A", "model-a", True),
    ],
)
def test_a_date_a_path_or_a_tag_makes_no_other_model(asked: str, served: str, same: bool) -> None:
    assert is_same_model(asked, served) is same
