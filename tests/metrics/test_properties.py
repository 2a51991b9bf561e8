"""Whatever happened in a lane, in time order: no figure raises, is negative, infinite or not a number."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from lib import reading
from lib.domain import events as ev
from lib.domain.failures import FAILURES
from lib.domain.run import Mode, Prices
from lib.metrics.catalogue import CATALOGUE, compute_all
from lib.metrics.figures import figure_text, figures_of
from lib.metrics.keys import measure_keys
from lib.metrics.measurement import measure
from lib.metrics.quantity import Quantity
from lib.metrics.series import gap_series_of, series_of
from lib.metrics.verdict import result_of
from lib.metrics.warnings import warnings_of
from tests.metrics.building import backend, run

PRICES = Prices(Decimal("1.25"), Decimal("10"))
COUNTS = st.none() | st.integers(-5, 3000) | st.floats(allow_nan=True) | st.booleans() | st.text(max_size=3)
TEXT = st.text(min_size=1, max_size=30) | st.sampled_from(
    [" word", " two words", "河", "\n", "(", "a b c d e f g"]
)
NS = st.just(0)


def _usage_values() -> st.SearchStrategy[dict[str, Any]]:
    details = st.none() | st.fixed_dictionaries(
        {}, optional={"reasoning_tokens": COUNTS, "cached_tokens": COUNTS}
    )
    return st.fixed_dictionaries(
        {},
        optional={
            "prompt_tokens": COUNTS,
            "completion_tokens": COUNTS,
            "total_tokens": COUNTS,
            "completion_tokens_details": details,
            "prompt_tokens_details": details,
            "usage": st.none() | st.dictionaries(st.sampled_from(["completion_tokens"]), COUNTS),
        },
    )


EVENTS = st.one_of(
    st.builds(
        ev.Delta,
        NS,
        st.sampled_from(ev.Channel),
        TEXT,
        st.integers(0, 5),
        st.sampled_from([0, 0, 0, 1, 2]),
        st.none() | st.integers(0, 9),
    ),
    st.builds(ev.Delta, NS, st.just(ev.Channel.ANSWER), TEXT, st.integers(0, 50)),
    st.builds(ev.ToolCall, NS, st.integers(0, 2), st.text(max_size=5), st.integers(0, 5), st.integers(0, 1)),
    st.builds(ev.Attempt, NS, st.integers(1, 3)),
    st.builds(ev.Connected, NS, st.none() | st.floats(0, 1e4)),
    st.builds(ev.Sent, NS),
    st.builds(ev.Headers, NS, st.integers(100, 599), st.sampled_from(["", "text/html", "text/event-stream"])),
    st.builds(ev.Usage, NS, _usage_values(), st.integers(0, 5)),
    st.builds(
        ev.Finish,
        NS,
        st.sampled_from(["stop", "length", "", "content_filter", "tool_calls"]),
        st.integers(0, 1),
    ),
    st.builds(ev.Served, NS, st.text(max_size=8)),
    st.builds(
        ev.ServerReport, NS, st.dictionaries(st.sampled_from(["x_groq", "usage", "timings"]), _usage_values())
    ),
    st.builds(ev.Done, NS),
    st.builds(ev.BodyEnd, NS),
    st.builds(ev.Warned, NS, st.sampled_from(["bad_chunk", "burst", "something_new"])),
    st.builds(ev.Waiting, NS, st.floats(0, 1e6), st.just("429")),
    st.builds(ev.Failed, NS, st.sampled_from([*FAILURES, "something_new"]), st.text(max_size=9)),
    st.builds(ev.Ended, NS, st.sampled_from(ev.Status)),
)


@st.composite
def generations(draw: st.DrawFn) -> ev.Generation:
    happened = draw(st.lists(EVENTS, max_size=40))
    steps = draw(st.lists(st.integers(0, 10**9), min_size=len(happened), max_size=len(happened)))
    at_ns, placed = 0, []
    for event, step in zip(happened, steps, strict=True):
        at_ns += step
        placed.append(replace(event, at_ns=at_ns))
    return ev.Generation(0, tuple(placed))


@settings(max_examples=300, deadline=None)
@given(generations(), st.sampled_from(reading.speeds()))
def test_every_figure_is_a_sound_number_or_a_reason(made: ev.Generation, speed: reading.ReadingSpeed) -> None:
    figures = compute_all(measure(made, backend(prices=PRICES)), speed)
    assert list(figures) == [metric.key for metric in CATALOGUE]
    for key, figure in figures.items():
        if isinstance(figure, Quantity):
            assert math.isfinite(figure.value), key
            assert figure.value >= 0, key
        else:
            assert figure.reason.endswith("."), key
        assert figure_text(figure), key


@settings(max_examples=200, deadline=None)
@given(generations())
def test_keys_figures_and_series_are_json_without_nan(made: ev.Generation) -> None:
    series, gaps = series_of(made), gap_series_of(made)
    written = json.dumps(
        [
            measure_keys(made, backend(prices=PRICES)),
            figures_of(made, backend(), None),
            series.at_ms,
            gaps.gap_ms,
        ],
        allow_nan=False,
    )
    assert written
    assert list(series.tokens) == sorted(series.tokens)
    assert all(gap >= 0 for gap in gaps.gap_ms)


@settings(max_examples=200, deadline=None)
@given(generations())
def test_shown_tokens_are_never_more_than_billed_ones_and_warnings_come_once(made: ev.Generation) -> None:
    measured = measure(made, backend())
    visible, billed = measured.visible_tokens, measured.output_tokens
    assert visible is None or billed is None or 0 <= visible <= billed
    codes = [code for code, _detail in warnings_of(measured)]
    assert len(codes) == len(set(codes))


@settings(max_examples=100, deadline=None)
@given(st.lists(generations(), min_size=1, max_size=4), st.sampled_from(Mode))
def test_every_race_has_a_sentence_and_places_without_holes(lanes: list[ev.Generation], mode: Mode) -> None:
    result = result_of(run([(backend(), made) for made in lanes], mode), None)
    assert "".join(text for text, _mark in result["verdict"]).endswith(".")
    taken = sorted(place for place in result["places"] if place is not None)
    assert all(place <= index for index, place in enumerate(taken, start=1))
    assert not taken or taken[0] == 1
