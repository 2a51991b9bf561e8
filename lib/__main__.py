"""`python -m lib COMMAND`: what Tokenrace can do without a page."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

from lib import history, measure, probe
from lib.agents import command as agents
from lib.own_lines import data_folder


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
    agents.add_agents(commands.add_parser("agents", help="carry out a trace", description=agents.__doc__))
    agents.add_prompt_set(commands.add_parser("promptset", help="ask every question of a file"))
    options = parser.parse_args(arguments)
    run: dict[str, Callable[[argparse.Namespace], int]] = {
           "measure": measure.run, "probe": probe.run, "history": history.run_history,
           "export": history.run_export, "import": history.run_import, "agents": agents.run_agents,
           "promptset": partial(agents.run_prompt_set, folder=data_folder())}  # fmt: skip
    return run[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
