"""Many races through one hub leave nothing behind. `python -m tests.bench soak` runs 500 of them."""

from __future__ import annotations

import asyncio

import pytest

from lib.live import hub as hub_module
from tests.bench.soak import GROWTH_MB, Soaked, soak

RUNS, KEPT, BEGIN = 60, 10, 24
KEPT_OPEN = 6  # idle connections of the last races, which are given up some seconds later


@pytest.fixture(scope="module")
def soaked() -> Soaked:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hub_module, "KEPT_RUNS", KEPT)
        return asyncio.run(soak(RUNS, BEGIN, settle_s=1))


def test_the_races_were_good_and_bad(soaked: Soaked) -> None:
    assert soaked.outcomes["complete"] > RUNS
    assert soaked.outcomes["error"] > RUNS
    assert soaked.outcomes["stopped"] > 0


def test_no_task_is_left(soaked: Soaked) -> None:
    assert soaked.after.app_tasks <= soaked.before.app_tasks
    assert soaked.after.collector_tasks <= soaked.before.collector_tasks + 1


def test_the_collector_forgets_what_the_hub_has_forgotten(soaked: Soaked) -> None:
    assert soaked.after.collector_races <= KEPT + 1


def test_no_thread_is_left(soaked: Soaked) -> None:
    assert soaked.after.app.threads <= soaked.before.app.threads
    assert soaked.after.collector.threads <= soaked.before.collector.threads


def test_no_descriptor_is_left(soaked: Soaked) -> None:
    assert soaked.after.app.descriptors <= soaked.before.app.descriptors + KEPT_OPEN
    assert soaked.after.collector.descriptors <= soaked.before.collector.descriptors + KEPT_OPEN


def test_memory_stays(soaked: Soaked) -> None:
    assert soaked.after.app.rss_mb - soaked.before.app.rss_mb <= GROWTH_MB
    assert soaked.after.collector.rss_mb - soaked.before.collector.rss_mb <= GROWTH_MB
