"""Ghost lanes: a simulated lane of any speed beside a live race, always badged simulated.

It is a request to the simulator with its own wishes; nothing here sends it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lib import numbers
from lib.domain.run import Backend, Origin
from lib.i18n import _

MOST_TPS = 100_000.0
MOST_TTFT_MS = 3_600_000.0


def ghost_backend(
    simulated: Backend, *, rate_tps: float, ttft_ms: float, jitter: float = 0.0, tokens: int | None = None
) -> Backend:
    """A lane like `simulated` (any simulated backend) with this decode rate and TTFT, one token per chunk.

    `jitter` is the variation coefficient of the gaps; `tokens` None lets the text decide the length. Raises
    ValueError outside 0.01 to 100,000 tok/s and 0 to 3,600,000 ms.
    """
    if not 0.01 <= rate_tps <= MOST_TPS or not 0 <= ttft_ms <= MOST_TTFT_MS:
        raise ValueError(f"no ghost of {rate_tps} tok/s and {ttft_ms} ms")
    wish: dict[str, Any] = {"tok_s": rate_tps, "ttft_ms": ttft_ms, "jitter_cv": jitter, "tokens_per_chunk": 1}
    if tokens is not None:
        wish["tokens"] = tokens
    name = _("Ghost {rate}").format(rate=numbers.rate(rate_tps))
    note = _("ghost lane, TTFT {time}").format(time=numbers.milliseconds(ttft_ms))
    return replace(
        simulated,
        id=f"ghost-{rate_tps:g}-{ttft_ms:g}",
        name=name,
        note=note,
        origin=Origin.SIMULATED,
        prices=None,
        extra_body={**simulated.extra_body, "simulator": wish},
    )
