"""The few words on each warning's chip; the sentence beside it comes from the domain."""

from __future__ import annotations

from lib.i18n import _

_CHIPS = {
    "usage_estimated": "tokens estimated",
    "usage_inconsistent": "counts contradict",
    "stream_options_dropped": "no stream_options",
    "param_dropped": "parameter dropped",
    "burst": "buffered",
    "not_streamed": "in one piece",
    "bad_chunk": "broken frame",
    "no_finish_reason": "no finish reason",
    "incomplete": "incomplete",
    "truncated_length": "token limit",
    "content_filter": "content filter",
    "empty_answer": "no answer text",
    "model_mismatch": "other model",
    "duplicate_final_text": "repeated text",
    "cumulative_deltas": "cumulative frames",
    "replacement_characters": "damaged characters",
    "prompt_cached": "prompt cached",
    "stopped_by_user": "stopped",
}


def chip_of(code: str) -> str:
    """The chip's words; an unknown code is shown as it is."""
    return _(_CHIPS.get(code, code.replace("_", " ")))
