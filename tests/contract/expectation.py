"""Compares what `measure` reports with a case's `expect`, key by key, within the tolerance its README gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

EARLY_MS, LATE_MS = 10.0, 150.0
ELSEWHERE = {
    # keys that are notes, or are looked at by other tests
    "note", "display", "export", "by_encoding", "wrong_output_tokens", "text_compare", "reasoning_compare",
    "server_sees_close_within_ms", "text_complete", "ttft_any_ms", "attempts_any", "decode_tok_s_any",
    "finished_by_ms",
}  # fmt: skip


def differences(expect: Mapping[str, Any], got: Mapping[str, Any], key: str) -> list[str]:
    """Every way in which `got` is not what `expect` demands; empty when it is right."""
    if "any_of" in expect:
        rest = {name: value for name, value in expect.items() if name != "any_of"}
        tried = [differences({**rest, **one}, got, key) for one in expect["any_of"]]
        return min(tried, key=len)
    found = []
    for name, wanted in expect.items():
        if name not in ELSEWHERE:
            told = _difference(name, wanted, got, expect, key)
            if told:
                found.append(f"{name}: wanted {wanted!r}, {told}")
    return found


def _difference(name: str, wanted: Any, got: Mapping[str, Any], expect: Mapping[str, Any], key: str) -> str:
    rule = _RULES.get(name)
    if rule is not None:
        return rule(wanted, got, key)
    value = got[name]
    if name in ("text", "reasoning_text"):
        compare = expect.get("text_compare" if name == "text" else "reasoning_compare")
        strip = str.strip if compare == "strip" else str
        return "" if strip(value) == strip(wanted) else f"got {value!r}"
    if name == "ttft_ms" and "ttft_any_ms" in expect:
        return "" if any(_near(one, value) for one in expect["ttft_any_ms"]) else f"got {value}"
    if name == "attempts" and "attempts_any" in expect:
        return "" if value in expect["attempts_any"] else f"got {value}"
    if name == "output_tokens" and wanted is None:
        return "" if value is None or got["output_tokens_source"] == "tokenizer" else f"got {value}"
    if name == "output_tokens_source" and wanted is None:
        return "" if value in (None, "tokenizer") else f"got {value}"
    if name == "decode_tok_s":
        return _rate(wanted, value, expect.get("decode_tok_s_any"))
    if name == "gaps_ms":
        near = len(value) == len(wanted) and all(abs(a - b) <= 30 for a, b in zip(wanted, value, strict=True))
        return "" if near else f"got {value}"
    if name == "warnings":
        return _warnings(wanted, value, got)
    if name.endswith("_ms") and name != "waited_ms":
        return "" if _near(wanted, value) else f"got {value}"
    return "" if value == wanted else f"got {value!r}"


def _warnings(wanted: Any, value: Any, got: Mapping[str, Any]) -> str:
    allowed = set(wanted) | ({"usage_estimated"} if got["status"] == "error" else set())
    return "" if set(wanted) <= set(value) <= allowed else f"got {value}"


def _near(wanted: float | None, value: float | None) -> bool:
    if wanted is None or value is None:
        return wanted is value
    return wanted - EARLY_MS <= value <= wanted + LATE_MS


def _rate(wanted: float | None, value: float | None, any_of: Any) -> str:
    if wanted is None:
        return "" if value is None else f"got {value}"
    right = value is not None and any(abs(value / one - 1) < 0.15 for one in any_of or (wanted,))
    return "" if right else f"got {value}"


_RULES: dict[str, Any] = {
    "decode_tok_s_max": lambda most, got, _: (
        "" if got["decode_tok_s"] is None or got["decode_tok_s"] <= most else f"got {got['decode_tok_s']}"
    ),
    "visible_output_tokens_min": lambda least, got, _: (
        ""
        if got["visible_output_tokens"] is None or got["visible_output_tokens"] >= least
        else f"got {got['visible_output_tokens']}"
    ),
    "attempts_max": lambda most, got, _: "" if got["attempts"] <= most else f"got {got['attempts']}",
    "waited_ms_min": lambda least, got, _: "" if got["waited_ms"] >= least else f"got {got['waited_ms']}",
    "waited_ms_max": lambda most, got, _: "" if got["waited_ms"] <= most else f"got {got['waited_ms']}",
    "error_message_contains": lambda part, got, _: (
        ""
        if all(p in (got["error_message"] or "") for p in ([part] if isinstance(part, str) else part))
        else f"got {got['error_message']!r}"
    ),
    "error_message_lacks": lambda parts, got, key: (
        ""
        if not any((key if p == "<the key sent>" else p) in (got["error_message"] or "") for p in parts)
        else f"got {got['error_message']!r}"
    ),
    "text_is_prefix_of": lambda whole, got, _: (
        "" if whole.startswith(got["text"]) else f"got {got['text']!r}"
    ),
    "max_gap_ms": lambda wanted, got, _: (
        "" if got["gaps_ms"] and _near(wanted, max(got["gaps_ms"])) else f"got {got['gaps_ms']}"
    ),
}
