"""Races for looking at the results: real runs of the collector against this machine's own servers, kept as files.

    python -m tests.ui.record_races FOLDER

`preview_results.py` shows them. It is no test and no benchmark.
"""

from __future__ import annotations

import secrets
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from lib.collector.client import CollectorClient
from lib.domain.codec import Row, decode_rows, encode_run
from lib.domain.events import Generation
from lib.domain.run import Backend, Limits, Mode, Origin, Params, Prompt, Run
from lib.server_process import Ready, ServerProcess

ENGLISH = "Explain to a visitor how a lighthouse was kept before electricity. About 400 words."
CODE = "Write a Python function that merges two sorted lists, with tests, and explain it."
CHINESE = "请向游客解释，在用电之前人们怎样看守灯塔。大约四百字。"


class Inbox:
    """Keeps what the collector ships."""

    def __init__(self) -> None:
        self.lanes: dict[int, list[Row]] = {}
        self.ended = threading.Event()
        self.health: dict[str, Any] = {}

    def on_view(self, run_id: str, message: bytes) -> None: ...

    def on_rows(self, run_id: str, rows: bytes) -> None:
        for lane, more in orjson.loads(rows):
            self.lanes.setdefault(lane, []).extend(more)

    def on_lane_end(self, run_id: str, lane: int) -> None: ...

    def on_end(self, run_id: str, health: dict[str, Any]) -> None:
        self.health = health
        self.ended.set()

    def on_died(self, run_ids: list[str]) -> None:
        self.ended.set()


def race(
    prompt: str, backends: list[Backend], limits: dict[int, Limits] | None = None, most: int = 512
) -> Run:
    inbox = Inbox()
    client = CollectorClient(inbox)
    client.start()
    client.ready.wait(30)
    run = Run(secrets.token_urlsafe(8), Prompt(prompt), Params(max_tokens=most), Mode.ALL_AT_ONCE, tuple(backends),
              started_at="2026-11-30T02:30:00Z")  # fmt: skip
    every = {lane: (limits or {}).get(lane, Limits(max_attempts=1)) for lane in range(len(backends))}
    client.start_run(run, {}, every)
    inbox.ended.wait(180)
    client.close()
    found = tuple(
        decode_rows(lane, inbox.lanes[lane])[-1] if lane in inbox.lanes else Generation(lane)
        for lane in range(len(backends))
    )
    return replace(run, generations=found, clock_health_ms=inbox.health.get("clock_health_ms"))


def main(folder: Path) -> None:
    simulator, local = ServerProcess("lib.simulator"), ServerProcess("lib.local_model")
    simulator.start()
    local.start()
    url = simulator.wait(30).base_url  # type: ignore[union-attr]
    state = local.wait(120)
    folder.mkdir(parents=True, exist_ok=True)

    def made(model: str, name: str, origin: Origin = Origin.SIMULATED, **extra: Any) -> Backend:
        return Backend(model, name, url, model, origin, extra_body={"simulator": extra} if extra else {})

    cloud, sol = (
        made("gpt4-tier-cloud", "GPT-4-class cloud"),
        made("gpt-5.6-sol-standard", "GPT-5.6 Sol standard"),
    )
    fast = made("gpt-5.6-sol-ultrafast", "GPT-5.6 Sol Ultrafast")
    real = made("rec-llamacpp-q4", "llama.cpp Q4_0", Origin.RECORDED)
    vllm = made("rec-vllm-sky", "vLLM bf16, sky", Origin.RECORDED)
    if isinstance(state, Ready):
        model = str(state.told["model"])
        live = Backend("smollm2", "SmolLM2 135M", state.base_url, model, extra_body={"cache_prompt": False})
    else:
        live = real
    cut = made("gpt-4o-2026", "GPT-4o, June 2026", fault="cut", after_tokens=90)
    refused = made("claude-fable-5", "Claude Fable 5", fault="rate_limit")
    broken = made("claude-sonnet-4.6", "Claude Sonnet 4.6", fault="server_error")
    thinking = made("gpt-5.6-sol-fast", "GPT-5.6 Sol Fast", thinking_tokens=160)
    stalled = made(
        "gpu-cloud-llama31-70b", "GPU cloud Llama-3.1-70B", fault="stall", after_tokens=150, stall_s=2
    )
    lumps = made("cerebras-wse3-kimi-k2.6", "Cerebras Kimi K2.6", tokens_per_chunk=8)
    stop = {2: Limits(stop_after_s=3.0, max_attempts=1)}
    races = {
        "two": race(ENGLISH, [live, fast]),
        "four": race(ENGLISH, [live, cloud, sol, fast]),
        "eight": race(ENGLISH, [live, cloud, sol, fast, vllm, cut, refused, cloud], stop),
        "mixed": race(CODE, [thinking, stalled, lumps, real]),
        "chinese": race(CHINESE, [live, cloud, sol, fast]),
        "failed": race(ENGLISH, [refused, broken]),
        "one": race(ENGLISH, [fast]),
    }
    for name, run in races.items():
        (folder / f"{name}.json").write_bytes(encode_run(run))
        sys.stderr.write(f"{name}: {[len(g.events) for g in run.generations]}\n")
    simulator.close()
    local.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
