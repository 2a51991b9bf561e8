"""One text at several speeds as a recording: no server, no clock; every token stands at its computed moment.

The stage plays it like any other recording. Lanes are marked simulated and speak for no model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from decimal import Decimal

from lib import numbers
from lib.domain import events as ev
from lib.domain.run import Backend, Mode, Origin, Params, Prices, Prompt, Run
from lib.i18n import _
from lib.meaning.spans import Span, spans_of
from lib.tokens import DEFAULT_ENCODING, encode, pieces

SPEEDS_TPS = (5.0, 20.0, 60.0, 300.0, 750.0, 3000.0)
FEWEST_TOKENS = 400  # at 3,000 tok/s shorter texts are over before a rate can be told
MOST_TOKENS = 2000  # six and a half minutes at 5 tok/s
_NS_PER_S = 1_000_000_000


def spoken(text: str, encoding: str = DEFAULT_ENCODING) -> tuple[Span, ...]:
    """What the lanes say: the text, again and again until it has `FEWEST_TOKENS`, cut at `MOST_TOKENS`.

    Raises TokenizerError.
    """
    once = len(encode(text + "\n\n", encoding))
    rounds = -(-FEWEST_TOKENS // max(1, once))
    said = "\n\n".join([text] * rounds) if rounds > 1 else text
    return tuple(spans_of(pieces(said, encoding)[:MOST_TOKENS]))


def feel_run(
    text: str, encoding: str = DEFAULT_ENCODING, speeds_tps: Sequence[float] = SPEEDS_TPS
) -> Run:
    """The text at each of these speeds; token k of a lane stands at k / (tok/s), counted from the request.

    Raises TokenizerError.
    """
    said = spoken(text, encoding)
    mark = hashlib.sha256(f"{encoding}\n{speeds_tps}\n{text}".encode(errors="replace")).hexdigest()[:16]
    return Run(
        id=f"feel-{mark}",
        prompt=Prompt(text),
        params=Params(max_tokens=None),
        mode=Mode.ALL_AT_ONCE,
        backends=feel_backends(speeds_tps),
        generations=tuple(_generation(lane, tps, said) for lane, tps in enumerate(speeds_tps)),
    )


def feel_backends(speeds_tps: Sequence[float] = SPEEDS_TPS) -> tuple[Backend, ...]:
    """The lanes of these speeds, whatever the text."""
    return tuple(_backend(tps) for tps in speeds_tps)


def _backend(tps: float) -> Backend:
    note = _("computed, no model")
    written = numbers.whole if tps.is_integer() else numbers.plain
    name = _("{rate} tok/s").format(rate=written(tps))
    free = Prices(Decimal(0), Decimal(0), source=note)
    return Backend(f"feel-{tps:g}", name, "", "", Origin.SIMULATED, note, free)


def _generation(lane: int, tps: float, said: Sequence[Span]) -> ev.Generation:
    events: list[ev.Event] = [ev.Attempt(0, 1), ev.Connected(0, None), ev.Sent(0), ev.Headers(0, 200)]
    tokens = 0
    for place, span in enumerate(said):
        tokens += span.tokens
        events.append(ev.Delta(_moment_ns(tokens, tps), ev.Channel.ANSWER, span.text, place, tokens=span.tokens))
    end_ns = _moment_ns(tokens, tps)
    usage = {"prompt_tokens": 1, "completion_tokens": tokens, "total_tokens": tokens + 1}  # 0 means "not told"
    events += [ev.Usage(end_ns, usage, len(said)), ev.Finish(end_ns, "stop"), ev.Done(end_ns)]
    return ev.Generation(lane, (*events, ev.Ended(end_ns, ev.Status.COMPLETE)))


def _moment_ns(tokens: int, tps: float) -> int:
    return round(tokens * _NS_PER_S / tps)
