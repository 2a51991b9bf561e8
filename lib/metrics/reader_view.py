"""What the stream is to a person: time to read, when a reader is done, how long the reader stood waiting.

Words or characters, never tokens: people do not read tokens.
"""

from __future__ import annotations

from lib import reading
from lib.i18n import _
from lib.metrics.measurement import Measurement
from lib.metrics.quantity import Figure, Quantity, Unavailable
from lib.metrics.rates import MIN_WINDOW_S
from lib.metrics.timeline import NS_PER_S

UNIT_PER_S = {"word": "words/s", "char": "characters/s"}


def answer_units(measured: Measurement, speed: reading.ReadingSpeed) -> int:
    """Words (or characters) of the answer."""
    return reading.count_units(measured.answer, speed.unit)


def reader_of(measured: Measurement, speed: reading.ReadingSpeed) -> reading.Reading:
    """A reader of the answer who begins with its first word."""
    return reading.read([(delta.at_ns, delta.text) for delta in measured.time.answer_chunks], speed)


def units_per_s(measured: Measurement, speed: reading.ReadingSpeed) -> Figure:
    """Answer words (or characters) / (tn - ta), without those of the first arrival: tokenizer-free."""
    chunks = measured.time.answer_chunks
    if measured.is_buffered:
        return Unavailable(_("The stream was buffered on its way."))
    span_s = (chunks[-1].at_ns - chunks[0].at_ns) / NS_PER_S if chunks else 0
    if span_s < MIN_WINDOW_S:
        return Unavailable(
            _("The text came within 100 ms: too short to divide by.") if chunks else _("No text came.")
        )
    first = "".join(delta.text for delta in chunks if delta.read == chunks[0].read)
    counted = answer_units(measured, speed) - reading.count_units(first, speed.unit)
    if counted <= 0:
        return Unavailable(_("There are too few words."))
    return Quantity(counted / span_s, UNIT_PER_S[speed.unit])


def reading_ratio(measured: Measurement, speed: reading.ReadingSpeed) -> Figure:
    """How many times faster than reading the answer came: words/s / (words/min / 60)."""
    rate = units_per_s(measured, speed)
    return Quantity(float(rate.value) / speed.per_s, "×") if isinstance(rate, Quantity) else rate


def reading_speed_tps(measured: Measurement, speed: reading.ReadingSpeed) -> Figure:
    """The reading speed as tokens of this very text: o200k tokens per word x words/min / 60, in tok/s."""
    counted, tokens = answer_units(measured, speed), measured.counts.answer
    if not counted or not tokens:
        return Unavailable(_("There is nothing to read."))
    return Quantity(tokens / counted * speed.per_s, "tok/s")


def time_to_read_s(measured: Measurement, speed: reading.ReadingSpeed) -> Figure:
    """Seconds a person needs for the answer when all of it is there: words / (words/min / 60)."""
    counted = answer_units(measured, speed)
    return Quantity(counted / speed.per_s, "s") if counted else Unavailable(_("There is nothing to read."))


def human_done_s(measured: Measurement, speed: reading.ReadingSpeed) -> Figure:
    """Seconds from t0 until a person who began at the first answer word has read the last one."""
    done_ms = measured.time.since_sent_ms(reader_of(measured, speed).done_ns)
    return Unavailable(_("There is nothing to read.")) if done_ms is None else Quantity(done_ms / 1000, "s")


def starved_s(measured: Measurement, speed: reading.ReadingSpeed) -> Figure:
    """Seconds the reader stood waiting for text after having begun."""
    reader = reader_of(measured, speed)
    if reader.done_ns is None:
        return Unavailable(_("There is nothing to read."))
    return Quantity(reader.waited_ns / NS_PER_S, "s")


def lead_s(measured: Measurement, speed: reading.ReadingSpeed) -> Figure:
    """Seconds between the stream's end and the reader's: human done - tn."""
    done_ns, last_ns = reader_of(measured, speed).done_ns, measured.time.last_ns
    if done_ns is None or last_ns is None:
        return Unavailable(_("There is nothing to read."))
    return Quantity(max(0, done_ns - last_ns) / NS_PER_S, "s")
