"""A kept loop as files: a page that replays it, a card, charts, a table, its pieces of time.

Made of the same tasks, texts and drawings as the page. Recording, requests and deltas are those of any run
(`lib.export`).
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace

from lib.agents.card import card_svg
from lib.agents.drawn import loop_figures
from lib.agents.figure_texts import six_names, six_of, text_of
from lib.agents.record import read_loop
from lib.agents.showing import loop_messages
from lib.agents.six_table import six_table
from lib.agents.tasks import TaskView, footer_of, headline, how_far, kept_tasks
from lib.charts.drawing import Look
from lib.charts.result_lanes import lanes_of
from lib.domain.events import Generation
from lib.domain.run import Run
from lib.export import html
from lib.export.charts_export import FORMATS, files_of
from lib.export.drawn import png_of
from lib.export.markdown_table import escaped, numbered, provenance_line, table_line
from lib.export.private_hosts import without_private_hosts
from lib.export.tables import Cell, table
from lib.i18n import _
from lib.metrics.quantity import Unavailable
from lib.metrics.timeline import NS_PER_S
from lib.provenance import in_words

PIECE_HEAD = ("backend", "step", "tool", "spent_on", "from_s", "to_s", "seconds", "how")


def replay(run: Run) -> bytes:
    """The loop as a self-contained page, without addresses of private networks. Raises lib.export.drawn.DrawingError."""
    told = without_private_hosts(run)
    tasks, trace = kept_tasks(told)
    return html.page_of(html.Replayed(
        told, _("an agent loop replayed"), loop_messages(told), tuple(task.backend for task in tasks),
        loop_figures(tasks, trace, Look("light")), _("The whole task"), six_table(tasks, "light"),
        lanes_of(_by_backend(told), None),
    ))  # fmt: skip


def card(run: Run) -> bytes:
    """The result as a picture of 1200 x 675 pixels. Raises lib.export.drawn.DrawingError."""
    return png_of(card_svg(run))


def charts(run: Run) -> bytes:
    """Every chart as PNG and SVG in one archive. Raises lib.export.drawn.DrawingError."""
    look = Look("light")
    tasks, trace = kept_tasks(run)
    figures = loop_figures(tasks, trace, look)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for kind in FORMATS:
            for name, drawn in files_of(figures, footer_of(tasks), look, kind).items():
                archive.writestr(name, drawn)
    return packed.getvalue()


def markdown(run: Run) -> bytes:
    """The six figures as a table with its sentence, its notes and its provenance."""
    tasks, _trace = kept_tasks(run)
    notes: list[str] = []
    head = [_("Backend"), _("Origin"), _("Steps"), *six_names()]
    rows = [_row(task, notes) for task in sorted(tasks, key=lambda task: (task.ended != "complete", task.seconds))]
    lines = [table_line(head), table_line(["---"] * 3 + ["---:"] * len(six_names())), *map(table_line, rows)]
    parts = [escaped(headline(tasks)), "\n".join(lines), *numbered(notes), provenance_line(run)]
    return ("\n\n".join(parts) + "\n").encode("utf-8", "replace")


def pieces(run: Run) -> bytes:
    """One row for each piece of time, in seconds on the clock of its own task. UTF-8 with BOM.

    The first row of each task says how it was measured.
    """
    return table(PIECE_HEAD, _pieces(kept_tasks(run)[0]))


def _row(task: TaskView, notes: list[str]) -> list[str]:
    done = _("{done} of {of}").format(done=task.figures.steps, of=task.figures.of)
    cells = []
    for name, figure in six_of(task.figures).items():
        note = f"{name}: {figure.reason}" if isinstance(figure, Unavailable) else ""
        if note and note not in notes:
            notes.append(note)
        cells.append(escaped(text_of(figure)) + (f" <sup>{notes.index(note) + 1}</sup>" if note else ""))
    return [escaped(task.name), escaped(task.badge), escaped(done if task.ended == "complete" else how_far(task)), *cells]


def _pieces(tasks: Sequence[TaskView]) -> Iterator[list[Cell]]:
    for task in tasks:
        how: str | None = in_words(task.how)
        for step in task.times:
            for piece in step.pieces:
                start_s, end_s = piece.start_ns / NS_PER_S, piece.end_ns / NS_PER_S
                yield [task.name, step.step + 1, step.tool, piece.kind.value, start_s, end_s, piece.seconds, how]
                how = None


def _by_backend(run: Run) -> Run:
    """The run with each backend once, as it was first asked: whom, with what, in which version."""
    found = [(backend, steps[0].tries[-1]) for backend, steps in read_loop(run) if steps]
    params = {lane: replace(run.params, max_tokens=None) for lane in range(len(found))}
    generations = tuple(Generation(lane, one.events) for lane, (_backend, one) in enumerate(found))
    return replace(run, backends=tuple(backend for backend, _one in found), generations=generations, own_params=params)
