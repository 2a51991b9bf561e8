"""How often each warning and each kind of error is told right over all contract cases; confusions by name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from lib.collector.single import Measurer
from tests.bench.pace import Pace
from tests.bench.report import Finding, Section
from tests.bench.soak import replaying
from tests.contract import test_cases as contract
from tests.contract.expectation import differences

NONE = "no error"
Pair = tuple[Mapping[str, Any], Mapping[str, Any]]  # what a case expects, what was told


class Tally:
    """For each word: how often it was due, how often it was told then, and every confusion."""

    def __init__(self) -> None:
        self.due: dict[str, int] = defaultdict(int)
        self.right: dict[str, int] = defaultdict(int)
        self.confused: dict[str, list[str]] = defaultdict(list)

    def add(self, case: str, wanted: set[str], told: set[str]) -> None:
        """One case: words that were due and words that were told."""
        for word in wanted:
            self.due[word] += 1
            if word in told:
                self.right[word] += 1
            else:
                self.confused[word].append(f"{case}: told {', '.join(sorted(told)) or 'nothing'}")
        for word in told - wanted:
            self.confused[word].append(f"{case}: told without cause")

    def findings(self) -> list[Finding]:
        """One finding per word: of how many tellings, due or not, none was wrong."""
        found = []
        for word in sorted({*self.due, *self.confused}):
            false = sum("without cause" in told for told in self.confused[word])
            share = 100 * self.right[word] / (self.due[word] + false)
            note = "; ".join([f"{self.right[word]} of {self.due[word]}", *self.confused[word]])
            found.append(Finding(word, "%", (share,), at_least=100, note=note))
        return found


def run(pace: Pace) -> Iterator[Section]:
    """Every case once, as the contract tests measure it (`pace` changes nothing)."""
    warnings, errors = Tally(), Tally()
    measured = _measured()
    for name, runs in measured.items():
        expect = contract.CASES[name]["expect"]
        for wanted, told in zip(expect.get("runs", [expect]), runs, strict=True):
            chosen = _closest(wanted, told)
            estimated = {"usage_estimated"} if told["status"] == "error" else set()  # allowed there, not due
            if "warnings" in chosen:
                due = set(chosen["warnings"])
                warnings.add(name, due, set(told["warnings"]) - (estimated - due))
            errors.add(name, {chosen.get("error_kind") or NONE}, {told["error_kind"] or NONE})
    yield Section(f"Warnings told right, of {len(measured)} cases", tuple(warnings.findings()))
    yield Section(f"Kinds of error told right, of {len(measured)} cases", tuple(errors.findings()))


def _closest(expect: Mapping[str, Any], told: Mapping[str, Any]) -> Mapping[str, Any]:
    """The accepted outcome that differs least from what was told."""
    rest = {name: value for name, value in expect.items() if name != "any_of"}
    accepted = [{**rest, **one} for one in expect.get("any_of", ({},))]
    return min(accepted, key=lambda one: len(differences(one, told, contract.KEY)))


def _measured() -> dict[str, list[dict[str, Any]]]:
    with (
        replaying(speed=1) as address,
        Measurer() as measurer,
        ThreadPoolExecutor(contract.AT_ONCE) as threads,
    ):
        told = threads.map(lambda name: contract._measure_case(measurer, address, name, "c"), contract.CASES)
        return dict(zip(contract.CASES, told, strict=True))
