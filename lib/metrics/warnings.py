"""What a person must be told about one result, beside its figures.

Codes and their order are those of `lib.domain.warning_codes`. Some warnings were written by the collector
while it read; the others follow from the recording.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lib.domain import events as ev
from lib.domain.run import Origin
from lib.domain.warning_codes import WARNINGS
from lib.metrics.measurement import Measurement

CACHED_SHARE = 0.9  # of the prompt: then the first token needed (nearly) no reading of it
_LENGTH_REASONS = ("length", "max_tokens")
_MODEL_DATE = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4}|\d{2}-\d{4}|latest)$")
_MODEL_TAG = re.compile(r":(latest|free|nitro|floor|online)$")
_PLACEHOLDERS = frozenset(
    ["", "model", "default", "local", "loaded", "test", "mock", "dummy", "replay", "llm", "served"]
)
_WEIGHTS_FILE = re.compile(r"\.(gguf|bin|safetensors)$")


def warnings_of(measured: Measurement) -> list[tuple[str, str]]:
    """(code, detail) of every warning the result carries, each code once."""
    found = {warned.code: warned.detail for warned in measured.generation.of(ev.Warned)}
    for code, detail_of in _RULES.items():
        detail = detail_of(measured)
        if detail is not None:
            found.setdefault(code, detail)
    known = [code for code in WARNINGS if code in found]
    return [(code, found[code]) for code in [*known, *(code for code in found if code not in WARNINGS)]]


def finish_reason(measured: Measurement, choice: int = 0) -> str | None:
    """The last finish reason of a choice that is not empty."""
    reasons = [e.reason for e in measured.time.events if isinstance(e, ev.Finish) and e.choice == choice]
    return next((reason for reason in reversed(reasons) if reason), None)


def served_model(measured: Measurement) -> str | None:
    """The model name the server last said it answered with."""
    named = [e.model for e in measured.time.events if isinstance(e, ev.Served) and e.model]
    return named[-1] if named else None


def is_same_model(asked: str, served: str) -> bool:
    """Whether the two names mean one model: a date, a tag, a path or a file ending makes no difference.

    A placeholder that many local servers and mocks answer with ("local-model") says nothing and so is no mismatch.
    """
    if set(re.split(r"[\W_]+", served.strip().lower())) <= _PLACEHOLDERS:
        return True
    plain_asked, plain_served = _plain_model(asked), _plain_model(served)
    if not plain_asked or plain_asked == plain_served:
        return True
    from_file = served.startswith("/") or _WEIGHTS_FILE.search(served.lower()) is not None
    return from_file and plain_served.startswith(plain_asked)


def _plain_model(name: str) -> str:
    last = re.split(r"[/\\]", name.strip().lower().rstrip("/"))[-1]
    return _MODEL_DATE.sub("", _WEIGHTS_FILE.sub("", _MODEL_TAG.sub("", last)))


def _usage_estimated(measured: Measurement) -> str | None:
    return "" if measured.is_estimated else None


def _usage_inconsistent(measured: Measurement) -> str | None:
    return measured.usage.inconsistent or None


def _burst(measured: Measurement) -> str | None:
    over = measured.time.status in (ev.Status.COMPLETE, ev.Status.INCOMPLETE)
    return "" if over and measured.is_buffered else None


def _not_streamed(measured: Measurement) -> str | None:
    time = measured.time
    several = (measured.counts.visible or 0) > 1 and measured.visible_tokens != 1
    return "" if time.status is ev.Status.COMPLETE and len(time.chunks) == 1 and several else None


def _no_finish_reason(measured: Measurement) -> str | None:
    complete = measured.time.status is ev.Status.COMPLETE
    return "" if complete and finish_reason(measured) is None else None


def _incomplete(measured: Measurement) -> str | None:
    return "" if measured.time.status is ev.Status.INCOMPLETE else None


def _truncated_length(measured: Measurement) -> str | None:
    return "" if finish_reason(measured) in _LENGTH_REASONS else None


def _content_filter(measured: Measurement) -> str | None:
    return "" if finish_reason(measured) == "content_filter" else None


def _empty_answer(measured: Measurement) -> str | None:
    over = measured.time.status in (ev.Status.COMPLETE, ev.Status.INCOMPLETE)
    if not over or measured.answer.strip():
        return None
    return "tool_calls" if measured.time.tool_chunks else ""


def _model_mismatch(measured: Measurement) -> str | None:
    if measured.backend.origin is Origin.RECORDED:
        return None  # a recording answers under the name it was recorded with
    served = served_model(measured)
    return served if served and not is_same_model(measured.backend.model, served) else None


def _prompt_cached(measured: Measurement) -> str | None:
    prompt, cached = measured.usage.prompt, measured.usage.cached
    return f"{cached}/{prompt}" if prompt and cached and cached >= CACHED_SHARE * prompt else None


def _stopped_by_user(measured: Measurement) -> str | None:
    if any(warned.code == "spend_cap" for warned in measured.generation.of(ev.Warned)):
        return None
    return "" if measured.time.status is ev.Status.STOPPED else None


_RULES: dict[str, Callable[[Measurement], str | None]] = {
    "usage_estimated": _usage_estimated,
    "usage_inconsistent": _usage_inconsistent,
    "burst": _burst,
    "not_streamed": _not_streamed,
    "no_finish_reason": _no_finish_reason,
    "incomplete": _incomplete,
    "truncated_length": _truncated_length,
    "content_filter": _content_filter,
    "empty_answer": _empty_answer,
    "model_mismatch": _model_mismatch,
    "prompt_cached": _prompt_cached,
    "stopped_by_user": _stopped_by_user,
}
