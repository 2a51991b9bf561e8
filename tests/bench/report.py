"""What the benchmarks found: values with their targets, a table to read, a document to keep.

A finding holds one value per repetition. The median is judged; the worst is printed beside it and said
to miss when it does. Nothing is measured here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

NOTICEABLE_PERCENT = 2.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One measured quantity; `at_most`/`at_least` are targets in `unit`, without either it only compares."""

    name: str
    unit: str
    values: tuple[float, ...]
    at_most: float | None = None
    at_least: float | None = None
    note: str = ""

    @property
    def median(self) -> float:
        """The middle of the repetitions."""
        return median(self.values)

    @property
    def worst(self) -> float:
        """The repetition furthest on the wrong side (the largest when there is no target)."""
        return min(self.values) if self.at_least is not None else max(self.values)

    def meets(self, value: float) -> bool:
        """Whether a value keeps the target."""
        return (self.at_most is None or value <= self.at_most) and (
            self.at_least is None or value >= self.at_least
        )

    @property
    def verdict(self) -> str:
        """`met`, `met (worst misses)`, `MISSED`, or nothing when there is no target."""
        if self.at_most is None and self.at_least is None:
            return ""
        if not self.meets(self.median):
            return "MISSED"
        return "met" if self.meets(self.worst) else "met (worst misses)"

    @property
    def target(self) -> str:
        """The target in words."""
        if self.at_most is not None:
            return f"<= {number(self.at_most)}"
        return f">= {number(self.at_least)}" if self.at_least is not None else ""


@dataclass(frozen=True, slots=True)
class Section:
    """The findings of one benchmark, or the reason why there are none."""

    title: str
    findings: tuple[Finding, ...] = ()
    absent: str = ""
    others_percent: float | None = None  # of the machine, used by programs that are not ours meanwhile


def number(value: float) -> str:
    """A value with three significant digits, whole above 100, thousands parted."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def lines(section: Section) -> Iterator[str]:
    """The section as lines of text."""
    yield ""
    yield section.title
    if section.absent:
        yield f"  not measured: {section.absent}"
        return
    if section.others_percent is not None and section.others_percent >= NOTICEABLE_PERCENT:
        yield f"  (other programs used {number(section.others_percent)} % of the machine meanwhile)"
    width = max(len(finding.name) for finding in section.findings)
    yield f"  {'':{width}}  {'target':>10}  {'median':>9}  {'worst':>9}  {'':9}"
    for finding in section.findings:
        yield (
            f"  {finding.name:{width}}  {finding.target:>10}  {number(finding.median):>9}  "
            f"{number(finding.worst):>9}  {finding.unit:9}  {_remark(finding)}"
        ).rstrip()


def write(path: Path, machine: dict[str, Any], sections: list[Section]) -> None:
    """Keep everything as one JSON document."""
    document = {
        "machine": machine,
        "sections": [
            {
                "title": section.title,
                "absent": section.absent or None,
                "others_percent": section.others_percent,
                "findings": [
                    {
                        **asdict(finding),
                        "median": finding.median,
                        "worst": finding.worst,
                        "verdict": finding.verdict,
                    }
                    for finding in section.findings
                ],
            }
            for section in sections
        ],
    }
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def summary(sections: list[Section]) -> str:
    """How many targets there were and how many were met, in one line."""
    judged = [finding for section in sections for finding in section.findings if finding.verdict]
    missed = [
        f"{finding.name} ({section.title.partition(' (')[0]})"
        for section in sections
        for finding in section.findings
        if finding.verdict == "MISSED"
    ]
    unmeasured = [section.title for section in sections if section.absent]
    text = f"{len(judged) - len(missed)} of {len(judged)} targets met"
    if missed:
        text += "\nMissed: " + "; ".join(missed)
    if unmeasured:
        text += "\nNot measured: " + "; ".join(unmeasured)
    return text


def _remark(finding: Finding) -> str:
    return ". ".join(part for part in (finding.verdict, finding.note) if part)
