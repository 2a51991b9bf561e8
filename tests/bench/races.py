"""The same race run by a client in a process of its own: bare sockets, or the stock SDK in a busy process."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

from tests.bench.accuracy import Pair, Stamped, match
from tests.bench.truth import ROOT, Truth
from tests.bench.truth_content import Spec


def specs(lanes: int, rate_tps: float, seconds: float, ttft_ms: float = 200) -> list[Spec]:
    """One stream per lane, one token per chunk, alike but for the label."""
    one = Spec(ttft_ms=ttft_ms, rate_tps=rate_tps, tokens=max(2, round(rate_tps * seconds)))
    return [replace(one, label=lane + 1) for lane in range(lanes)]


def raced_by(module: str, truth: Truth, race: list[Spec], *options: str) -> list[Pair]:
    """Run `python -m tests.bench.<module>` on this race and hold its stamps against the truth."""
    command = [sys.executable, "-m", f"tests.bench.{module}", "--port", str(truth.port), *options]
    command += ["--models", *(spec.name for spec in race)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, timeout=120)
    seen = [json.loads(row) for row in done.stdout.splitlines()]
    lanes = [Stamped(row["model"], row["sent_ns"], tuple(row["stamps_ns"])) for row in seen]
    return match(lanes, truth.wait_for(len(race)))
