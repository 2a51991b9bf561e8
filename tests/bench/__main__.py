"""Run the benchmarks: `python -m tests.bench [names] [--quick] [--out bench-results.json]`.

It prints what was measured beside its target and exits 0 also when a target is missed: a benchmark is a
measurement, not a test.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench import ceiling, machine, stamps, stock
from tests.bench.report import Section, lines, summary, write

BENCHMARKS: dict[str, Callable[[bool], list[Section]]] = {
    "stamps": stamps.run,
    "ceiling": ceiling.run,
    "stock": stock.run,
}


def main() -> None:
    """Parse, run, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(BENCHMARKS)}; default: all")
    parser.add_argument("--quick", action="store_true", help="under a minute: fewer and shorter repetitions")
    parser.add_argument("--out", type=Path, default=Path("bench-results.json"), help="where the JSON goes")
    options = parser.parse_args()
    if unknown := set(options.names) - BENCHMARKS.keys():
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}")
    found = machine.describe()
    print(machine.line(found), flush=True)
    sections: list[Section] = []
    foreign: dict[str, float] = {}
    for name in options.names or BENCHMARKS:
        began, others = time.monotonic(), machine.Others()
        for section in BENCHMARKS[name](options.quick):
            sections.append(section)
            print("\n".join(lines(section)), flush=True)
        took_s = time.monotonic() - began
        foreign[name] = round(others.percent(), 1)
        print(
            f"  ({name}: {took_s:.0f} s; other programs used {foreign[name]:g} % of the machine)", flush=True
        )
    write(options.out, {**found, "other_programs_percent": foreign}, sections)
    print(f"\n{summary(sections)}. Written to {options.out}.")


if __name__ == "__main__":
    main()
