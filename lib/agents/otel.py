"""OpenTelemetry GenAI spans as a trace: a tolerant reader of exported spans (OTLP JSON, or one span per line).

A call is a span with `gen_ai.operation.name` chat, text_completion or generate_content (or with output tokens and
no other operation); a tool is one with operation execute_tool or a `gen_ai.tool.name`. Tools that follow a call,
before the next one, are its tools. Names by the semantic conventions for generative AI
(opentelemetry.io/docs/specs/semconv/gen-ai), older ones (`prompt_tokens`, `completion_tokens`) included.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from lib.agents.trace import MOST_BYTES, MOST_STEPS, Step, Trace, TraceError, read_trace
from lib.i18n import _

_CALLS = ("chat", "text_completion", "generate_content")
_INPUT = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")
_OUTPUT = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")
_MOST_TOKENS = 100_000
_MOST_NS = 1e20
_AMBIGUOUS = 1e14  # a larger number cannot be meant as seconds
_DAY_S = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class _Span:
    start_s: float
    seconds: float
    attributes: Mapping[str, Any]

    def count(self, names: tuple[str, ...]) -> int | None:
        found = next((self.attributes[name] for name in names if name in self.attributes), None)
        try:
            return max(0, min(int(float(found)), _MOST_TOKENS)) if found is not None else None
        except (TypeError, ValueError, OverflowError):
            return None

    @property
    def tool(self) -> str | None:
        name = self.attributes.get("gen_ai.tool.name")
        if self.attributes.get("gen_ai.operation.name") == "execute_tool":
            return _on_one_line(name) or _("tool")
        return _on_one_line(name) or None

    @property
    def is_call(self) -> bool:
        operation = self.attributes.get("gen_ai.operation.name")
        return operation in _CALLS or (operation is None and self.count(_OUTPUT) is not None)


def read_any(data: bytes) -> Trace:
    """A trace of this product, or spans made into one. Raises TraceError."""
    return read_spans(data) if b"gen_ai." in data and not _is_trace(data) else read_trace(data)


def read_spans(data: bytes) -> Trace:
    """The trace that these spans tell. Raises TraceError when no call is among them."""
    if len(data) > MOST_BYTES:
        raise TraceError(_("The file is larger than any trace (8 MiB)."))
    spans = sorted(_spans(data), key=lambda span: span.start_s)
    calls = [span for span in spans if span.is_call and span.tool is None]
    if not calls:
        raise TraceError(_("No call to a model is among these spans (none has gen_ai.operation.name chat)."))
    if len(calls) > MOST_STEPS:
        raise TraceError(_("These spans hold more calls than a trace has steps ({most}).").format(most=MOST_STEPS))
    ends = [*(call.start_s for call in calls[1:]), float("inf")]
    groups = [
        [span for span in spans if span.tool is not None and call.start_s <= span.start_s < end]
        for call, end in zip(calls, ends, strict=True)
    ]
    return Trace(_("imported spans"), "", tuple(_steps(calls, groups)), source="OpenTelemetry")


def _is_trace(data: bytes) -> bool:
    """Whether the first line is one of ours: its texts may speak of spans."""
    try:
        first = orjson.loads(data.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0])
    except orjson.JSONDecodeError:
        return False
    return isinstance(first, dict) and not {"trace", "output_tokens"}.isdisjoint(first)


def _on_one_line(name: Any) -> str:
    return " ".join(str(name or "").split())[:60]


def _steps(calls: list[_Span], groups: list[list[_Span]]) -> Iterator[Step]:
    """What a call's input has beyond the one before it and its answer came from the tool, or was new."""
    before = 0
    inputs = [call.count(_INPUT) or 0 for call in calls]
    for place, (call, tools) in enumerate(zip(calls, groups, strict=True)):
        output = max(1, call.count(_OUTPUT) or 1)
        following = inputs[place + 1] if place + 1 < len(inputs) else 0
        result = max(0, following - inputs[place] - output) if tools else 0
        yield Step(
            output_tokens=output,
            prompt_tokens=max(0, inputs[place] - before),
            tool=" + ".join(dict.fromkeys(str(tool.tool) for tool in tools))[:60] or "none",
            tool_s=min(_DAY_S, _covered_s(tools)),
            tool_tokens=min(result, _MOST_TOKENS),
        )
        before = inputs[place] + output + result


def _covered_s(spans: list[_Span]) -> float:
    """Seconds in which at least one of these spans ran: tools in parallel are not waited for twice."""
    total = reached = 0.0
    for span in spans:
        end = span.start_s + span.seconds
        total += max(0.0, end - max(span.start_s, reached))
        reached = max(reached, end)
    return round(total, 6)


def _spans(data: bytes) -> Iterator[_Span]:
    try:
        documents = [orjson.loads(data)]
    except orjson.JSONDecodeError:
        documents = [_line(n, line) for n, line in enumerate(data.splitlines(), 1) if line.strip()]
    for document in documents:
        yield from _inside(document)


def _line(number: int, line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise TraceError(_("Line {n}: this is not JSON ({why}).").format(n=number, why=error)) from error


def _inside(value: Any) -> Iterator[_Span]:
    """Every span of a document, wherever it is nested (resourceSpans, scopeSpans, lists)."""
    if isinstance(value, list):
        for one in value:
            yield from _inside(one)
    elif isinstance(value, Mapping):
        span = _span(value)
        if span is not None:
            yield span
        for name, inner in value.items():
            if isinstance(inner, list | Mapping) and name not in ("attributes", "events", "links"):
                yield from _inside(inner)


def _span(value: Mapping[str, Any]) -> _Span | None:
    start, end = _moment_s(value, "start"), _moment_s(value, "end")
    attributes = _attributes(value.get("attributes"))
    if start is None or end is None or not any(name.startswith("gen_ai.") for name in attributes):
        return None
    return _Span(start, max(0.0, end - start), attributes)


def _first(value: Mapping[str, Any], *names: str) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _moment_s(span: Mapping[str, Any], which: str) -> float | None:
    """When a span starts or ends: what is named nanoseconds is that, whatever its size."""
    nanoseconds = _first(span, f"{which}TimeUnixNano", f"{which}_time_unix_nano")
    if nanoseconds is None:
        return _seconds(_first(span, f"{which}_time", f"{which}Time"))
    try:
        number = float(nanoseconds)
    except (TypeError, ValueError):
        return _seconds(nanoseconds)
    return number / 1e9 if 0 <= number < _MOST_NS else None


def _seconds(value: Any) -> float | None:
    """A moment in seconds: nanoseconds since 1970 as number or text, seconds, or ISO 8601."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        try:
            return datetime.fromisoformat(str(value)).timestamp()
        except ValueError:
            return None
    if not 0 <= number < _MOST_NS:
        return None
    return number / 1e9 if number > _AMBIGUOUS else number


def _attributes(value: Any) -> dict[str, Any]:
    """A plain object, or OTLP's list of `{key, value: {intValue}}`."""
    if isinstance(value, Mapping):
        return dict(value)
    found = {}
    for one in value if isinstance(value, list) else ():
        if isinstance(one, Mapping) and isinstance(one.get("key"), str):
            inner = one.get("value")
            found[one["key"]] = next(iter(inner.values()), None) if isinstance(inner, Mapping) else inner
    return found
