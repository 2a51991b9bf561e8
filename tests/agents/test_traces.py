"""Traces: read, written, refused with the line named; spans of OpenTelemetry made into one."""

from __future__ import annotations

import orjson
import pytest

from lib import tokens
from lib.agents import otel, tools
from lib.agents.trace import Step, TraceError, read_trace, samples, write_trace
from lib.agents.worth import Setting

GOOD = b'{"trace": "T", "task": "Do it", "setting": "batch"}\n{"output_tokens": 40, "tool": "search", "tool_s": 1.5}\n'


def test_a_trace_is_read_as_it_is_written() -> None:
    trace = read_trace(GOOD)
    assert (trace.name, trace.task, trace.setting) == ("T", "Do it", Setting.BATCH)
    assert trace.steps == (Step(40, tool="search", tool_s=1.5),)
    assert read_trace(write_trace(trace)) == trace


@pytest.mark.parametrize("name", ["coding-task", "incident-response", "overnight-batch", "research", "voice-turn"])
def test_every_sample_can_be_read_written_and_names_its_source(name: str) -> None:
    trace = samples()[name]
    assert read_trace(write_trace(trace)) == trace
    assert trace.source
    assert trace.task


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"{", "not JSON"), (b"[1]", "JSON object"), (b"{}", "output_tokens is missing"),
        (b'{"output_tokens": 0}', "from 1 to"), (b'{"output_tokens": 1.5}', "whole number"),
        (b'{"output_tokens": true}', "whole number"), (b'{"output_tokens": 1, "tool_s": -1}', "tool_s"),
        (b'{"output_tokens": 1, "tool_s": "2"}', "seconds"), (b'{"output_tokens": 1, "wait": 2}', "no field wait"),
        (b'{"output_tokens": 1, "prompt": 7}', "prompt must be a text"), (b'{"output_tokens": 1, "tool": ""}', "tool"),
        (b'{"output_tokens": 1, "review_s": 1e9}', "review_s"),
        (b'{"output_tokens": 1, "tool": "two\\nlines"}', "tool must be a short name on one line"),
    ],
)  # fmt: skip
def test_a_fault_names_its_line(line: bytes, told: str) -> None:
    with pytest.raises(TraceError, match=rf"^Line 4: .*{told}"):
        read_trace(GOOD + b"\n" + line)


@pytest.mark.parametrize("data", [b"", b"\n \n", b'{"trace": "only a head"}\n'])
def test_a_file_without_a_step_is_refused(data: bytes) -> None:
    with pytest.raises(TraceError):
        read_trace(data)


def test_a_name_that_would_fill_the_page_is_refused() -> None:
    with pytest.raises(TraceError, match="Line 1: trace must be a short name"):
        read_trace(orjson.dumps({"trace": "long " * 100}) + b'\n{"output_tokens": 1}')


def test_a_cut_trace_has_as_many_steps_as_asked_for() -> None:
    trace = samples()["voice-turn"]
    assert trace.cut(2).steps == trace.steps[:2]
    assert trace.cut(7).steps == (*trace.steps, *trace.steps, trace.steps[0])


@pytest.mark.parametrize("length", [1, 40, 1000])
def test_a_tool_returns_the_same_text_of_the_length_asked_for(length: int) -> None:
    text = tools.result("search", 3, length)
    assert text == tools.result("search", 3, length)
    assert tokens.count(text) == pytest.approx(length, abs=2)


def span(start_s: float, end_s: float, base: int = 1_790_000_000_000_000_000, **attributes: object) -> dict[str, object]:
    listed = [{"key": f"gen_ai.{k.replace('__', '.')}", "value": {"intValue" if isinstance(v, int) else "stringValue":
               str(v)}} for k, v in attributes.items()]  # fmt: skip
    return {"startTimeUnixNano": str(base + int(start_s * 1e9)), "endTimeUnixNano": str(base + int(end_s * 1e9)),
            "attributes": listed}  # fmt: skip


SPANS = [
    span(0, 9, operation__name="invoke_agent"),
    span(3, 5, operation__name="execute_tool", tool__name="search"),
    span(0, 3, operation__name="chat", usage__input_tokens=1000, usage__output_tokens=100),
    span(4, 6, operation__name="execute_tool", tool__name="read"),
    span(6, 9, operation__name="chat", usage__input_tokens=1600, usage__output_tokens=50),
]


def test_nanoseconds_are_nanoseconds_whatever_moment_they_are_counted_from() -> None:
    spans = [span(0, 2, 0, operation__name="chat", usage__output_tokens=9),
             span(2, 3.2, 0, operation__name="execute_tool", tool__name="search")]  # fmt: skip
    assert otel.read_any(orjson.dumps({"spans": spans})).steps[0].tool_s == pytest.approx(1.2)


def test_spans_become_steps_and_parallel_tools_are_waited_for_once() -> None:
    document = {"resourceSpans": [{"scopeSpans": [{"spans": SPANS}]}]}
    trace = otel.read_any(orjson.dumps(document))
    first, second = trace.steps
    assert (first.prompt_tokens, first.output_tokens, first.tool_tokens) == (1000, 100, 500)
    assert (first.tool, first.tool_s) == ("search + read", pytest.approx(3.0, abs=1e-5))
    assert (second.prompt_tokens, second.output_tokens, second.tool) == (0, 50, "none")


def test_spans_one_to_a_line_with_plain_attributes_and_dates_are_read_too() -> None:
    line = {"start_time": "2026-11-01T10:00:00Z", "end_time": "2026-11-01T10:00:02Z", "name": "chat m",
            "attributes": {"gen_ai.usage.prompt_tokens": 20, "gen_ai.usage.completion_tokens": 7}}  # fmt: skip
    assert otel.read_any(orjson.dumps(line) + b"\n" + orjson.dumps(line)).steps[0] == Step(7, prompt_tokens=20)


def test_a_trace_whose_texts_speak_of_spans_is_a_trace() -> None:
    head = {"trace": "Spans", "task": "Read gen_ai.usage.output_tokens."}
    assert otel.read_any(b"\n" + orjson.dumps(head) + b'\n{"output_tokens": 3}').task == head["task"]


def test_the_name_of_a_tool_is_put_on_one_line() -> None:
    spans = [*SPANS[2:], span(10, 11, operation__name="execute_tool", tool__name="two\nlines ")]
    assert otel.read_any(orjson.dumps(spans)).steps[1].tool == "two lines"


def test_spans_without_a_call_are_refused() -> None:
    with pytest.raises(TraceError, match="No call"):
        otel.read_any(orjson.dumps(SPANS[:2]))
