"""Ghost lanes: a simulated backend of any speed, named by its id, so that line-ups, acts and links can hold one.

An id is `ghost:TOK_S` or `ghost:TOK_S:TTFT_MS`, such as `ghost:750:120`. A ghost speaks for no provider and no
model: the simulator says its text at that speed, and its lane is marked simulated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from lib import numbers
from lib.domain.run import Backend, Origin
from lib.i18n import _

PREFIX = "ghost:"
DEFAULT_TTFT_MS = 300.0
SLOWEST_TOK_S, FASTEST_TOK_S = 0.1, 20_000.0
LONGEST_TTFT_MS = 600_000.0
MOST_CHUNKS_S = 500  # a faster ghost says several tokens in a chunk


class GhostError(ValueError):
    """The text names no ghost; the message says which form it must have."""


@dataclass(frozen=True, slots=True)
class Ghost:
    """How fast a ghost speaks: tokens per second while it speaks, and milliseconds until it begins."""

    tok_s: float
    ttft_ms: float = DEFAULT_TTFT_MS

    @property
    def id(self) -> str:
        """The text by which line-ups and links name it."""
        return f"{PREFIX}{self.tok_s:g}:{self.ttft_ms:g}"


def is_ghost(id_: str) -> bool:
    """Whether a backend's id means a ghost, a right or a wrong one."""
    return id_.startswith(PREFIX)


def ghost(id_: str) -> Ghost:
    """The ghost of an id. Raises GhostError."""
    told = _('"{id}" is no ghost: write ghost:TOKENS_PER_SECOND:TTFT_MS, such as ghost:750:120 '
             "(0.1 to 20000 tok/s, 0 to 600000 ms)").format(id=id_[:60])  # fmt: skip
    try:
        parts = [float(part) for part in id_.removeprefix(PREFIX).split(":")]
    except ValueError as error:
        raise GhostError(told) from error
    if not is_ghost(id_) or len(parts) > 2 or not all(map(math.isfinite, parts)):
        raise GhostError(told)
    found = Ghost(*parts)
    if not (SLOWEST_TOK_S <= found.tok_s <= FASTEST_TOK_S and 0 <= found.ttft_ms <= LONGEST_TTFT_MS):
        raise GhostError(told)
    return found


def backend_of(found: Ghost, base_url: str, model: str) -> Backend:
    """The ghost as a backend of the simulator at `base_url`; `model` is any profile, of which nothing is used."""
    wish = {
        "tok_s": found.tok_s, "ttft_ms": found.ttft_ms, "jitter_cv": 0, "thinking_tokens": 0,
        "tokens_per_chunk": max(1, math.ceil(found.tok_s / MOST_CHUNKS_S)),
    }  # fmt: skip
    written = numbers.whole if found.tok_s.is_integer() else numbers.plain
    name = _("{rate} tok/s ghost").format(rate=written(found.tok_s))
    note = _("no model: a speed, first token after {time}").format(time=numbers.milliseconds(found.ttft_ms))
    return Backend(found.id, name, base_url, model, Origin.SIMULATED, note, extra_body={"simulator": wish})
