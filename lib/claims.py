"""A claim about speed set against one's own trials: holds, does not hold, or not shown yet, each with why.

A maximum is shown by one run that reaches it and refuted by none; a typical value needs trials enough for an
interval; a ratio needs both backends in the same rounds; a rumour stays one. Only live backends show anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from lib import numbers
from lib.domain.run import Backend, Origin
from lib.i18n import _
from lib.metrics.quantity import Unavailable
from lib.metrics.statistics import MIN_PAIRS, RatioInterval, paired_ratio
from lib.trials.summary import compare, ratio_text, trials_of
from lib.trials.trial import Trial

ABOUT = 1.2  # "about 750" is 625 to 900: within a factor of 1.2
RATES = ("decode_tok_s", "normalised_e2e_tok_s")
TIMES = ("ttfat_ms", "ttft_ms")
UNITS = {"tok/s": RATES, "×": RATES, "ms": TIMES}


class Kind(StrEnum):
    """Who stands behind the number."""

    MAXIMUM = "announced maximum"
    VENDOR = "vendor-run"
    INDEPENDENT = "independent"
    PRESS = "press"
    RUMOUR = "rumour"


class Bound(StrEnum):
    """What is claimed of the number."""

    UP_TO = "up to"  # of a time: as short as
    ABOUT = "about"
    AT_LEAST = "at least"
    AT_MOST = "at most"


class Word(StrEnum):
    """The verdict in a word."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    NOT_SHOWN = "not shown yet"


@dataclass(frozen=True, slots=True)
class Claim:
    """A number somebody said. Without a `figure`, trials of a prompt cannot show it.

    `about` and `against` name the models it speaks of; `high` makes a range of an "about". `verdict` and `check` are
    what was found out about it from published sources.
    """

    id: str
    claim: str
    kind: Kind
    number: float | None = None
    high: float | None = None
    unit: str = ""
    figure: str = ""
    bound: Bound = Bound.ABOUT
    context: str = ""
    who: str = ""
    when: str = ""
    about: str = ""
    against: str = ""
    link: str = ""
    verdict: str = ""
    check: str = ""
    source: str = ""
    is_own: bool = False

    @property
    def is_ratio(self) -> bool:
        """Whether it compares two backends."""
        return self.unit == "×"

    @property
    def can_be_tried(self) -> bool:
        """Whether trials can say anything about it."""
        return bool(self.figure) and self.number is not None


@dataclass(frozen=True, slots=True)
class Evidence:
    """One's own trials of the backend at `place`; a ratio is that backend over the one at `against`."""

    trials: Sequence[Trial]
    backends: Sequence[Backend]
    place: int
    against: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The word and the sentence why."""

    word: Word
    why: str


@dataclass(frozen=True, slots=True)
class _Sample:
    """What the trials gave: each value, and the interval of their geometric mean."""

    values: tuple[float, ...]
    interval: RatioInterval | Unavailable


def judge(claim: Claim, evidence: Evidence | None) -> Verdict:
    """What the trials say about the claim; `evidence` None means there are none."""
    obstacle = _obstacle(claim, evidence)
    if obstacle or evidence is None:
        return Verdict(Word.NOT_SHOWN, obstacle)
    sample = _sample(claim, evidence)
    if not sample.values:
        none = _("No complete trial has this figure.")
        both = _("No round was completed by both, so there is no pair to compare.")
        return Verdict(Word.NOT_SHOWN, both if claim.is_ratio else none)
    if claim.kind is Kind.RUMOUR:
        told = _("Nobody stands behind this number, so it stays a rumour; your trials gave {values}.")
        return Verdict(Word.NOT_SHOWN, told.format(values=_span(claim, sample)))
    if claim.kind is Kind.MAXIMUM or claim.bound is Bound.UP_TO:
        return _maximum(claim, sample)
    return _typical(claim, sample)


def amount(claim: Claim, value: float) -> str:
    """A value in the claim's unit, as people read it."""
    if claim.unit == "ms":
        return numbers.milliseconds(value)
    return ratio_text(value) if claim.is_ratio else numbers.rate(value)


def is_about(claim_words: str, backend: Backend) -> bool:
    """Whether every word of a claimed model's name is in the backend's name, model or note."""
    told = set(_words(f"{backend.name} {backend.model} {backend.note}"))
    return all(word in told for word in _words(claim_words))


def _obstacle(claim: Claim, evidence: Evidence | None) -> str:
    if not claim.can_be_tried:
        return _("Trials of a prompt cannot show it.")
    if evidence is None:
        return _("There are no trials to set it against.")
    if claim.is_ratio and evidence.against in (None, evidence.place):
        return _("A ratio needs trials of two backends in the same rounds.")
    sides = [(evidence.place, claim.about)]
    if claim.is_ratio and evidence.against is not None:
        sides.append((evidence.against, claim.against))
    for place, model in sides:
        backend = evidence.backends[place]
        if backend.origin is not Origin.LIVE:
            return _(
                "{name} is {badge}: it plays a speed it was given, which shows how a claim looks, not that it holds."
            ).format(name=backend.name, badge=_(backend.origin.value))
        if not is_about(model, backend):
            return _("The claim is about {model}; these trials asked {name}.").format(
                model=model, name=backend.name
            )
    return ""


def _sample(claim: Claim, evidence: Evidence) -> _Sample:
    if claim.is_ratio and evidence.against is not None:
        found = compare(evidence.trials, evidence.place, evidence.against, claim.figure)
        return _Sample(found.ratios, found.interval)
    trials = trials_of(evidence.trials, evidence.place)
    values = tuple(value for trial in trials if (value := trial.comparable(claim.figure)) is not None)
    return _Sample(values, paired_ratio([(value, 1.0) for value in values]))


def _maximum(claim: Claim, sample: _Sample) -> Verdict:
    number = claim.number or 0.0
    is_time = claim.unit == "ms"
    best = min(sample.values) if is_time else max(sample.values)
    reached = best <= number if is_time else best >= number
    said = {"best": amount(claim, best), "n": len(sample.values), "number": amount(claim, number)}
    if reached:
        return Verdict(
            Word.HOLDS, _("One run is enough for a maximum: the best of {n} reached {best}.").format(**said)
        )
    return Verdict(
        Word.NOT_SHOWN,
        _("The best of {n} runs gave {best}, short of {number}. Slower runs do not refute a maximum.").format(**said),
    )  # fmt: skip


def _typical(claim: Claim, sample: _Sample) -> Verdict:
    interval = sample.interval
    if isinstance(interval, Unavailable):
        few = _("A typical value needs at least {needed} trials, and there are {n}: {values}.")
        told = few.format(needed=MIN_PAIRS, n=len(sample.values), values=_span(claim, sample))
        return Verdict(Word.NOT_SHOWN, told)
    low, high = _claimed(claim)
    said = {
        "mean": amount(claim, interval.ratio), "n": interval.pairs, "low": amount(claim, interval.low),
        "high": amount(claim, interval.high), "claimed": _range_text(claim, low, high),
    }  # fmt: skip
    if low <= interval.low and interval.high <= high:
        return Verdict(
            Word.HOLDS,
            _("{n} trials gave {mean} (95 %: {low} to {high}), all of it within {claimed}.").format(**said),
        )
    if interval.high < low or interval.low > high:
        return Verdict(
            Word.DOES_NOT_HOLD,
            _("{n} trials gave {mean} (95 %: {low} to {high}), all of it outside {claimed}.").format(**said),
        )
    both = _(
        "{n} trials gave {mean}, but their interval ({low} to {high}) lies on both sides of an edge of {claimed}."
    )
    return Verdict(Word.NOT_SHOWN, both.format(**said))


def _claimed(claim: Claim) -> tuple[float, float]:
    number = claim.number or 0.0
    if claim.bound is Bound.AT_LEAST:
        return number, float("inf")
    if claim.bound is Bound.AT_MOST:
        return 0.0, number
    return (number, claim.high) if claim.high is not None else (number / ABOUT, number * ABOUT)


def _range_text(claim: Claim, low: float, high: float) -> str:
    if claim.bound is Bound.AT_LEAST:
        return _("at least {number}").format(number=amount(claim, low))
    if claim.bound is Bound.AT_MOST:
        return _("at most {number}").format(number=amount(claim, high))
    return _("{low} to {high}").format(low=amount(claim, low), high=amount(claim, high))


def _span(claim: Claim, sample: _Sample) -> str:
    least, most = min(sample.values), max(sample.values)
    if least == most:
        return amount(claim, least)
    return _("{low} to {high}").format(low=amount(claim, least), high=amount(claim, most))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+|\d+(?:\.\d+)*", text.lower())
