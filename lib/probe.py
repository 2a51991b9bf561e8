"""`python -m lib probe`: try one backend without a page; exit code 0 only when it can race."""

from __future__ import annotations

import argparse
import os
import sys

import orjson

from lib.backends.probe import probe
from lib.backends.report import Report, Step, title
from lib.backends.settings import Configured, SettingsError, configured
from lib.domain.run import Backend

_MARKS = {True: "ok  ", False: "FAIL", None: "-   "}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    add = parser.add_argument
    add("--base-url", help="address of an OpenAI-compatible API, usually ending in /v1")
    add("--model", help="model name")
    add("--api-key-env", metavar="VAR", help="environment variable that holds the key")
    add("--backend", metavar="NAME", help="a backend from the settings")
    add("--json", action="store_true", help="one JSON document on standard output")


def run(options: argparse.Namespace) -> int:
    """Probe as the options say: 0 when the backend can race, 1 when not, 2 when nothing could be tried."""
    try:
        entry = _entry(options)
    except (SettingsError, LookupError) as error:
        if options.json:
            _print(Report((Step("settings", False, str(error.args[0])),)))
        sys.stderr.write(f"{error.args[0]}\n")
        return 2
    report = probe(entry.backend, entry.key, entry.limits, (lambda _step: None) if options.json else _show)
    if options.json:
        _print(report)
    else:
        sys.stdout.write("\nThis backend can race.\n" if report.ok else "\nThis backend cannot race.\n")
    return 0 if report.ok else 1


def _entry(options: argparse.Namespace) -> Configured:
    if options.backend:
        known = {entry.backend.id: entry for entry in configured()}
        if options.backend not in known:
            names = ", ".join(known) or "none"
            raise LookupError(f"no backend {options.backend!r} in the settings; known: {names}")
        return known[options.backend]
    if not options.base_url or not options.model:
        raise LookupError("give --base-url and --model, or --backend NAME")
    if options.api_key_env and options.api_key_env not in os.environ:
        raise LookupError(f"the variable {options.api_key_env} of --api-key-env is not set")
    key = os.environ.get(options.api_key_env, "").strip() if options.api_key_env else ""
    return Configured(Backend("probed", options.model, options.base_url, options.model), key)


def _print(report: Report) -> None:
    sys.stdout.write(orjson.dumps(report.document(), option=orjson.OPT_INDENT_2).decode() + "\n")


def _show(step: Step) -> None:
    took = "" if step.ms is None else f" [{step.ms:.0f} ms]"
    sys.stdout.write(f"{_MARKS[step.ok]} {title(step.name)}: {step.detail}{took}\n")
    if step.advice:
        sys.stdout.write(f"       {step.advice}\n")
    sys.stdout.flush()
