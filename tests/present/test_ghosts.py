"""Ghosts: an id is a speed, and what becomes of it is a simulated backend of exactly that speed."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.domain.run import Origin
from lib.present.ghosts import Ghost, GhostError, backend_of, ghost, is_ghost
from lib.simulator.request import parse_request


def test_an_id_is_a_speed_and_a_time_to_first_token() -> None:
    assert ghost("ghost:750:120") == Ghost(750, 120)
    assert ghost("ghost:37.5") == Ghost(37.5, 300)
    assert not is_ghost("ghostly")


@pytest.mark.parametrize(
    "id_",
    ["ghost:", "ghost:x", "ghost:0", "ghost:-3", "ghost:20001", "ghost:nan", "ghost:inf", "ghost:1:2:3", "ghost:9:-1",
     "750", "ghost:9:600001"],
)  # fmt: skip
def test_an_id_that_names_no_speed_is_refused_with_the_form(id_: str) -> None:
    with pytest.raises(GhostError, match="ghost:TOKENS_PER_SECOND"):
        ghost(id_)


@given(st.integers(1, 20_000), st.integers(0, 600_000))
def test_every_ghost_is_found_again_by_its_id(tok_s: int, ttft_ms: int) -> None:
    assert ghost(Ghost(float(tok_s), float(ttft_ms)).id) == Ghost(tok_s, ttft_ms)


@given(st.floats(0.1, 20_000), st.floats(0, 600_000))
def test_the_simulator_takes_every_ghost_at_its_word(tok_s: float, ttft_ms: float) -> None:
    made = backend_of(Ghost(tok_s, ttft_ms), "http://127.0.0.1:1/v1", "m")
    body = {"model": made.model, "messages": [{"role": "user", "content": "x"}], **made.extra_body}
    wish = parse_request(orjson.dumps(body)).wish
    assert (wish.tok_s, wish.ttft_ms, wish.jitter_cv, wish.thinking_tokens) == (tok_s, ttft_ms, 0, 0)


def test_a_ghost_says_that_it_is_simulated_and_no_model() -> None:
    made = backend_of(Ghost(750.0, 120), "http://127.0.0.1:1/v1", "m")
    assert (made.name, made.origin, made.prices) == ("750 tok/s ghost", Origin.SIMULATED, None)
    assert made.note == "no model: a speed, first token after 120 ms"
    assert backend_of(Ghost(37.5), "", "m").name == "37.5 tok/s ghost"
