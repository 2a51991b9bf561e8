"""Ghost lanes: whatever speed is asked for, always badged simulated."""

from __future__ import annotations

import pytest

from lib.backends.ghost import ghost_backend
from lib.domain.run import Backend, Origin
from lib.simulator.faults import parse_wish

SIMULATED = Backend("sol", "Sol", "http://127.0.0.1:9/v1", "sol", Origin.SIMULATED)


def test_a_ghost_asks_the_simulator_for_its_speed_in_words_the_simulator_knows() -> None:
    ghost = ghost_backend(SIMULATED, rate_tps=300, ttft_ms=120, tokens=80)
    _model, wish = parse_wish(ghost.model, ghost.extra_body["simulator"])
    assert (wish.tok_s, wish.ttft_ms, wish.tokens, wish.jitter_cv) == (300, 120, 80, 0)


def test_a_ghost_is_badged_simulated_and_has_no_price() -> None:
    ghost = ghost_backend(SIMULATED, rate_tps=0.5, ttft_ms=0)
    assert ghost.origin is Origin.SIMULATED
    assert ghost.prices is None
    assert "ghost" in ghost.note


def test_ghosts_of_different_speeds_are_different_backends() -> None:
    ids = {ghost_backend(SIMULATED, rate_tps=r, ttft_ms=t).id for r in (5, 50) for t in (10, 100)}
    assert len(ids) == 4


@pytest.mark.parametrize(("rate_tps", "ttft_ms"), [(0, 10), (200_000, 10), (10, -1), (float("nan"), 10)])
def test_a_speed_the_simulator_cannot_keep_is_refused(rate_tps: float, ttft_ms: float) -> None:
    with pytest.raises(ValueError, match="ghost"):
        ghost_backend(SIMULATED, rate_tps=rate_tps, ttft_ms=ttft_ms)
