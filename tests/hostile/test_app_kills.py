"""The whole app gets SIGKILL in mid-race: the history stays sound and lacks at most the last batch."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from tests.bench.kill import kills

MOMENTS = 4  # `python -m tests.bench kill` tries 20


def test_a_killed_app_keeps_its_race_but_for_the_last_batch_and_the_next_start_closes_it(
    tmp_path: Path,
) -> None:
    found = kills(tmp_path, MOMENTS, seed=7)  # asserts that the file is sound and every figure verifies
    assert [one.wrong for one in found] == [()] * MOMENTS
    assert all(one.kept_tokens > 0 for one in found)
    assert median(one.lost for one in found) <= 1
