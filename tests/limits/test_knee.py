"""The knee: found among measured points, and in the closed form."""

from __future__ import annotations

import pytest

from lib.limits import roofline, tables
from lib.limits.knee import knee, knee_of_roofline
from lib.limits.roofline import Machine, Work

SMALL = tables.model("llama-3.1-8b")


H100 = Machine.of(tables.chip("h100-sxm"))


def points(limit: int, bits: float = 16, context: int = 4096, machine: Machine = H100) -> list[tuple[int, float, float]]:
    works = [Work(SMALL, bits, context, users) for users in range(1, limit)]
    return [
        (work.batch, roofline.total_tps(machine, work), roofline.per_user_tps(machine, work))
        for work in works
    ]


def test_the_closed_form_and_the_search_find_the_same_knee() -> None:
    assert knee_of_roofline(H100, Work(SMALL, 16, 4096)) == pytest.approx(29.9, abs=0.05)
    assert knee(points(100)) == 30


@pytest.mark.parametrize(("chip", "bits", "context"), [("rtx4090", 16, 512), ("tpu-v5p", 8, 512), ("h100-sxm", 4.15625, 256)])
def test_where_arithmetic_ends_first_the_knee_is_there(chip: str, bits: float, context: int) -> None:
    machine = Machine.of(tables.chip(chip))
    found, searched = knee_of_roofline(machine, Work(SMALL, bits, context)), knee(points(700, bits, context, machine))
    assert found is not None
    assert searched is not None
    assert found == pytest.approx(searched, abs=1)
    assert found < Work(SMALL, bits, context).weight_bytes / Work(SMALL, bits, context).kv_bytes


def test_a_chip_whose_arithmetic_is_not_known_has_the_knee_of_its_memory() -> None:
    work = Work(SMALL, 16, 512)
    assert knee_of_roofline(Machine.of(tables.chip("m3-ultra")), work) == work.weight_bytes / work.kv_bytes


def test_a_knee_beyond_what_was_looked_at_is_none() -> None:
    assert knee(points(20)) is None
    assert knee([(1, 10, 10), (2, 10, 5)]) is None


def test_no_closed_form_without_a_cache_or_for_experts() -> None:
    assert knee_of_roofline(H100, Work(SMALL, 16, 0)) is None
    assert knee_of_roofline(H100, Work(tables.model("mixtral-8x7b"), 16, 4096)) is None
