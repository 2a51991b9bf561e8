"""A probe as it runs: its steps appear one after another, each with what to do about a failure."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lib import numbers
from lib.backends.policy import OPEN
from lib.backends.probe import probe
from lib.backends.report import Report, Step, title
from lib.backends.table import Configured
from lib.i18n import _
from lib.ui.markdown import plain
from lib.ui.wiring import policy

_MARKS = {True: "✓", False: "✗", None: "–"}


def show_probe(entry: Configured, typed: bool) -> Report:
    """Probe one backend and show the steps as they come; `typed`: by a visitor, so the server's rules apply."""
    rules = policy() if typed else OPEN  # the operator's own backends are never asked
    with st.status(_("Probing {name}").format(name=plain(entry.backend.name)), expanded=True) as box:
        report = probe(entry.backend, entry.key, entry.limits, _show_step, rules)
        verdict = _("{name} can race.") if report.ok else _("{name} cannot race yet.")
        box.update(
            label=verdict.format(name=plain(entry.backend.name)),
            state="complete" if report.ok else "error",
            expanded=True,
        )
    return report


def show_probes(entries: Sequence[tuple[Configured, bool]]) -> None:
    """Probe all, one after another, with progress; each with whether a visitor typed it."""
    progress = st.progress(0.0, _("Probing"))
    for number, (entry, typed) in enumerate(entries, 1):
        show_probe(entry, typed)
        told = _("{number} of {total} probed").format(number=number, total=len(entries))
        progress.progress(number / len(entries), told)


def _show_step(step: Step) -> None:
    took = f" · {numbers.milliseconds(step.ms)}" if step.ms is not None else ""
    st.markdown(f"{_MARKS[step.ok]} **{plain(title(step.name))}** {plain(step.detail)}{took}")
    if step.advice:
        st.caption(plain(step.advice))
