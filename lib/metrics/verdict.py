"""The one sentence that ends a race, made by rule, and the order of finishing.

It says who had finished when, what that is to a person reading, and what it is to an agent. Ratios come
from end-to-end rates of o200k-normalised tokens of complete answers; answers of fewer than 16 tokens are
not compared. Where lanes of different origin are compared, each says what it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from lib import numbers
from lib.domain import events as ev
from lib.domain.run import Backend, Mode, Origin, Run
from lib.i18n import _, ngettext
from lib.metrics import rates, reader_view
from lib.metrics.measurement import Measurement, measure
from lib.metrics.quantity import number
from lib.reading import ReadingSpeed, speed_for

TIE = 1.05  # within 5 %: about as fast
LENGTHS_DIFFER = 1.5
STARVED_S = 1.0  # a reader who waits less than this in all does not mind
LATE_FIRST_WORD_S = 10.0
READER = "reader"

Segment = list[str]


@dataclass(frozen=True, slots=True)
class _Lane:
    """One lane with what the sentence needs of it."""

    name: str
    measured: Measurement
    speed: ReadingSpeed

    @property
    def whole_s(self) -> float:
        return (self.measured.time.since_sent_ms(self.measured.time.last_ns) or 0.0) / 1000

    @property
    def rate_tps(self) -> float | None:
        enough = (self.measured.counts.visible or 0) >= rates.MIN_TOKENS
        return number(rates.normalised_end_to_end_rate(self.measured)) if enough else None

    @property
    def time_to_read_s(self) -> float | None:
        return number(reader_view.time_to_read_s(self.measured, self.speed))

    @property
    def waiting_s(self) -> float:
        return number(reader_view.starved_s(self.measured, self.speed)) or 0.0

    @property
    def first_word_s(self) -> float:
        return (self.measured.time.since_sent_ms(self.measured.time.answer_begins_ns) or 0.0) / 1000

    @property
    def is_too_slow_to_read(self) -> bool:
        return self.waiting_s >= STARVED_S or self.first_word_s >= LATE_FIRST_WORD_S


def result_of(run: Run, speed: ReadingSpeed | None) -> dict[str, Any]:
    """The result of a finished run as docs/recording.md's `result`: the verdict and each lane's place.

    `speed` None: the silent reading speed for the language of each answer.
    """
    measured = _measured(run)
    return {"verdict": _sentence(run, measured, speed), "places": _places(run, measured)}


def verdict(run: Run, speed: ReadingSpeed | None) -> list[Segment]:
    """The sentence as [text, mark] pieces; the mark is "reader" where it speaks of the person."""
    return _sentence(run, _measured(run), speed)


def places(run: Run) -> list[int | None]:
    """Finishing order of the complete answers by their last text, 1 first; None for every other lane.

    On the race clock when all ran at once; by the time each took, otherwise. Equal times share a place.
    """
    return _places(run, _measured(run))


def _measured(run: Run) -> list[Measurement]:
    return [measure(*pair) for pair in zip(run.generations, run.backends, strict=True)]


def _sentence(run: Run, measured: Sequence[Measurement], speed: ReadingSpeed | None) -> list[Segment]:
    done = [index for index, one in enumerate(measured) if _is_complete(one)]
    if not done:
        return [[_nobody(measured), ""]]
    names = _names(run.backends, done)
    lanes = [_Lane(names[i], measured[i], speed_for(measured[i].answer, speed)) for i in done]
    order = _finish_times(run, measured)
    winner = min(zip(done, lanes, strict=True), key=lambda pair: order[pair[0]])[1]
    pieces = [
        *_how_many(len(done), len(measured)),
        *_finish(winner),
        *_for_reader(lanes),
        *_for_agent(lanes),
    ]
    return [*pieces, [_("."), ""]]


def _places(run: Run, measured: Sequence[Measurement]) -> list[int | None]:
    times = _finish_times(run, measured)
    ordered = sorted(times.values())
    return [ordered.index(times[index]) + 1 if index in times else None for index in range(len(measured))]


def _is_complete(measured: Measurement) -> bool:
    return measured.time.status is ev.Status.COMPLETE and measured.time.last_ns is not None


def _finish_times(run: Run, measured: Sequence[Measurement]) -> dict[int, int]:
    at_once = run.mode is Mode.ALL_AT_ONCE
    return {
        index: (one.time.last_ns or 0) - (0 if at_once else (one.time.sent_ns or 0))
        for index, one in enumerate(measured)
        if _is_complete(one)
    }


def _nobody(measured: Sequence[Measurement]) -> str:
    stopped = sum(one.time.status is ev.Status.STOPPED for one in measured)
    if stopped == len(measured):
        return _("Stopped before any answer was complete.")
    failed = sum(one.time.status is ev.Status.ERROR for one in measured)
    if failed == len(measured):
        one, several = "The lane failed; nothing to compare.", "Every lane failed; nothing to compare."
        return ngettext(one, several, failed)
    return _("No answer was complete, so there is nothing to compare.")


def _how_many(done: int, lanes: int) -> list[Segment]:
    if done == lanes:
        return []
    return [
        [
            _("{done} of {lanes} finished; ").format(done=_spelled(done).capitalize(), lanes=_spelled(lanes)),
            "",
        ]
    ]


def _finish(winner: _Lane) -> list[Segment]:
    text = _("{name} had finished in {time}").format(name=winner.name, time=numbers.seconds(winner.whole_s))
    length = winner.measured.counts.visible or 0
    if 0 < length < rates.MIN_TOKENS:
        text += _(" with only {tokens}").format(tokens=numbers.tokens(length))
    first = [text, ""]
    needed_s = winner.time_to_read_s
    if needed_s is None:
        return [first]
    person = _("a person needs {time} to read it").format(time=numbers.seconds(needed_s))
    return [first, [_("; "), ""], [person, READER]]


def _for_reader(lanes: Sequence[_Lane]) -> list[Segment]:
    readable = [lane for lane in lanes if lane.time_to_read_s is not None]
    if not readable:
        return []
    slow = [lane for lane in readable if lane.is_too_slow_to_read]
    if not slow:
        return [[_("; "), ""], [_all_fast_enough(len(readable)), READER]]
    worst = max(slow, key=lambda lane: (lane.waiting_s, lane.first_word_s))
    return [[_("; "), ""], [_too_slow(worst, len(slow), len(readable)), READER]]


def _all_fast_enough(lanes: int) -> str:
    if lanes == 1:
        return _("for a reader it is fast enough")
    if lanes == 2:
        return _("for a reader both are fast enough")
    return _("for a reader all {lanes} are fast enough").format(lanes=_spelled(lanes))


def _too_slow(worst: _Lane, slow: int, lanes: int) -> str:
    if worst.waiting_s >= STARVED_S:
        why = _("the reader stood waiting {time} for text").format(time=numbers.seconds(worst.waiting_s))
    else:
        why = _("the first word came after {time}").format(time=numbers.seconds(worst.first_word_s))
    if slow == 1:
        return _("for a reader {name} is too slow: {why}").format(name=worst.name, why=why)
    text = _("for a reader {slow} of {lanes} are too slow; slowest {name}: {why}")
    return text.format(slow=_spelled(slow), lanes=_spelled(lanes), name=worst.name, why=why)


def _for_agent(lanes: Sequence[_Lane]) -> list[Segment]:
    rated = sorted(((lane.rate_tps, lane) for lane in lanes if lane.rate_tps), key=lambda pair: -pair[0])
    if len(rated) < 2:
        return []
    best_tps, best = rated[0]
    if best_tps / rated[-1][0] <= TIE:
        least = rated[-1][1]
        tie = (
            _("for an agent {a} and {b} are about as fast")
            if len(rated) == 2
            else _("for an agent all are about as fast")
        )
        return [[_(", {rest}").format(rest=tie.format(a=best.name, b=least.name)), ""]]
    least_tps, least = _counterpart(best, rated[1:])
    ratio = numbers.ratio(best_tps / least_tps)
    compared = _("for an agent {best} is {ratio} {least}").format(
        best=best.name, ratio=ratio, least=least.name
    )
    return [[_(", {rest}").format(rest=f"{compared}{_length_note([best, least])}"), ""]]


def _counterpart(best: _Lane, others: Sequence[tuple[float, _Lane]]) -> tuple[float, _Lane]:
    """Whom the fastest is set against: the slowest of its own kind and family, else the slowest of all.

    Of its kind: same badge. Of its family: the names begin with the most common words, at least one.
    """
    kin = [(_common_words(best, lane), -rate, rate, lane) for rate, lane in others if _is_kin(best, lane)]
    if not kin:
        return others[-1]
    _words, _order, rate, lane = max(kin, key=lambda entry: entry[:2])
    return rate, lane


def _is_kin(one: _Lane, other: _Lane) -> bool:
    mine, its = one.measured.backend, other.measured.backend
    return mine.origin is its.origin and mine.id != its.id and _common_words(one, other) > 0


def _common_words(one: _Lane, other: _Lane) -> int:
    pairs = zip(one.measured.backend.name.split(), other.measured.backend.name.split(), strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _length_note(lanes: Sequence[_Lane]) -> str:
    lengths = [lane.measured.counts.visible or 0 for lane in lanes]
    if min(lengths) <= 0 or max(lengths) / min(lengths) < LENGTHS_DIFFER:
        return ""
    note = _(" by rate, as the answers are of very different length ({least} to {most})")
    return note.format(least=numbers.whole(min(lengths)), most=numbers.tokens(max(lengths)))


def _names(backends: Sequence[Backend], compared: Sequence[int]) -> dict[int, str]:
    """The names of the compared lanes: numbered when used twice, with their origin when origins are mixed."""
    mixed = len({backends[index].origin for index in compared}) > 1
    plain = [backends[index].name for index in compared]
    return {
        index: _name(backends[index], index, plain.count(backends[index].name) > 1, mixed)
        for index in compared
    }


def _name(backend: Backend, index: int, twice: bool, mixed: bool) -> str:
    name = _("{name} (lane {n})").format(name=backend.name, n=index + 1) if twice else backend.name
    if not mixed or backend.origin is Origin.LIVE:
        return name
    return f"{name} ({_(backend.origin.value)})"


def _spelled(number_of: int) -> str:
    words = (
        _("none"),
        _("one"),
        _("two"),
        _("three"),
        _("four"),
        _("five"),
        _("six"),
        _("seven"),
        _("eight"),
    )
    return words[number_of] if number_of < len(words) else numbers.whole(number_of)
