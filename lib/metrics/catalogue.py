"""The one ordered list of every figure: name, symbol, unit, formula, source, function.

Tables, charts, exports and docs/metrics.md read it; nothing else defines a figure. A function takes the
measurement and the reading speed (most ignore the second).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lib.domain import events as ev
from lib.i18n import _
from lib.metrics import cost, rates, reader_view, texture
from lib.metrics.measurement import Measurement
from lib.metrics.quantity import ESTIMATED, Figure, Quantity, Unavailable
from lib.metrics.server_report import server_timings
from lib.reading import ReadingSpeed

Compute = Callable[[Measurement, ReadingSpeed], Figure]


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure: `key` for files, `name` and `symbol` for people, `formula` and `source` for doubters."""

    key: str
    name: str
    symbol: str
    unit: str
    formula: str
    source: str
    compute: Compute

    @property
    def title(self) -> str:
        """The name in the language of the interface."""
        return _(self.name)

    @property
    def definition(self) -> str:
        """The formula in the language of the interface."""
        return _(self.formula)


def ttft_ms(measured: Measurement) -> Figure:
    """Time to first token of any channel, in ms: min(tr, ta) - t0."""
    return _since_sent(measured, measured.time.first_ns, _("No text came."))


def ttfat_ms(measured: Measurement) -> Figure:
    """Time to first answer token, in ms: ta - t0."""
    return _since_sent(measured, measured.time.answer_begins_ns, _("No answer text came."))


def thinking_ms(measured: Measurement) -> Figure:
    """Thinking time, in ms: ta - tr when the thinking is visible."""
    begin, answer = measured.time.first_thinking_ns, measured.time.answer_begins_ns
    if begin is None:
        hidden = _("The thinking was hidden: {n} tokens.").format(n=measured.usage.reasoning)
        return Unavailable(hidden if measured.usage.reasoning else _("No thinking was shown."))
    if answer is None:
        return Unavailable(_("No answer text came."))
    return Quantity(max(0, answer - begin) / 1e6, "ms")


def setup_ms(measured: Measurement) -> Figure:
    """Connection set-up (DNS, TCP, TLS) in ms; never inside TTFT."""
    known = measured.time.setup_ms
    return Unavailable(_("An open connection was used.")) if known is None else Quantity(known, "ms")


def waited_ms(measured: Measurement) -> Figure:
    """Time waited between attempts, in ms; never inside TTFT."""
    return Quantity(measured.time.waited_ms, "ms")


def whole_ms(measured: Measurement) -> Figure:
    """Time to the last text, in ms: tn - t0."""
    return _since_sent(measured, measured.time.last_ns, _("No text came."))


def output_tokens(measured: Measurement) -> Figure:
    """Billed output tokens: the server's count, else the whole text counted once with o200k_base."""
    count = measured.output_tokens
    if count is None:
        return Unavailable(_("The server reported no count and no text came."))
    return Quantity(count, "tokens", (ESTIMATED,) * measured.is_estimated)


def normalised_tokens(measured: Measurement) -> Figure:
    """The visible text counted with o200k_base."""
    count = measured.counts.visible
    return Unavailable(_("The text could not be counted.")) if count is None else Quantity(count, "tokens")


def reasoning_tokens(measured: Measurement) -> Figure:
    """Thinking tokens as the server counted them."""
    return _reported(measured.usage.reasoning)


def prompt_tokens(measured: Measurement) -> Figure:
    """Prompt tokens as the server counted them."""
    return _reported(measured.usage.prompt)


def cached_tokens(measured: Measurement) -> Figure:
    """Prompt tokens the server read from a cache."""
    return _reported(measured.usage.cached)


def server_prefill_ms(measured: Measurement) -> Figure:
    """Prefill time as the server reports it, in ms; behind its door, so never equal to TTFT."""
    timings = server_timings(measured.generation)
    return _by_server(timings.prefill_ms if timings else None, "ms")


def server_decode_rate(measured: Measurement) -> Figure:
    """Decode rate as the server reports it, in tok/s."""
    timings = server_timings(measured.generation)
    return _by_server(timings.decode_tps if timings else None, "tok/s")


def draft_acceptance(measured: Measurement) -> Figure:
    """Share of the tokens guessed ahead that were kept, in per cent."""
    timings = server_timings(measured.generation)
    share = timings.acceptance if timings else None
    return _by_server(None if share is None else share * 100, "%")


def _by_server(value: float | None, unit: str) -> Figure:
    return Unavailable(_("The server does not report it.")) if value is None else Quantity(value, unit)


def _chunk_count(measured: Measurement) -> Figure:
    return Quantity(len(measured.time.chunks), "")


def _since_sent(measured: Measurement, at_ns: int | None, reason: str) -> Figure:
    value_ms = measured.time.since_sent_ms(at_ns)
    if value_ms is not None:
        return Quantity(value_ms, "ms")
    failed = measured.time.status is ev.Status.ERROR
    return Unavailable(_("It failed before any text.") if failed and at_ns is None else reason)


def _reported(count: int | None) -> Figure:
    return Unavailable(_("The server did not report it.")) if count is None else Quantity(count, "tokens")


def _plain(compute: Callable[[Measurement], Figure]) -> Compute:
    return lambda measured, _speed: compute(measured)


_USUAL = "AIPerf, GuideLLM, vLLM bench"
_OURS = "Tokenrace"
_SERVER = "the server's usage object"

CATALOGUE: tuple[Metric, ...] = (
    Metric("ttft_ms", "Time to first token", "TTFT", "ms",
           "min(tr, ta) - t0: request body written to first text of any channel, thinking included",
           _USUAL, _plain(ttft_ms)),
    Metric("ttfat_ms", "Time to first answer token", "TTFAT", "ms", "ta - t0", "EvalScope", _plain(ttfat_ms)),
    Metric("thinking_ms", "Thinking time", "", "ms", "ta - tr, when thinking is visible", _OURS,
           _plain(thinking_ms)),
    Metric("setup_ms", "Connection set-up", "", "ms", "DNS + TCP + TLS of a connection that was not open",
           _OURS, _plain(setup_ms)),
    Metric("waited_ms", "Waited between attempts", "", "ms",
           "sum of the waits before the answering attempt", _OURS, _plain(waited_ms)),
    Metric("whole_ms", "Time to last token", "", "ms", "tn - t0", "AIPerf (request latency)",
           _plain(whole_ms)),
    Metric("output_tokens", "Output tokens", "N", "tokens",
           "last usage seen, thinking included; else the whole text counted once with o200k_base (estimated)",
           _SERVER, _plain(output_tokens)),
    Metric("normalised_tokens", "Normalised tokens", "", "tokens", "visible text counted with o200k_base",
           "tiktoken", _plain(normalised_tokens)),
    Metric("reasoning_tokens", "Thinking tokens", "", "tokens", "completion_tokens_details.reasoning_tokens",
           _SERVER, _plain(reasoning_tokens)),
    Metric("prompt_tokens", "Prompt tokens", "", "tokens", "prompt_tokens", _SERVER, _plain(prompt_tokens)),
    Metric("cached_tokens", "Cached prompt tokens", "", "tokens", "prompt_tokens_details.cached_tokens",
           _SERVER, _plain(cached_tokens)),
    Metric("decode_tok_s", "Decode rate", "", "tok/s",
           "(V - v1) / (tn - t1): V tokens with a visible arrival, v1 tokens of the first arrival at t1",
           _USUAL, _plain(rates.decode_rate)),
    Metric("thinking_tok_s", "Thinking rate", "", "tok/s", "the decode formula over the thinking alone",
           _OURS, _plain(rates.thinking_rate)),
    Metric("answer_tok_s", "Answer rate", "", "tok/s", "the decode formula over the answer alone", _OURS,
           _plain(rates.answer_rate)),
    Metric("e2e_tok_s", "End-to-end rate", "", "tok/s", "N / (tn - t0), complete answers only", _USUAL,
           _plain(rates.end_to_end_rate)),
    Metric("normalised_e2e_tok_s", "Normalised end-to-end rate", "", "tok/s",
           "normalised tokens / (tn - t0), complete answers only", _OURS,
           _plain(rates.normalised_end_to_end_rate)),
    Metric("tpot_ms", "Time per output token", "TPOT", "ms", "1000 / decode rate", _USUAL,
           _plain(rates.tpot_ms)),
    Metric("median_gap_ms", "Median chunk gap", "", "ms", "median of t[i] - t[i-1] over distinct arrivals",
           "AIPerf (inter-chunk latency)", _plain(texture.median_gap_ms)),
    Metric("longest_gap_ms", "Longest chunk gap", "", "ms", "largest t[i] - t[i-1]", _OURS,
           _plain(texture.longest_gap_ms)),
    Metric("stalls", "Stalls", "", "", "gaps longer than max(500 ms, 8 x median gap)", _OURS,
           _plain(texture.stall_count)),
    Metric("stalled_ms", "Time in stalls", "", "ms", "sum of those gaps", _OURS, _plain(texture.stalled_ms)),
    Metric("chunks", "Chunks", "", "", "server-sent events with visible text", _OURS, _plain(_chunk_count)),
    Metric("tokens_per_chunk", "Tokens per chunk", "", "tokens", "visible tokens / chunks", _OURS,
           _plain(texture.tokens_per_chunk)),
    Metric("units_per_s", "Text rate", "", "words/s or characters/s",
           "words (characters) after the first arrival / (tn - ta): tokenizer-free", _OURS,
           reader_view.units_per_s),
    Metric("reading_ratio", "Times reading speed", "", "×", "text rate / (reading speed per minute / 60)",
           _OURS, reader_view.reading_ratio),
    Metric("reader_tok_s", "Reading speed in tokens", "", "tok/s",
           "o200k tokens of the answer / its words x words/min / 60: derived from the text at hand", _OURS,
           reader_view.reading_speed_tps),
    Metric("time_to_read_s", "Time to read", "", "s", "words / (words/min / 60)",
           "Brysbaert 2019, doi:10.1016/j.jml.2019.104047", reader_view.time_to_read_s),
    Metric("human_done_s", "Person done", "", "s",
           "when a reader has read the last word - t0: begins at ta, reads no faster than reading speed and "
           "never ahead of the text",
           _OURS, reader_view.human_done_s),
    Metric("starved_s", "Reader waited for text", "", "s",
           "time the reader stood waiting after having begun", _OURS, reader_view.starved_s),
    Metric("lead_s", "Stream ahead of the person", "", "s", "person done - tn", _OURS, reader_view.lead_s),
    Metric("server_prefill_ms", "Prefill, by the server", "", "ms",
           "what the server itself reports (llama.cpp timings.prompt_ms, Groq prompt_time)", "the server's own report",
           _plain(server_prefill_ms)),
    Metric("server_decode_tok_s", "Decode rate, by the server", "", "tok/s",
           "what the server itself reports (llama.cpp timings.predicted_per_second, Groq completion_time)",
           "the server's own report", _plain(server_decode_rate)),
    Metric("draft_acceptance", "Guessed tokens kept", "", "%",
           "timings.draft_n_accepted / timings.draft_n of speculative decoding", "the server's own report",
           _plain(draft_acceptance)),
    Metric("cost", "Cost", "", "currency of the prices",
           "((prompt - cached) x input + cached x cached input + output x output price) / 1,000,000",
           "published prices", _plain(cost.cost)),
)  # fmt: skip


def compute_all(measured: Measurement, speed: ReadingSpeed) -> dict[str, Figure]:
    """Every figure of the catalogue by its key, in order."""
    return {metric.key: metric.compute(measured, speed) for metric in CATALOGUE}
