"""Synthetic races for looking at the player: pure functions from a name to numbered view messages.

Not a simulator of anything real: texts repeat, and every lane keeps its rate exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from lib.tokens import pieces

BATCH_MS = 30
SLOT_MS = 8
Message = dict[str, Any]

LIGHTHOUSE = """Before electricity, a lighthouse was a home as much as a machine. Two or three keepers lived with \
their families beside the tower, and the night was cut into watches. At dusk one of them climbed the stairs with a can \
of oil, trimmed the wick so that it burned white and even, and drew the curtains that by day had kept the sun from \
setting the room on fire through its own lens.

The lens was the heart of it. A ring of glass prisms taller than a man bent almost every ray into one flat beam, and a \
clockwork with a falling weight turned it, so that a ship's captain could tell one light from another by its rhythm. \
Every few hours the weight had to be wound up again. If the clockwork failed, the keeper turned the lens by hand until \
morning, counting the seconds aloud.

By day the work was cleaning. Soot settled on the glass, salt on the windows, and verdigris on the brass. The log book \
recorded the weather, the oil used, the ships seen, and any minute in which the light had not burned. An inspector came \
without notice, and ran a white cloth along the rails.

In fog the light was useless, and the keepers fired a small cannon, rang a bell, or fed the boiler of a steam horn for \
days on end. Supplies came by boat when the sea allowed it. Families grew vegetables in soil carried up in sacks, and \
children learned to read from the boxes of books that travelled from tower to tower.

What ended this life was not neglect but reliability. A filament does not need trimming, and a motor does not need \
winding. One by one the lamps were switched over, the clockworks stopped, and the keepers came down the stairs for the \
last time, leaving the door unlocked behind them, as the rules had always said.
"""
HARBOUR = """灯塔在通电以前，既是机器，也是家。两三位守塔人和家人住在塔边，把夜晚分成几班。黄昏时，值班的人提着油罐爬上楼梯，\
修剪灯芯，让火焰又白又稳，再拉开白天遮住阳光的窗帘，免得透镜把屋子点着。

透镜是灯塔的心脏。一圈比人还高的玻璃棱镜，把几乎每一道光都折成平直的一束；重锤带动的钟表机构让它慢慢旋转，船长凭闪光的节奏，就能认出是哪一座灯塔。\
每隔几个小时，重锤要重新摇上去。要是机构坏了，守塔人就用手推着透镜，一直数着秒，推到天亮。

白天的工作是擦洗。烟灰落在玻璃上，盐落在窗上，铜绿长在黄铜上。日志里记着天气、用油、过往的船，以及灯没有亮着的每一分钟。
"""
CODE = """Here is a small clock that never drifts:

```python
def ticks(period_ns: int, clock) -> Iterator[int]:
    \"\"\"Absolute deadlines: the error of one tick never reaches the next.\"\"\"
    start = clock()
    for n in count(1):
        deadline = start + n * period_ns
        while (rest := deadline - clock()) > 0:
            wait(rest)
        yield deadline
```

The deadline is computed from the start, so that a late tick is late once. Adding the period to the current time \
instead would carry every delay along for ever.
"""
THOUGHT = """The visitor probably stands in the lamp room. Start with the home, not the machine. Keep to about four \
hundred words, one paragraph each for the night, the lens, the day, the fog and the end. Avoid dates that I am not sure of. """


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
    """The text's o200k_base tokens; a character split over tokens belongs to the last of them, the others are empty."""
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


def _figures(plan: LanePlan, place: int | None) -> dict[str, Any]:
    failed = plan.fails_after is not None
    count = len(list(_deltas(plan)))
    return {
        "status": "error" if failed else "complete", "place": place,
        "hero": {"text": None, "unit": "tok/s", "reason": "No rate: the lane failed"} if failed or count < 16
        else {"text": f"{plan.rate_tps:.0f}" if plan.rate_tps >= 100 else f"{plan.rate_tps:.1f}", "unit": "tok/s"},
        "ttft": {"text": _duration(plan.ttft_ms)} if count else {"text": None, "reason": "No text came"},
        "ttfat": {"text": _duration(plan.ttft_ms + plan.thinking_tokens * 1000 / plan.rate_tps)},
        "tokens": {"text": f"{count:,}", "source": "usage"}, "elapsed": {"text": _duration(_end_ms(plan))},
        "cost": {"text": plan.cost} if plan.cost else {"text": "not publ.", "reason": "The price is not published"},
        "tokens_total": count, "human_done": {"text": None, "s": None}, "failure": FAILURE if failed else None,
        "warnings": [] if count else [["empty_answer", "No answer text came."]],
    }  # fmt: skip


def _rows(plans: list[LanePlan]) -> list[tuple[float, int, tuple[Any, ...]]]:
    """Everything that happens, by time: ("d", channel, text), ("e", name, ...) or ("f", figures)."""
    rows: list[tuple[float, int, tuple[Any, ...]]] = []
    complete = sorted((i for i, p in enumerate(plans) if p.fails_after is None), key=lambda i: _end_ms(plans[i]))
    for lane, plan in enumerate(plans):
        rows += [(20 + lane, lane, ("e", "attempt", 1)), (21 + lane, lane, ("e", "connected", None))]
        rows += [(22 + lane, lane, ("e", "sent"))]
        rows += [(22 + lane + t, lane, ("d", channel, text)) for t, channel, text in _deltas(plan)]
        end = 22 + lane + _end_ms(plan)
        if plan.fails_after is not None:
            rows.append((end, lane, ("e", "error", FAILURE)))
        rows.append((end, lane, ("e", "end", "complete" if plan.fails_after is None else "error")))
        place = complete.index(lane) + 1 if lane in complete else None
        rows.append((end + 60, lane, ("f", _figures(plan, place))))
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
    made.append({"now": round(now + 90), "result": {"verdict": _verdict(plans)}})
    return made


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
        [f"{best.name} had finished in {_duration(_end_ms(best))}; a person needs ", ""], ["1 min 41 s", "reader"],
        [" to read it. For a reader all are fast enough; for an agent the fastest is 13.2× the next.", ""],
    ]  # fmt: skip


_SMOL = LanePlan("SmolLM2 135M", "live", "135M model on this machine", 198, 88, 512, cost="$0")
_CLOUD = LanePlan("GPT-4-class cloud", "simulated", "", 604, 40)
_SOL = LanePlan("GPT-5.6 Sol standard", "simulated", "", 897, 53)
_ULTRA = LanePlan("GPT-5.6 Sol Ultrafast", "simulated", "", 301, 750, cost=None)
_FAST = [LanePlan(f"Backend {n}", "simulated", "", 200 + 40 * n, 750, 16_000) for n in range(1, 9)]

SCENARIOS: dict[str, list[LanePlan]] = {
    "two": [_SMOL, _ULTRA],
    "three": [_SMOL, _CLOUD, _ULTRA],
    "four": [_SMOL, _CLOUD, _SOL, _ULTRA],
    "eight": [_SMOL, _CLOUD, _SOL, _ULTRA,
              LanePlan("llama.cpp Q4_0 recorded", "recorded", "llama.cpp b6700, 2026-11-20, 2 cores", 420, 61, 380),
              LanePlan("vLLM recorded", "recorded", "vLLM 0.12", 95, 132, 600),
              LanePlan("A very long backend name that cannot fit", "live", "a note that is also much too long", 1500, 24, 260),
              LanePlan("Batch tier", "simulated", "", 2600, 310, 700)],
    "failure": [_SMOL, LanePlan("GPT-4-class cloud", "simulated", "", 604, 40, fails_after=90),
                LanePlan("Nobody home", "live", "", 400, 50, fails_after=0), _ULTRA],
    "thinking": [LanePlan("Thinker", "live", "local", 350, 95, 420, thinking_tokens=260),
                 LanePlan("Fast thinker", "simulated", "", 300, 750, 520, thinking_tokens=900), _CLOUD,
                 LanePlan("Coder", "simulated", "", 250, 120, 300, CODE, tool='look_up({"place": "lamp room", "year": 1870})')],
    "chinese": [LanePlan("本机小模型", "live", "本机 135M", 198, 88, 300, HARBOUR), LanePlan("GPT-4-class cloud", "simulated", "", 604, 40, 300, HARBOUR),
                LanePlan("Sol standard", "simulated", "", 897, 53, 300, HARBOUR), LanePlan("Sol Ultrafast", "simulated", "", 301, 750, 300, HARBOUR)],
    "empty": [_SMOL, LanePlan("Says nothing", "live", "", 700, 50, 0), LanePlan("Slow", "simulated", "", 9000, 30, 60)],
    "eight750": _FAST,
    "four3000": [LanePlan(f"Backend {n}", "simulated", "", 200 + 40 * n, 3000, 36_000) for n in range(1, 5)],
}  # fmt: skip
