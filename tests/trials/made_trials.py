"""Trials made by hand from a few numbers, for tests of what is said about them."""

from __future__ import annotations

from lib.domain.events import Status
from lib.domain.run import Backend, Mode, Origin, Params, Prompt
from lib.metrics.catalogue import CATALOGUE
from lib.metrics.quantity import SHORT_SAMPLE, Figure, Quantity, Unavailable
from lib.trials.plan import Condition, Plan, Turn
from lib.trials.trial import Trial

NOTHING = Unavailable("not made")


def made(
    place: int,
    round_: int,
    rate_tps: float | None = 100.0,
    *,
    ttfat_ms: float | None = 300.0,
    stall_ms: float | None = 20.0,
    starved_s: float | None = 0.0,
    status: Status = Status.COMPLETE,
    condition: Condition = Condition.COLD,
    short: bool = False,
    throttled: bool = False,
) -> Trial:
    """One trial: the rate stands for all three rates."""
    rate = _figure(rate_tps, "tok/s", (SHORT_SAMPLE,) if short else ())
    known: dict[str, Figure] = {
        "decode_tok_s": rate,
        "e2e_tok_s": rate,
        "normalised_e2e_tok_s": rate,
        "ttfat_ms": _figure(ttfat_ms, "ms"),
        "ttft_ms": _figure(ttfat_ms, "ms"),
        "starved_s": _figure(starved_s, "s"),
    }
    figures = {metric.key: known.get(metric.key, NOTHING) for metric in CATALOGUE}
    failure = "Server error" if status is Status.ERROR else ""
    stall = _figure(stall_ms, "ms")
    return Trial(Turn(round_, place), condition, status, figures, stall, failure, throttled)


def backend(name: str, origin: Origin = Origin.LIVE, url: str = "https://api.example.com/v1") -> Backend:
    return Backend(name.lower(), name, url, name.lower(), origin)


def plan(*backends: Backend, rounds: int = 3, mode: Mode = Mode.BY_BACKEND, **fields: object) -> Plan:
    fixed = {"condition": Condition.COLD, "started_at": "2026-11-30T03:20:00+00:00", "seed": 7, **fields}
    return Plan("series", Prompt("Say something."), Params(), backends, rounds, mode, **fixed)  # type: ignore[arg-type]


def _figure(value: float | None, unit: str, marks: tuple[str, ...] = ()) -> Figure:
    return NOTHING if value is None else Quantity(value, unit, marks)
