"""The knee: found among measured points, and in the closed form."""

from __future__ import annotations

import pytest

from lib.limits import roofline, tables
from lib.limits.knee import knee, knee_of_roofline
from lib.limits.roofline import Machine, Work

SMALL = tables.model("llama-3.1-8b")


def points(limit: int) -> list[tuple[int, float, float]]:
    machine = Machine.of(tables.chip("h100-sxm"))
    works = [Work(SMALL, 16, 4096, users) for users in range(1, limit)]
    return [
        (work.batch, roofline.total_tps(machine, work), roofline.per_user_tps(machine, work))
        for work in works
    ]


def test_the_closed_form_and_the_search_find_the_same_knee() -> None:
    assert knee_of_roofline(Work(SMALL, 16, 4096)) == pytest.approx(29.9, abs=0.05)
    assert knee(points(100)) == 30


def test_a_knee_beyond_what_was_looked_at_is_none() -> None:
    assert knee(points(20)) is None
    assert knee([(1, 10, 10), (2, 10, 5)]) is None


def test_no_closed_form_without_a_cache_or_for_experts() -> None:
    assert knee_of_roofline(Work(SMALL, 16, 0)) is None
    assert knee_of_roofline(Work(tables.model("mixtral-8x7b"), 16, 4096)) is None
