"""`python -m lib COMMAND`: what Tokenrace can do without a page."""

from __future__ import annotations

import argparse
import sys

from lib import history, measure, probe


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m lib", description="Tokenrace without a page.")
    commands = parser.add_subparsers(dest="command", required=True)
    measure.add_arguments(
        commands.add_parser("measure", help="measure a backend", description=measure.__doc__)
    )
    probe.add_arguments(
        commands.add_parser("probe", help="say whether a backend can race", description=probe.__doc__)
    )
    history.add_history(commands.add_parser("history", help="list, show, verify, delete kept runs"))
    history.add_export(commands.add_parser("export", help="write a kept run to a file"))
    history.add_import(commands.add_parser("import", help="keep the run of a file"))
    options = parser.parse_args(arguments)
    run = {"measure": measure.run, "probe": probe.run, "history": history.run_history,
           "export": history.run_export, "import": history.run_import}  # fmt: skip
    return run[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
