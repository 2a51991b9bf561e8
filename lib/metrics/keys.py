"""One generation as the flat JSON object that `python -m lib measure --json` prints per trial.

Times are milliseconds from the answering attempt's t0. A key without a value is null; nothing is NaN or
infinite.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lib.domain import events as ev
from lib.domain.run import Backend, Prices
from lib.metrics import cost, rates, texture, warnings
from lib.metrics.measurement import Measurement, measure
from lib.metrics.quantity import Figure, Quantity, number

_DIGITS = 3


def measure_keys(generation: ev.Generation, backend: Backend, prices: Prices | None = None) -> dict[str, Any]:
    """Every key of one trial; `prices` take the place of the backend's own when given."""
    measured = measure(generation, replace(backend, prices=prices) if prices else backend)
    return {
        **_outcome(measured),
        **_texts(measured),
        **_times(measured),
        **_chunks(measured),
        **_counts(measured),
        **_rates(measured),
        "cost_usd": _cost_text(measured),
        "warnings": [code for code, _detail in warnings.warnings_of(measured)],
    }


def tool_calls(measured: Measurement) -> list[dict[str, str]]:
    """The tool calls of choice 0: name and arguments as sent, in order."""
    calls: dict[int, tuple[str, list[str]]] = {}
    current = 0
    for event in measured.time.events:
        if isinstance(event, ev.ToolCall) and event.choice == 0:
            current = event.index
            name, arguments = calls.get(current, ("", []))
            calls[current] = (event.name or name, arguments)
        elif isinstance(event, ev.Delta) and event.channel is ev.Channel.TOOL and event.choice == 0:
            calls.setdefault(current, ("", []))[1].append(event.text)
    return [{"name": name, "arguments": "".join(parts)} for name, parts in calls.values()]


def _outcome(measured: Measurement) -> dict[str, Any]:
    time, failed = measured.time, measured.time.failed
    headers = [event for event in time.events if isinstance(event, ev.Headers)]
    status = failed.http_status if failed and failed.http_status else headers[-1].status if headers else None
    return {
        "status": time.status.value,
        "finish_reason": warnings.finish_reason(measured),
        "error_kind": failed.kind if failed else None,
        "error_message": failed.message if failed else None,
        "http_status": status,
        "retry_after_s": failed.retry_after_s if failed else None,
        "attempts": time.attempts,
        "waited_ms": _rounded(time.waited_ms),
        "served_model": warnings.served_model(measured),
    }


def _texts(measured: Measurement) -> dict[str, Any]:
    several = measured.time.choices > 1
    others = [
        "".join(
            d.text
            for d in measured.time.other_choices
            if d.choice == choice and d.channel is ev.Channel.ANSWER
        )
        for choice in range(1, measured.time.choices)
    ]
    reasons = [warnings.finish_reason(measured, choice) for choice in range(measured.time.choices)]
    return {
        "text": measured.answer,
        "reasoning_text": measured.thinking,
        "texts": [measured.answer, *others] if several else None,
        "finish_reasons": reasons if several else None,
        "tool_calls": tool_calls(measured) or None,
    }


def _times(measured: Measurement) -> dict[str, Any]:
    time = measured.time

    def since(at_ns: int | None) -> float | None:
        return _rounded(time.since_sent_ms(at_ns))

    thinking, answer = time.first_thinking_ns, time.answer_begins_ns
    thought = None if thinking is None or answer is None else max(0, answer - thinking) / 1e6
    return {
        "connect_ms": _rounded(time.setup_ms),
        "headers_ms": since(time.headers_ns),
        "ttft_ms": since(time.first_ns),
        "first_answer_ms": since(time.first_answer_ns),
        "first_tool_ms": since(time.first_tool_ns),
        "thinking_ms": _rounded(thought),
        "last_token_ms": since(time.chunks[-1].at_ns if time.chunks else None),
        "end_ms": since(time.end_ns),
        "elapsed_ms": since(time.ended_ns),
    }


def _chunks(measured: Measurement) -> dict[str, Any]:
    gaps = texture.gaps(measured)
    found = texture.stalls(measured)
    return {
        "token_chunks": len(measured.time.chunks),
        "token_arrivals": len(measured.arrivals),
        "gaps_ms": [_rounded(gap) for gap in gaps],
        "max_gap_ms": _rounded(max(gaps, default=None)),
        "tokens_per_chunk": _figure(texture.tokens_per_chunk(measured)),
        "stalls": {
            "count": found.count,
            "longest_ms": _rounded(found.longest_ms),
            "total_ms": _rounded(found.total_ms),
        },
    }


def _counts(measured: Measurement) -> dict[str, Any]:
    known = measured.output_tokens is not None
    source = "tokenizer" if measured.is_estimated else "usage"
    return {
        "output_tokens": measured.output_tokens,
        "output_tokens_source": source if known else None,
        "reasoning_tokens": measured.usage.reasoning,
        "visible_output_tokens": measured.visible_tokens,
        "normalised_tokens": measured.counts.visible if measured.has_text else None,
        "prompt_tokens": measured.usage.prompt,
        "cached_tokens": measured.usage.cached,
        "total_tokens": measured.usage.total,
    }


def _rates(measured: Measurement) -> dict[str, Any]:
    decode = rates.decode_rate(measured)
    return {
        "decode_tok_s": _figure(decode),
        "decode_marks": list(decode.marks) if isinstance(decode, Quantity) else [],
        "decode_reason": None if isinstance(decode, Quantity) else decode.reason,
        "thinking_tok_s": _figure(rates.thinking_rate(measured)),
        "answer_tok_s": _figure(rates.answer_rate(measured)),
        "e2e_tok_s": _figure(rates.end_to_end_rate(measured)),
        "tpot_ms": _figure(rates.tpot_ms(measured)),
    }


def _cost_text(measured: Measurement) -> str | None:
    amount = cost.cost(measured)
    if isinstance(amount, Quantity) and amount.unit == "USD":
        return cost.as_decimal_text(cost.as_decimal(amount))
    return None


def _figure(figure: Figure) -> float | None:
    return _rounded(number(figure))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
