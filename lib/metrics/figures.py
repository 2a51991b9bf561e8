"""What the player shows of one lane when it has ended, as texts and a few numbers.

The texts are written here, once, so that the live view, a replay and an exported page say the same.
"""

from __future__ import annotations

from typing import Any

from lib import numbers
from lib.domain import events as ev
from lib.domain.failures import FAILURES, Failure
from lib.domain.run import Backend
from lib.domain.warning_codes import WARNINGS
from lib.i18n import _
from lib.metrics import catalogue, cost, rates, reader_view, warnings
from lib.metrics.measurement import Measurement, measure
from lib.metrics.quantity import ESTIMATED, SHORT_SAMPLE, UPPER_BOUND, Figure, Quantity, Unavailable
from lib.reading import ReadingSpeed, speed_for

_UNKNOWN_FAILURE = Failure("", "Failed", "The answer could not be completed.", "Retry.", True)


def figures_of(generation: ev.Generation, backend: Backend, speed: ReadingSpeed | None) -> dict[str, Any]:
    """The exact figures of one ended lane, as docs/recording.md's `f` (JSON values only).

    `speed` None: the silent reading speed for the language of the answer. `place` is filled by the result
    of the run.
    """
    measured = measure(generation, backend)
    reader = speed_for(measured.answer, speed)
    return {
        "status": measured.time.status.value,
        "place": None,
        "hero": _hero(measured),
        "ttft": _time(catalogue.ttft_ms(measured)),
        "ttfat": _time(catalogue.ttfat_ms(measured)),
        "tokens": _tokens(measured),
        "tokens_total": measured.output_tokens,
        "tokens_answer": None if measured.thinking else measured.visible_tokens,
        "elapsed": _elapsed(measured),
        "cost": cost_text(measured),
        "human_done": _human_done(measured, reader),
        "warnings": [
            [code, warning_sentence(code, detail)] for code, detail in warnings.warnings_of(measured)
        ],
        "failure": _failure(measured),
    }


def figure_text(figure: Figure) -> str:
    """A figure as people read it, with its unit; the reason when there is none."""
    if isinstance(figure, Unavailable):
        return figure.reason
    value = float(figure.value)
    if figure.unit == "ms":
        return numbers.milliseconds(value)
    if figure.unit == "s":
        return numbers.seconds(value)
    if figure.unit == "×":
        return numbers.ratio(value)
    if figure.unit == "tokens" and value == int(value):
        return numbers.tokens(int(value))
    return numbers.rate(value, figure.unit) if figure.unit else numbers.whole(value)


def cost_text(measured: Measurement) -> dict[str, Any]:
    """The cost in words: an amount, "not published", or nothing to pay because it ran here."""
    amount = cost.cost(measured)
    if isinstance(amount, Quantity):
        text = numbers.money(cost.as_decimal(amount), amount.unit)
        prefix = "≤ " if UPPER_BOUND in amount.marks else "~" if ESTIMATED in amount.marks else ""
        return {"text": prefix + text, "reason": None}
    if measured.backend.prices is None and cost.runs_here(measured.backend):
        return {
            "text": _("{amount} (this machine)").format(amount=numbers.money(cost.NOTHING)),
            "reason": None,
        }
    published = cost.is_published(measured.backend)
    return {"text": _("not known") if published else _("not publ."), "reason": amount.reason}


def note_of(figure: Figure) -> str:
    """What to know about a figure beside its value; empty when nothing."""
    if isinstance(figure, Quantity) and SHORT_SAMPLE in figure.marks:
        return _("from fewer than {n} tokens").format(n=rates.MIN_TOKENS)
    return _("tokens estimated") if isinstance(figure, Quantity) and ESTIMATED in figure.marks else ""


def warning_sentence(code: str, detail: str) -> str:
    """The sentence that explains a warning's chip, with the detail where it says something."""
    sentence = _(WARNINGS.get(code, code))
    if code == "model_mismatch" and detail:
        return f"{sentence} ({detail})"
    if code == "empty_answer" and detail == "tool_calls":
        return _("No answer text came: the reply is a tool call.")
    return sentence


def _hero(measured: Measurement) -> dict[str, Any]:
    """Decode rate; end to end, with a note, where the text came in one piece; else the reason."""
    decode = rates.decode_rate(measured)
    if isinstance(decode, Quantity):
        return _hero_of(decode, note_of(decode))
    overall = rates.end_to_end_rate(measured)
    if isinstance(overall, Quantity):
        return _hero_of(overall, _("end to end: {reason}").format(reason=decode.reason))
    return {"text": None, "unit": None, "value": None, "note": "", "reason": decode.reason}


def _hero_of(rate: Quantity, note: str) -> dict[str, Any]:
    value = float(rate.value)
    return {
        "text": numbers.plain(value),
        "unit": _(rate.unit),
        "value": round(value, 3),
        "note": note,
        "reason": None,
    }


def _time(figure: Figure) -> dict[str, Any]:
    if isinstance(figure, Unavailable):
        return {"text": None, "ms": None, "reason": figure.reason}
    return {"text": figure_text(figure), "ms": round(float(figure.value), 3), "reason": None}


def _tokens(measured: Measurement) -> dict[str, Any]:
    count = catalogue.output_tokens(measured)
    if isinstance(count, Unavailable):
        return {"text": None, "source": None, "count": None, "reason": count.reason}
    estimated = ESTIMATED in count.marks
    source = _("Estimated: the text counted with o200k_base.") if estimated else _("Reported by the server.")
    text = numbers.whole(float(count.value))
    return {"text": f"~{text}" if estimated else text, "source": source, "count": count.value, "reason": None}


def _elapsed(measured: Measurement) -> dict[str, Any]:
    """From t0 to the last text of a complete answer; to the end of the lane otherwise."""
    time = measured.time
    complete = time.status is ev.Status.COMPLETE and time.last_ns is not None
    value_ms = time.since_sent_ms(time.last_ns if complete else time.ended_ns)
    return {"text": None if value_ms is None else numbers.clock(value_ms), "ms": value_ms}


def _human_done(measured: Measurement, speed: ReadingSpeed) -> dict[str, Any]:
    done = reader_view.human_done_s(measured, speed)
    if isinstance(done, Unavailable):
        return {"text": None, "s": None, "reason": done.reason}
    return {"text": figure_text(done), "s": round(float(done.value), 3), "reason": None}


def _failure(measured: Measurement) -> dict[str, Any] | None:
    failed, status = measured.time.failed, measured.time.status
    if failed is None and status is ev.Status.INTERRUPTED:
        failed = ev.Failed(0, "interrupted")
    if failed is None or status is ev.Status.COMPLETE:
        return None
    known = FAILURES.get(failed.kind, _UNKNOWN_FAILURE)
    return {
        "kind": failed.kind,
        "title": _(known.title),
        "sentence": _(known.sentence),
        "advice": _(known.advice),
        "message": failed.message,
        "http_status": failed.http_status,
        "retry_helps": known.retry_helps,
    }
