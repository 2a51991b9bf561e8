"""Where the figures of a run come from, as headed lists of facts in words; exports place them as they like.

What every figure says of itself is `lib/provenance.py`; here stands what only a whole file has room for.
"""

from __future__ import annotations

from collections.abc import Sequence

from lib.charts.result_lanes import ResultLane
from lib.domain.run import Params, Run
from lib.export.private_hosts import host_of
from lib.i18n import _
from lib.metrics.warnings import served_model
from lib.provenance import conditions_of, lane_facts, shared_facts

Facts = list[tuple[str, str]]


def provenance(run: Run, lanes: Sequence[ResultLane]) -> list[tuple[str, Facts]]:
    """[(head, [(name, fact)])]: the race first, then every lane; facts that are not known are left out."""
    return [(_("The race"), _race(run)), *((lane.label, _lane(run, lane)) for lane in lanes)]


def _race(run: Run) -> Facts:
    return [
        *shared_facts(conditions_of(run)),
        (_("Times"), _("taken when the network read returned, on one monotonic clock, never by a display")),
    ]


def _lane(run: Run, lane: ResultLane) -> Facts:
    backend = lane.backend
    served = served_model(lane.measured) or ""
    facts = [
        (_("Model"), backend.model),
        (_("Model in the answer"), served if served != backend.model else ""),
        (_("Host"), host_of(backend) or _("private address, not shown")),
        *lane_facts(backend, lane.measured),
        (_("Parameters"), _params(run.params_of(lane.index))),
        (_("Prices"), backend.prices.source if backend.prices else ""),
    ]
    return [(name, text) for name, text in facts if text]


def _params(params: Params) -> str:
    named = ("max_tokens", "temperature", "top_p", "seed", "reasoning_effort")
    values = [(name, getattr(params, name)) for name in named]
    stop = [("stop", ", ".join(repr(word) for word in params.stop))] if params.stop else []
    return ", ".join(f"{name} {value}" for name, value in [*values, *stop] if value is not None)
