"""Synthetic races for looking at the player: pure functions from a name to numbered view messages.

Not a simulator of anything real: texts repeat, and every lane keeps its rate exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from lib.tokens import pieces

BATCH_MS = 30
SLOT_MS = 8
Message = dict[str, Any]

_TEXTS = Path(__file__).parent / "texts"
LIGHTHOUSE, HARBOUR, CODE, THOUGHT = (
    (_TEXTS / name).read_text("utf-8")
    for name in ("lighthouse.md", "lighthouse.zh.md", "code.md", "thought.md")
)


@dataclass(frozen=True, slots=True)
class LanePlan:
    """One lane: when it starts to speak, how fast, how much, and how it ends."""

    name: str
    origin: str
    note: str
    ttft_ms: float
    rate_tps: float
    tokens: int = 520
    text: str = LIGHTHOUSE
    thinking_tokens: int = 0
    cost: str | None = "$0.0161"
    fails_after: int | None = None
    tool: str = ""


@cache
def _pieces(text: str) -> tuple[str, ...]:
    """The text's o200k_base tokens; a character split over tokens belongs to the last of them."""
    found: list[str] = []
    rest = b""
    for piece in pieces(text):
        rest += piece
        try:
            found.append(rest.decode())
            rest = b""
        except UnicodeDecodeError:
            found.append("")
    return tuple(found)


def _tokens(text: str, count: int) -> list[str]:
    once = _pieces(text)
    return [once[i % len(once)] for i in range(count)]


def _deltas(plan: LanePlan) -> Iterator[tuple[float, str, str]]:
    parts = [("r", token) for token in _tokens(THOUGHT, plan.thinking_tokens)]
    answer = _tokens(plan.text, plan.tokens)[: plan.fails_after]
    parts += [("a", token) for token in answer]
    parts += [("t", token) for token in _pieces(plan.tool)]
    for index, (channel, token) in enumerate(parts):
        yield plan.ttft_ms + index * 1000 / plan.rate_tps, channel, token


FAILURE = {
    "title": "Connection cut", "sentence": "The connection broke before the answer was complete.",
    "advice": "Retry; the text so far is kept. The provider may bill both.", "retry_helps": True,
    "message": "Connection reset by peer", "http_status": None,
}  # fmt: skip


def _end_ms(plan: LanePlan) -> float:
    times = [t for t, _, _ in _deltas(plan)]
    return (times[-1] if times else plan.ttft_ms) + 4


def _duration(ms: float) -> str:
    if ms < 1000:
        return f"{ms:.0f} ms"
    return f"{ms / 1000:.1f} s" if ms < 60_000 else f"{int(ms // 60000)} min {int(ms % 60000 / 1000)} s"


def _figures(plan: LanePlan) -> dict[str, Any]:
    failed = plan.fails_after is not None
    count = len(list(_deltas(plan)))
    return {
        "status": "error" if failed else "complete", "place": None,
        "hero": {"text": None, "unit": "tok/s", "reason": "No rate: the lane failed"} if failed or count < 16
        else {"text": format(plan.rate_tps, ".0f" if plan.rate_tps >= 100 else ".1f"), "unit": "tok/s"},
        "ttft": {"text": _duration(plan.ttft_ms)} if count else {"text": None, "reason": "No text came"},
        "ttfat": {"text": _duration(plan.ttft_ms + plan.thinking_tokens * 1000 / plan.rate_tps)},
        "tokens": {"text": f"{count:,}", "source": "usage"}, "elapsed": {"text": _duration(_end_ms(plan))},
        "cost": {"text": plan.cost} if plan.cost else {"text": "not publ.", "reason": "Price not published"},
        "tokens_total": count, "human_done": {"text": None, "s": None},
        "failure": FAILURE if failed else None,
        "warnings": [] if count else [["empty_answer", "No answer text came."]],
    }  # fmt: skip


def _rows(plans: list[LanePlan]) -> list[tuple[float, int, tuple[Any, ...]]]:
    """Everything that happens, by time: ("d", channel, text), ("e", name, ...) or ("f", figures)."""
    rows: list[tuple[float, int, tuple[Any, ...]]] = []
    for lane, plan in enumerate(plans):
        rows += [(20 + lane, lane, ("e", "attempt", 1)), (21 + lane, lane, ("e", "connected", None))]
        rows += [(22 + lane, lane, ("e", "sent"))]
        rows += [(22 + lane + t, lane, ("d", channel, text)) for t, channel, text in _deltas(plan)]
        end = 22 + lane + _end_ms(plan)
        if plan.fails_after is not None:
            rows.append((end, lane, ("e", "error", FAILURE)))
        rows.append((end, lane, ("e", "end", "complete" if plan.fails_after is None else "error")))
        rows.append((end + 60, lane, ("f", _figures(plan))))
    return sorted(rows, key=lambda row: row[0])


def messages(name: str) -> list[Message]:
    """The whole race as view messages; message i is due at its `now` (ms)."""
    plans = SCENARIOS[name]
    lanes = [{"name": p.name, "model": p.name, "origin": p.origin, "note": p.note} for p in plans]
    made: list[Message] = [{"now": 0, "run": {"id": name, "lanes": lanes}}]
    pending = _rows(plans)
    now, taken = 0.0, 0
    while taken < len(pending):
        now += BATCH_MS
        upto = taken
        while upto < len(pending) and pending[upto][0] <= now:
            upto += 1
        if upto > taken:
            made.append(_message(round(now), pending[taken:upto]))
        taken = upto
    made.append({"now": round(now + 90), "result": {"verdict": _verdict(plans), "places": _places(plans)}})
    return made


def _places(plans: list[LanePlan]) -> list[int | None]:
    complete = [i for i, plan in enumerate(plans) if plan.fails_after is None]
    order = sorted(complete, key=lambda i: _end_ms(plans[i]))
    return [order.index(i) + 1 if i in order else None for i in range(len(plans))]


def _message(now: int, rows: list[tuple[float, int, tuple[Any, ...]]]) -> Message:
    message: Message = {"now": now}
    slots: dict[tuple[int, str], list[Any]] = {}
    for t, lane, (kind, *values) in rows:
        if kind == "e":
            message.setdefault("e", []).append([lane, round(t), *values])
        elif kind == "f":
            message.setdefault("f", []).append([lane, *values])
        else:
            channel, text = values
            pairs = slots.setdefault((lane, channel), [])
            if not text:
                continue
            if pairs and t - pairs[-1][0] < SLOT_MS:
                pairs[-1][1] += text
            else:
                pairs.append([round(t), text])
    if slots:
        message["d"] = [[lane, channel, _differences(pairs)] for (lane, channel), pairs in slots.items()]
    return message


def _differences(pairs: list[Any]) -> list[Any]:
    flat: list[Any] = []
    before = 0
    for t, text in pairs:
        flat += [t - before, text]
        before = t
    return flat


def _verdict(plans: list[LanePlan]) -> list[list[str]]:
    best = min((p for p in plans if p.fails_after is None), key=_end_ms)
    return [
        [f"{best.name} had finished in {_duration(_end_ms(best))}; a person needs ", ""],
        ["1 min 41 s", "reader"],
        [" to read it. For a reader all are fast enough; for an agent the fastest is 13.2× the next.", ""],
    ]  # fmt: skip


_SMOL = LanePlan("SmolLM2 135M", "live", "135M model on this machine", 198, 88, 512, cost="$0")
_CLOUD = LanePlan("GPT-4-class cloud", "simulated", "", 604, 40)
_SOL = LanePlan("GPT-5.6 Sol standard", "simulated", "", 897, 53)
_ULTRA = LanePlan("GPT-5.6 Sol Ultrafast", "simulated", "", 301, 750, cost=None)
_FAST = [LanePlan(f"Backend {n}", "simulated", "", 200 + 40 * n, 750, 16_000) for n in range(1, 9)]

_CUT = replace(_CLOUD, fails_after=90)
_NOBODY = LanePlan("Nobody home", "live", "", 400, 50, fails_after=0)
_LLAMA = LanePlan("llama.cpp Q4_0 recorded", "recorded", "llama.cpp b6700, 2026-11-20, 2 cores", 420, 61, 380)
_VLLM = LanePlan("vLLM recorded", "recorded", "vLLM 0.12", 95, 132, 600)
_LONG = LanePlan(
    "A very long backend name that cannot fit", "live", "a note also much too long", 1500, 24, 260
)
_BATCH = LanePlan("Batch tier", "simulated", "", 2600, 310, 700)
_THINKER = LanePlan("Thinker", "live", "local", 350, 95, 420, thinking_tokens=260)
_FAST_THINKER = LanePlan("Fast thinker", "simulated", "", 300, 750, 520, thinking_tokens=900)
_CALL = 'look_up({"place": "lamp room", "year": 1870})'
_CODER = LanePlan("Coder", "simulated", "", 250, 120, 300, CODE, tool=_CALL)
_SILENT = LanePlan("Says nothing", "live", "", 700, 50, 0)
_SLOW = LanePlan("Slow", "simulated", "", 9000, 30, 60)

SCENARIOS: dict[str, list[LanePlan]] = {
    "two": [_SMOL, _ULTRA],
    "three": [_SMOL, _CLOUD, _ULTRA],
    "four": [_SMOL, _CLOUD, _SOL, _ULTRA],
    "eight": [_SMOL, _CLOUD, _SOL, _ULTRA, _LLAMA, _VLLM, _LONG, _BATCH],
    "failure": [_SMOL, _CUT, _NOBODY, _ULTRA],
    "thinking": [_THINKER, _FAST_THINKER, _CLOUD, _CODER],
    "chinese": [replace(lane, tokens=300, text=HARBOUR) for lane in (_SMOL, _CLOUD, _SOL, _ULTRA)],
    "empty": [_SMOL, _SILENT, _SLOW],
    "eight750": _FAST,
    "four3000": [LanePlan(f"Backend {n}", "simulated", "", 200 + 40 * n, 3000, 36_000) for n in range(1, 5)],
}
