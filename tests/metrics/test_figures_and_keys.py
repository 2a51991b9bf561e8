"""What the player shows and what `measure --json` prints say the same, and say why where they say nothing."""

from __future__ import annotations

import json
from decimal import Decimal

from lib.domain import events as ev
from lib.domain.run import Origin, Prices
from lib.metrics.figures import figures_of
from lib.metrics.keys import measure_keys
from tests.metrics.building import ANSWER_WORDS, at, backend, generation, steady


def test_a_complete_lane_shows_its_exact_figures() -> None:
    prices = Prices(Decimal(2), Decimal(8))
    shown = figures_of(steady(400, each_ms=2), backend(prices=prices), None)
    assert shown["status"] == "complete"
    assert (shown["hero"]["text"], shown["hero"]["unit"]) == ("500", "tok/s")
    assert (shown["ttft"]["text"], shown["ttfat"]["ms"]) == ("200 ms", 200)
    assert (shown["tokens"]["text"], shown["tokens_total"]) == ("400", 400)
    assert shown["tokens_answer"] == 400
    assert shown["cost"]["text"] == "$0.00322"
    assert shown["elapsed"]["text"] == "1.0 s"
    assert shown["human_done"]["text"] == "1 min 41 s"
    assert (shown["place"], shown["warnings"], shown["failure"]) == (None, [], None)


def test_an_answer_in_one_piece_shows_its_end_to_end_rate_and_says_so() -> None:
    shown = figures_of(
        generation([(1000, ANSWER_WORDS * 5)], usage={"completion_tokens": 90}), backend(), None
    )
    assert shown["hero"]["text"] == "90.0"
    assert "end to end" in shown["hero"]["note"]
    assert shown["warnings"][0][0] == "not_streamed"


def test_a_failed_lane_shows_what_failed_what_helps_and_its_text_so_far() -> None:
    failure = [ev.Failed(at(280), "rate_limited", "Too many requests for this key", 429, 30.0)]
    made = generation(
        [(200, "Five small"), (240, " boats")], status=ev.Status.ERROR, finish=None, extra=failure
    )
    shown = figures_of(made, backend(), None)
    assert shown["failure"]["title"] == "Too many requests"
    assert shown["failure"]["message"] == "Too many requests for this key"
    assert shown["failure"]["retry_helps"] is True
    assert shown["tokens"]["text"] == "~3"
    assert shown["hero"]["text"] is None
    assert shown["hero"]["reason"]


def test_a_lane_without_any_text_gives_reasons_and_no_numbers() -> None:
    shown = figures_of(
        generation([], status=ev.Status.ERROR, finish=None, extra=[ev.Failed(at(9), "auth")]), backend(), None
    )
    for key in ("hero", "ttft", "ttfat", "tokens", "human_done"):
        assert shown[key]["text"] is None, key
        assert shown[key]["reason"], key


def test_a_lane_whose_measuring_process_died_says_so() -> None:
    shown = figures_of(generation([(9, "half")], status=ev.Status.INTERRUPTED, finish=None), backend(), None)
    assert shown["failure"]["title"] == "Interrupted"


def test_cost_in_words() -> None:
    def cost_of(**options: object) -> str:
        return str(figures_of(steady(40), backend(**options), None)["cost"]["text"])  # type: ignore[arg-type]

    assert cost_of() == "not publ."
    assert cost_of(origin=Origin.LIVE, base_url="http://127.0.0.1:8080/v1") == "$0 (this machine)"
    assert cost_of(prices=Prices(None, Decimal(1))) == "not publ."


def test_the_keys_and_the_figures_agree() -> None:
    made = steady(400, each_ms=2)
    keys, shown = measure_keys(made, backend()), figures_of(made, backend(), None)
    assert keys["ttft_ms"] == shown["ttft"]["ms"]
    assert keys["decode_tok_s"] == shown["hero"]["value"]
    assert keys["output_tokens"] == shown["tokens_total"]
    assert keys["warnings"] == [code for code, _sentence in shown["warnings"]]


def test_every_key_is_there_and_json_safe_when_nothing_happened_at_all() -> None:
    full, empty = measure_keys(steady(40), backend()), measure_keys(ev.Generation(0), backend())
    assert list(empty) == list(full)
    assert json.loads(json.dumps(empty, allow_nan=False))["status"] == "interrupted"
    assert (empty["ttft_ms"], empty["output_tokens"], empty["output_tokens_source"]) == (None, None, None)


def test_prices_given_take_the_place_of_the_backends_own() -> None:
    keys = measure_keys(steady(500), backend(), Prices(Decimal(1), Decimal(4)))
    assert keys["cost_usd"] == "0.002010"


def test_tool_calls_have_their_names_and_arguments() -> None:
    pieces = [(290, '{"place":"har', "t"), (330, 'bour"}', "t"), (350, '{"n":1}', "t")]
    names = [ev.ToolCall(at(250), 0, "get_time", 0), ev.ToolCall(at(340), 1, "stop", 1)]
    made = generation(pieces, usage={"completion_tokens": 18}, finish="tool_calls", extra=names)
    keys = measure_keys(made, backend())
    assert keys["tool_calls"] == [
        {"name": "get_time", "arguments": '{"place":"harbour"}'},
        {"name": "stop", "arguments": '{"n":1}'},
    ]
    assert (keys["first_tool_ms"], keys["first_answer_ms"], keys["token_chunks"]) == (250, None, 0)


def test_several_choices_have_their_texts_and_reasons() -> None:
    other = [ev.Delta(at(210), ev.Channel.ANSWER, "Right side.", 77, 1), ev.Finish(at(260), "length", 1)]
    keys = measure_keys(
        generation([(200, "Left bank.")], usage={"completion_tokens": 9}, extra=other), backend()
    )
    assert (keys["text"], keys["texts"]) == ("Left bank.", ["Left bank.", "Right side."])
    assert keys["finish_reasons"] == ["stop", "length"]
    assert keys["output_tokens"] == 9


def test_a_retry_that_answered_is_no_error() -> None:
    made = steady(40)
    first = (
        ev.Attempt(0, 1),
        ev.Sent(0),
        ev.Headers(0, 429),
        ev.Failed(0, "rate_limited", "slow", 429),
        ev.Waiting(0, 1000.0, "429"),
    )
    second = tuple(ev.Attempt(e.at_ns, 2) if isinstance(e, ev.Attempt) else e for e in made.events)
    keys = measure_keys(ev.Generation(0, (*first, *second)), backend())
    assert (keys["status"], keys["error_kind"], keys["attempts"], keys["waited_ms"]) == (
        "complete",
        None,
        2,
        1000,
    )
