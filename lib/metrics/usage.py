"""What the server says it counted, from all the shapes servers use, made one.

The last figure seen of each kind counts: never a sum, and null never overwrites. Completion 0 beside text
means "not reported". Reasoning is inside `completion_tokens` unless total = prompt + completion +
reasoning. Nothing is estimated here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from lib.domain import events as ev

_Reports = list[tuple[int, Mapping[str, Any]]]
_Paths = tuple[tuple[str, ...], ...]

_PROMPT = (("prompt_tokens",), ("input_tokens",))
_OUTPUT = (("completion_tokens",), ("output_tokens",))
_TOTAL = (("total_tokens",),)
_REASONING = (
    ("completion_tokens_details", "reasoning_tokens"),
    ("output_tokens_details", "reasoning_tokens"),
    ("reasoning_tokens",),
)
_CACHED = (
    ("prompt_tokens_details", "cached_tokens"),
    ("input_tokens_details", "cached_tokens"),
    ("prompt_cache_hit_tokens",),
    ("cached_tokens",),
)


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts by the server, None if not reported. `output` includes reasoning and is what is billed."""

    prompt: int | None = None
    output: int | None = None
    reasoning: int | None = None
    cached: int | None = None
    total: int | None = None
    inconsistent: str = ""  # what contradicts what, in a few words
    running: tuple[tuple[int, int], ...] = ()  # (read, output so far), when sent with every chunk

    @property
    def beside_reasoning(self) -> int | None:
        """Output tokens that are not reasoning; never negative."""
        return None if self.output is None else max(0, self.output - (self.reasoning or 0))


def usage(events: Iterable[ev.Event], *, has_text: bool) -> Usage:
    """The server's counts in one shape."""
    reports = list(_reports(events))
    prompt, total = _latest(reports, _PROMPT, least=1), _latest(reports, _TOTAL, least=1)
    reasoning, cached = _latest(reports, _REASONING), _latest(reports, _CACHED)
    completion = _latest(reports, _OUTPUT, least=1 if has_text else 0)
    outside = _reasoning_is_outside(prompt, completion, reasoning, total)
    output = completion + (reasoning or 0) if outside and completion is not None else completion
    return Usage(
        prompt=prompt,
        output=output,
        reasoning=reasoning,
        cached=cached,
        total=total,
        inconsistent=_contradiction(prompt, output, reasoning, cached, total) or _shrinks(reports),
        running=_running(reports),
    )


def _reports(events: Iterable[ev.Event]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """(read, usage object) in order; a server report that carries a usage counts as one."""
    for event in events:
        if isinstance(event, ev.Usage):
            yield event.read, event.values
        elif isinstance(event, ev.ServerReport):
            inner = event.values.get("x_groq", event.values)
            nested = inner.get("usage") if isinstance(inner, Mapping) else None
            if isinstance(nested, Mapping):
                yield -1, nested


def _latest(reports: _Reports, paths: _Paths, least: int = 0) -> int | None:
    found = (_at(values, path) for _read, values in reversed(reports) for path in paths)
    return next((count for count in found if count is not None and count >= least), None)


def _at(values: Mapping[str, Any], path: tuple[str, ...]) -> int | None:
    found: Any = values
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return int(found) if 0 <= found < 2**53 and found == int(found) else None


def _reasoning_is_outside(
    prompt: int | None, completion: int | None, reasoning: int | None, total: int | None
) -> bool:
    if not reasoning or total is None or completion is None:
        return False
    return total == (prompt or 0) + completion + reasoning


def _contradiction(
    prompt: int | None, output: int | None, reasoning: int | None, cached: int | None, total: int | None
) -> str:
    if output is not None and (reasoning or 0) > output:
        return f"reasoning {reasoning} > output {output}"
    if prompt is not None and (cached or 0) > prompt:
        return f"cached {cached} > prompt {prompt}"
    if total and prompt is not None and output is not None and total != prompt + output:
        return f"total {total} is not {prompt} + {output}"
    return ""


def _shrinks(reports: _Reports) -> str:
    counts = [c for c in (_latest([report], _OUTPUT, least=1) for report in reports) if c is not None]
    fell = any(later < earlier for earlier, later in pairwise(counts))
    return "the running total shrinks" if fell else ""


def _running(reports: _Reports) -> tuple[tuple[int, int], ...]:
    """The running totals, when there are several that grow; a single final usage is not one."""
    counts = [(read, _latest([(read, values)], _OUTPUT, least=1)) for read, values in reports]
    known = tuple((read, count) for read, count in counts if count is not None and read >= 0)
    return known if len({count for _read, count in known}) > 1 else ()
