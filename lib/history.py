"""`python -m lib history|export|import`: the kept runs without a page.

Tables for people on standard output, or one JSON document with `--json`. Exit codes: 0 done, 1 when `verify` found
a difference, 2 when nothing could be done (the reason is on standard error).
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy.exc import SQLAlchemyError

from lib import numbers
from lib.domain.codec import RecordingError
from lib.domain.events import Status
from lib.domain.run import Mode, Origin, Run
from lib.export.markdown_table import markdown_table
from lib.export.recording import recording_json
from lib.export.run_tables import deltas_csv, lanes_csv
from lib.i18n import _, ngettext
from lib.series_files import read_series, series_json, series_markdown, trials_csv
from lib.store.location import AddressOfDatabaseError
from lib.store.migrate import NewerHistoryError
from lib.store.rows import Filter, LaneRow, NoSuchRunError, RunRow, Verification
from lib.store.store import Store
from lib.trials.kept import KeptSeries
from lib.trials.summary import rounds_text


def _drawn(module: str, function: str) -> Callable[[Run], bytes]:
    """An export that draws charts; what it draws with is loaded when it is asked for."""
    return lambda run: getattr(importlib.import_module(f"lib.export.{module}"), function)(run)


FORMATS: dict[str, Callable[[Run], bytes]] = {
    "json": recording_json,
    "csv": lambda run: lanes_csv(run, None),
    "deltas-csv": deltas_csv,
    "md": markdown_table,
    "html": _drawn("html", "replay_html"),
    "png": _drawn("card", "card_png"),
}
SERIES_FORMATS: dict[str, Callable[[KeptSeries], bytes]] = {"csv": trials_csv, "md": series_markdown}
EXPECTED = (
    SQLAlchemyError, OSError, AddressOfDatabaseError, NewerHistoryError, NoSuchRunError, RecordingError,
)  # fmt: skip
PROMPT_CHARACTERS = 60


def add_history(parser: argparse.ArgumentParser) -> None:
    """The options of `history`."""
    what = parser.add_subparsers(dest="what", required=True)
    listed = what.add_parser("list", help="runs, newest first")
    _add_filters(listed)
    for name, text in (("show", "one run with its lanes"), ("verify", "recompute figures from the recordings"),
                       ("delete", "take runs out of the list; they can be restored for a week")):  # fmt: skip
        one = what.add_parser(name, help=text)
        one.add_argument("runs", nargs="*" if name == "verify" else "+", metavar="RUN_ID")
        if name == "delete":
            one.add_argument("--undo", action="store_true", help="restore them")
    for one in what.choices.values():
        one.add_argument("--json", action="store_true", help="one JSON document on standard output")


def add_export(parser: argparse.ArgumentParser) -> None:
    """The options of `export`."""
    parser.add_argument("run", metavar="RUN_ID")
    parser.add_argument("--format", choices=sorted(FORMATS), default="json")
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="default: standard output")


def add_import(parser: argparse.ArgumentParser) -> None:
    """The options of `import`."""
    parser.add_argument("file", metavar="FILE", help="a recording, or - for standard input")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")


def run_history(options: argparse.Namespace) -> int:
    """`history list|show|verify|delete`."""
    return _with_store(
        {"list": _list, "show": _show, "verify": _verify, "delete": _delete}[options.what], options
    )


def run_export(options: argparse.Namespace) -> int:
    """`export`: one run as a file."""
    return _with_store(_export, options)


def run_import(options: argparse.Namespace) -> int:
    """`import`: one file as a run."""
    return _with_store(_import, options)


def _with_store(do: Callable[[Store, argparse.Namespace], int], options: argparse.Namespace) -> int:
    try:
        store = Store()
        try:
            return do(store, options)
        finally:
            store.close()
    except NoSuchRunError as error:
        sys.stderr.write(_("The history has no run {id}.").format(id=_plain(str(error))) + "\n")
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        sys.stderr.write(_("The history cannot be used: {cause}").format(cause=_plain(str(cause))) + "\n")
    except EXPECTED as error:
        sys.stderr.write(f"{_plain(str(error))}\n")
    return 2


def _list(store: Store, options: argparse.Namespace) -> int:
    page = store.page(_filter(options), options.offset, options.limit)
    if options.json:
        return _print({"total": page.total, "runs": [_document(row) for row in page.rows]})
    for row in page.rows:
        _say(_summary_line(row))
    counted = ngettext("{n} of {total} run", "{n} of {total} runs", page.total)
    shown = counted.format(n=numbers.whole(len(page.rows)), total=numbers.whole(page.total))
    _say(shown)
    return 0


def _show(store: Store, options: argparse.Namespace) -> int:
    rows = [store.row(run_id) for run_id in options.runs]
    if options.json:
        return _print({"runs": [_document(row) for row in rows]})
    for row in rows:
        _say(_summary_line(row))
        for lane in row.lanes:
            _say(f"    {lane.lane + 1}. {_lane_line(lane)}")
        for text in (", ".join(row.tags), row.notes):
            if text:
                _say(f"    {text}")
    return 0


def _verify(store: Store, options: argparse.Namespace) -> int:
    found = [store.verify(run_id) for run_id in options.runs] if options.runs else list(store.verify_all())
    wrong = [one for one in found if not one.ok]
    if options.json:
        _print({"verified": len(found), "wrong": [asdict(one) for one in wrong]})
    else:
        for one in wrong:
            _say(_fault_lines(one))
        told = _("verified: {n}, differing: {wrong}").format(n=numbers.whole(len(found)), wrong=len(wrong))
        _say(told)
    return 1 if wrong else 0


def _delete(store: Store, options: argparse.Namespace) -> int:
    for run_id in options.runs:
        store.row(run_id)  # all or none
    for run_id in options.runs:
        (store.restore if options.undo else store.delete)(run_id)
    if options.json:
        return _print({"restored" if options.undo else "deleted": options.runs})
    said = _("Restored.") if options.undo else _("Deleted; --undo brings them back for a week.")
    _say(said)
    return 0


def _export(store: Store, options: argparse.Namespace) -> int:
    data = _exported(store, options)
    if options.output == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    else:
        Path(options.output).write_bytes(data)
    return 0


def _exported(store: Store, options: argparse.Namespace) -> bytes:
    """One run as a file, or a series in the forms that it has."""
    if store.row(options.run).series is None:
        return FORMATS[options.format](store.open(options.run))
    if options.format == "json":
        return series_json(store, options.run)
    if options.format not in SERIES_FORMATS:
        raise RecordingError(_("A series of trials is exported as json, csv or md; its rounds are runs of their own."))
    return SERIES_FORMATS[options.format](read_series(store, options.run, None))


def _import(store: Store, options: argparse.Namespace) -> int:
    data = sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes()
    run_id = store.import_run(data)
    if options.json:
        return _print({"id": run_id})
    _say(run_id)
    return 0


def _add_filters(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--text", default="", help="beginnings of words in prompt, backends, tags and notes")
    add("--backend", metavar="NAME", help="with a lane of this backend")
    add("--prompt", metavar="TEXT", help="with exactly this prompt")
    add("--since", type=_day_ms, metavar="DATE", help="started then or later (ISO 8601, UTC without a zone)")
    add("--until", type=_day_ms, metavar="DATE", help="started before")
    for name, known in (("mode", Mode), ("origin", Origin), ("status", (*Status, "running"))):
        values = [str(one) for one in known]
        add(f"--{name}", choices=values, metavar=name.upper(), help=", ".join(values))
    add("--tag")
    add("--deleted", action="store_true", help="deleted runs that can still be restored")
    add("--offset", type=int, default=0)
    add("--limit", type=int, default=50)


def _filter(options: argparse.Namespace) -> Filter:
    return Filter(
        text=options.text,
        backend=options.backend,
        prompt=options.prompt,
        since_ms=options.since,
        until_ms=options.until,
        mode=Mode(options.mode) if options.mode else None,
        origin=Origin(options.origin) if options.origin else None,
        status=options.status,
        tag=options.tag,
        deleted=options.deleted,
    )


def _day_ms(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no date such as 2026-11-30") from error
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def _document(row: RunRow) -> dict[str, Any]:
    return {**asdict(row), "started_at": _when(row)}


def _summary_line(row: RunRow) -> str:
    prompt = " ".join(row.prompt.split())
    names = ", ".join(lane.name for lane in row.lanes)
    series = f"{rounds_text(row.series.kept)}, {_(row.series.plan.condition)}  " if row.series else ""
    return f"{row.id}  {_when(row)}  {_(row.status)}  {series}{names}  {prompt[:PROMPT_CHARACTERS]}"


def _lane_line(lane: LaneRow) -> str:
    one = lane.summary
    tokens = None if one.output_tokens is None else numbers.tokens(one.output_tokens)
    figures = (
        None if one.ttft_ms is None else f"TTFT {numbers.milliseconds(one.ttft_ms)}",
        None if one.decode_tok_s is None else numbers.rate(one.decode_tok_s),
        f"~{tokens}" if tokens and one.is_estimated else tokens,
        one.error_kind,
    )
    known = ", ".join(figure for figure in figures if figure)
    return f"{lane.name} ({lane.model}, {_(lane.origin.value)}): {_(one.status)}{', ' * bool(known)}{known}"


def _fault_lines(found: Verification) -> str:
    if found.problem:
        return f"{found.run_id}: {found.problem}"
    told = "; ".join(
        _("lane {n} {figure}: kept {kept}, computed {computed}").format(
            n=one.lane + 1, figure=one.figure, kept=one.kept, computed=one.computed
        )
        for one in found.differences
    )
    return f"{found.run_id}: {told}"


def _when(row: RunRow) -> str:
    return datetime.fromtimestamp(row.started_ms / 1000, UTC).isoformat(timespec="seconds")


def _print(document: dict[str, Any]) -> int:
    sys.stdout.write(orjson.dumps(document, option=orjson.OPT_INDENT_2, default=str).decode() + "\n")
    return 0


def _say(text: str) -> None:
    sys.stdout.write(_plain(text) + "\n")


def _plain(text: str) -> str:
    """One line that a terminal shows and does not obey."""
    return "".join(character if character.isprintable() else " " for character in text)
