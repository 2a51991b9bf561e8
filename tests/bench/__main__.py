"""Run the benchmarks: `python -m tests.bench [names] [--quick] [--out bench-results.json]`.

It prints what was measured beside its target and exits 0 also when a target is missed: a benchmark is a
measurement, not a test.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tests.bench import (
    agents,
    ceiling,
    classification,
    followed,
    history,
    kill,
    local_model,
    machine,
    page,
    soak,
    stamps,
    stock,
)
from tests.bench.pace import Pace
from tests.bench.report import Section, lines, summary, write

BENCHMARKS: dict[str, Callable[[Pace], Iterator[Section]]] = {
    "stamps": stamps.run,
    "followed": followed.run,
    "agents": agents.run,
    "ceiling": ceiling.run,
    "stock": stock.run,
    "page": page.run,
    "history": history.run,
    "kill": kill.run,
    "local-model": local_model.run,
    "classification": classification.run,
    "soak": soak.run,
}


def main() -> None:
    """Parse, run, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(BENCHMARKS)}; default: all")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter repetitions")
    parser.add_argument(
        "--patience",
        type=float,
        default=0,
        metavar="S",
        help="wait up to S s for a quiet machine, per repetition",
    )
    parser.add_argument("--out", type=Path, default=Path("bench-results.json"), help="where the JSON goes")
    options = parser.parse_args()
    if unknown := set(options.names) - BENCHMARKS.keys():
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}")
    found = machine.describe()
    print(machine.line(found), flush=True)
    sections: list[Section] = []
    pace = Pace(options.quick, options.patience)
    for name in options.names or BENCHMARKS:
        began_s = time.monotonic()
        for section in watched(name, BENCHMARKS[name](pace), pace):
            sections.append(section)
            print("\n".join(lines(section)), flush=True)
        print(f"  ({name}: {time.monotonic() - began_s:.0f} s)", flush=True)
    write(options.out, found, sections)
    print(f"\n{summary(sections)}\nWritten to {options.out}.")


def watched(name: str, sections: Iterator[Section], pace: Pace) -> Iterator[Section]:
    """Each section with how much of the machine other programs used while it was measured.

    A benchmark that breaks becomes a section that says so: what the others found is not lost with it.
    """
    others = machine.Others()
    try:
        for section in sections:
            in_repetitions = pace.others_percent()
            percent = others.percent() if in_repetitions is None else in_repetitions
            yield replace(section, others_percent=percent)
            others = machine.Others()
    except Exception as error:
        yield Section(f"The rest of {name}", absent=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
