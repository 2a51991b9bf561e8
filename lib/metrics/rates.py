"""How fast tokens came: decode rate, thinking and answer rates, end-to-end rate, TPOT.

A rate needs tokens and time of the same window; where they do not match, or the window is too small to
divide by, the answer is a reason. Rates of people are in `reader_view.py`.
"""

from __future__ import annotations

from lib.domain import events as ev
from lib.i18n import _
from lib.metrics.measurement import Measurement, Window, decode_window, text_tokens
from lib.metrics.quantity import ESTIMATED, SHORT_SAMPLE, Figure, Quantity, Unavailable
from lib.metrics.timeline import NS_PER_S, arrivals

MIN_WINDOW_S = 0.1
MIN_TOKENS = 16
TOK_PER_S = "tok/s"


def decode_rate(measured: Measurement) -> Figure:
    """Output speed in tok/s: (V - v1) / (tn - t1).

    V: tokens with a visible arrival; v1: tokens of the first arrival, at t1; tn: last arrival. Source: the
    usual (n - 1) / span (AIPerf, GuideLLM, LLMPerf) made right for chunks of several tokens.
    """
    if measured.time.choices > 1:
        return Unavailable(_("The server counts the tokens of all choices together."))
    if measured.usage.inconsistent and measured.visible_tokens == 0:
        return Unavailable(_("The server's token counts contradict each other."))
    if measured.is_buffered:
        return Unavailable(_("The stream was buffered on its way."))
    return _rate(decode_window(measured), measured.is_estimated)


def thinking_rate(measured: Measurement) -> Figure:
    """Rate of the visible thinking in tok/s, by the decode formula over the thinking alone."""
    if not measured.time.thinking_chunks:
        return Unavailable(_("No thinking was shown."))
    verbatim = measured.thinking_is_verbatim and measured.usage.reasoning
    return _channel_rate(measured, measured.usage.reasoning if verbatim else None, ev.Channel.THINKING)


def answer_rate(measured: Measurement) -> Figure:
    """Rate of the answer text in tok/s, by the decode formula over the answer alone."""
    if not measured.time.answer_chunks:
        return Unavailable(_("No answer text came."))
    time, usage = measured.time, measured.usage
    if time.tool_chunks or usage.inconsistent:
        return _channel_rate(measured, None, ev.Channel.ANSWER)
    if time.thinking_chunks:
        beside = usage.beside_reasoning if usage.reasoning else None
        return _channel_rate(measured, beside, ev.Channel.ANSWER)
    reported = None if measured.is_estimated else measured.visible_tokens
    return _channel_rate(measured, reported, ev.Channel.ANSWER)


def end_to_end_rate(measured: Measurement) -> Figure:
    """Overall speed in tok/s: all output tokens / (tn - t0). None for answers that are not complete."""
    tokens = measured.output_tokens
    reason = _no_end_to_end(measured)
    if reason or not tokens:
        return Unavailable(reason or _("The number of output tokens is not known."))
    return _over_whole_time(measured, tokens, measured.is_estimated)


def normalised_end_to_end_rate(measured: Measurement) -> Figure:
    """Visible text as o200k_base tokens / (tn - t0), in tok/s: fair across tokenizers, for comparisons."""
    tokens = measured.counts.visible
    reason = _no_end_to_end(measured)
    if reason or not tokens:
        return Unavailable(reason or _("The text could not be counted."))
    return _over_whole_time(measured, tokens, estimated=False)


def tpot_ms(measured: Measurement) -> Figure:
    """Time per output token after the first, in ms: 1000 / decode rate."""
    rate = decode_rate(measured)
    return Quantity(1000 / float(rate.value), "ms", rate.marks) if isinstance(rate, Quantity) else rate


def _rate(window: Window, estimated: bool) -> Figure:
    if window.reason:
        return Unavailable(_(window.reason))
    if len(window.arrivals) < 2:
        return Unavailable(_("The text came in one piece.") if window.arrivals else _("No text came."))
    span_s = (window.arrivals[-1].at_ns - window.arrivals[0].at_ns) / NS_PER_S
    if span_s < MIN_WINDOW_S:
        return Unavailable(_("The text came within 100 ms: too short to divide by."))
    tokens = window.tokens - window.first_tokens
    if tokens <= 0:
        return Unavailable(_("The server's count has no tokens beyond the first piece."))
    marks = (SHORT_SAMPLE,) * (tokens < MIN_TOKENS) + (ESTIMATED,) * estimated
    return Quantity(tokens / span_s, TOK_PER_S, marks)


def _channel_rate(measured: Measurement, reported: int | None, channel: ev.Channel) -> Figure:
    thinking = channel is ev.Channel.THINKING
    if measured.time.choices > 1:
        return Unavailable(_("The server counts the tokens of all choices together."))
    if measured.is_buffered:
        return Unavailable(_("The stream was buffered on its way."))
    counted = measured.counts.thinking if thinking else measured.counts.answer
    tokens = counted if reported is None else reported
    groups = arrivals(measured.time.thinking_chunks if thinking else measured.time.answer_chunks)
    if tokens is None:
        return Unavailable(_("The text could not be counted."))
    first = text_tokens(groups[0].text, own_count=reported is None)
    return _rate(Window(tokens, first, groups), reported is None)


def _no_end_to_end(measured: Measurement) -> str:
    if measured.time.status is not ev.Status.COMPLETE:
        return _("The answer is not complete.")
    if measured.time.choices > 1:
        return _("The server counts the tokens of all choices together.")
    return ""


def _over_whole_time(measured: Measurement, tokens: int, estimated: bool) -> Figure:
    whole_ms = measured.time.since_sent_ms(measured.time.last_ns)
    if not whole_ms:
        return Unavailable(_("No text came.") if whole_ms is None else _("No time passed."))
    return Quantity(tokens * 1000 / whole_ms, TOK_PER_S, (ESTIMATED,) * estimated)
