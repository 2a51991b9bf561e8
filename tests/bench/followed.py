"""Stamps while the run is followed over the real app's WebSocket, without a browser on the machine."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.accuracy import Pair
from tests.bench.app_process import AppProcess
from tests.bench.pace import Pace
from tests.bench.races import specs
from tests.bench.report import Finding, Section
from tests.bench.stamps import LOADS, errors
from tests.bench.truth import ROOT, Truth
from tests.bench.truth_content import Spec, letters_before


def run(pace: Pace) -> Iterator[Section]:
    """One section per load."""
    seconds, times = (2.5, 1) if pace.quick else (4.0, 3)
    with (
        tempfile.TemporaryDirectory() as folder,
        Truth() as truth,
        AppProcess("tests/bench/watched_app.py", Path(folder) / "app.log") as app,
    ):
        app.wait_until_up()
        app.wait_until_quiet()
        follow(app, truth, specs(8, 750, 0.3))
        for lanes, rate in LOADS[: 1 if pace.quick else None]:
            race = specs(lanes, rate, seconds)
            results = pace.repeat(times, follow, app, truth, race)
            per_token = tuple(size / sum(spec.tokens for spec in race) for _, size in results)
            wire = Finding("stream to the client per token", "bytes", per_token, at_most=10)
            title = f"Stamps in the app, followed by a stream client, {lanes} lanes x {rate:,.0f} tok/s"
            found = (*errors([pairs for pairs, _ in results]), wire)
            yield Section(f"{title} ({seconds:g} s, {times} x)", found)


def follow(app: AppProcess, truth: Truth, race: list[Spec]) -> tuple[list[Pair], int]:
    """One followed run: its lanes against the truth, and the bytes the follower received.

    Raises ValueError when the follower's text is not the whole text.
    """
    asked = {"base_url": truth.base_url, "models": [spec.name for spec in race]}
    run_id = json.loads(app.get("/bench/start", asked))["run"]
    address = f"ws://127.0.0.1:{app.port}/race/ws/{run_id}"
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.follower", address],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
        timeout=race[0].ttft_ms / 1000 + race[0].tokens / race[0].rate_tps + 20,
    )
    told = json.loads(done.stdout)
    whole = [letters_before(spec.tokens)[-1] for spec in race]
    if told["letters"] != whole:
        raise ValueError(f"the follower has {told['letters']} letters of {whole}")
    return app.pairs(run_id, truth), told["bytes"]
