"""What the history says of a run without opening it, and how it is asked.

A figure that is None is absent; the opened run says why. Nothing here knows a database.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from lib.domain.run import Mode, Origin, Run
from lib.domain.series import SeriesPlan


@dataclass(frozen=True, slots=True)
class Summary:
    """The outcome of one lane; `status` is `running` until the run has ended."""

    status: str
    error_kind: str | None = None
    ttft_ms: float | None = None
    ttfat_ms: float | None = None
    whole_ms: float | None = None
    decode_tok_s: float | None = None
    e2e_tok_s: float | None = None
    normalised_e2e_tok_s: float | None = None
    output_tokens: int | None = None
    is_estimated: bool | None = None
    cost: Decimal | None = None  # in the currency of the backend's prices


@dataclass(frozen=True, slots=True)
class LaneRow:
    """One lane of a listed run."""

    lane: int
    backend_id: str
    name: str
    model: str
    base_url: str
    origin: Origin
    summary: Summary


@dataclass(frozen=True, slots=True)
class SeriesRow:
    """What a listed series has beside a run: how it was meant, and how many rounds are there (without warm-up)."""

    plan: SeriesPlan
    kept: int


@dataclass(frozen=True, slots=True)
class RunRow:
    """One listed run, or a series of trials. `prompt` is its beginning; `status` is `running`, or the worst of its lanes."""

    id: str
    started_ms: int  # since 1970 UTC
    prompt: str
    mode: Mode
    status: str
    lanes: tuple[LaneRow, ...]
    tags: tuple[str, ...] = ()
    notes: str = ""
    clock_health_ms: float | None = None
    deleted_ms: int | None = None
    series: SeriesRow | None = None  # what its lanes then show are medians


@dataclass(frozen=True, slots=True)
class Filter:
    """Which runs; what is None or empty does not limit. All conditions must hold."""

    text: str = ""  # beginnings of words in prompt, system text, backends, tags and notes
    backend: str | None = None  # name of a lane's backend, exactly
    prompt: str | None = None  # the whole prompt text, exactly
    since_ms: int | None = None  # started then or later
    until_ms: int | None = None  # started before
    mode: Mode | None = None
    origin: Origin | None = None  # of at least one lane
    status: str | None = None
    tag: str | None = None
    deleted: bool = False  # those that can still be restored, instead of the others


@dataclass(frozen=True, slots=True)
class Page:
    """Some runs, newest first, and how many there are in all."""

    rows: tuple[RunRow, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure of the list that its recording does not give (any more)."""

    lane: int
    figure: str
    kept: str
    computed: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What recomputing one run found; `problem` says why its recording could not be read."""

    run_id: str
    differences: tuple[Difference, ...] = ()
    problem: str = ""

    @property
    def ok(self) -> bool:
        """Whether the list tells what the recording gives."""
        return not self.differences and not self.problem


@dataclass(frozen=True, slots=True)
class SeriesRecord:
    """A series with the rounds that were kept, in order. `ended`: why early, empty when done, None while it runs."""

    run: Run  # what was asked of whom; nothing came back to itself
    plan: SeriesPlan
    ended: str | None
    rounds: tuple[tuple[int, Run], ...]


class NoSuchRunError(LookupError):
    """The history has no run of that id."""
