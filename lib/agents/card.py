"""The card of a loop: one picture of 1200 x 675 for a slide, with its sentence and every task's time as one bar.

Drawn without a browser, in the colours of the page's charts.
"""

from __future__ import annotations

from collections.abc import Sequence

from lib import numbers
from lib.agents.drawn import stretches
from lib.agents.tasks import TaskView, footer_of, headline, how_far, kept_tasks
from lib.charts.drawing import Look
from lib.charts.palette import Palette, Theme, palette
from lib.charts.waterfall import KINDS, kind_colours, kind_words
from lib.domain.run import Run
from lib.export.card import EDGE_PX, HEIGHT_PX, INNER_PX, WIDTH_PX, framed
from lib.export.card_text import Piece, cut, flow, text_at, width_of
from lib.i18n import _
from lib.provenance import mode_words

_MOST_TASKS = 6
_TOP_PX, _ROOM_PX, _BAR_PX, _MOST_ROW_PX = 236, 290, 30, 96
_SWATCH_PX = 14


def card_svg(run: Run, *, theme: Theme = "light") -> str:
    """The card as an SVG document; tasks beyond the sixth are counted, not drawn."""
    (tasks, _trace), colours = kept_tasks(run), palette(theme)
    return framed(run, colours, [
        *flow([Piece(headline(tasks), colours.text)], EDGE_PX, 92, INNER_PX, 30, most=3),
        *_bars(tasks[:_MOST_TASKS], Look(theme)),
        *_legend(tasks, Look(theme)),
        _foot(run, tasks, colours),
    ])  # fmt: skip


def _bars(tasks: Sequence[TaskView], look: Look) -> list[str]:
    """Each task's pieces on one scale from zero, its name and time above them."""
    longest = max((task.seconds for task in tasks), default=0.0) or 1.0
    row_px = min(_MOST_ROW_PX, _ROOM_PX / max(1, len(tasks)))
    inks, drawn = kind_colours(look), []
    for place, task in enumerate(tasks):
        top = _TOP_PX + place * row_px
        bar_px = min(_BAR_PX, row_px - 26)
        ink = look.colours.failed if task.ended == "failed" else look.colours.text
        told = f"  {how_far(task)}"
        label = cut(task.label, 18, INNER_PX - width_of(told, 18))
        drawn.append(text_at(EDGE_PX, top + 16, label, 18, look.colours.quiet, after=(told, 18, ink)))
        for one in stretches(task.times):
            x, width = EDGE_PX + INNER_PX * one.start_s / longest, INNER_PX * (one.end_s - one.start_s) / longest
            drawn.append(f'<rect x="{x:.2f}" y="{top + 24:g}" width="{width:.2f}" height="{bar_px:g}" '
                         f'fill="{inks[one.kind]}"/>')  # fmt: skip
    return drawn


def _legend(tasks: Sequence[TaskView], look: Look) -> list[str]:
    """The kinds of time that occur, in one line above the foot."""
    seen = {one.kind for task in tasks for one in stretches(task.times)}
    x, y, drawn = float(EDGE_PX), HEIGHT_PX - 122, []
    for kind in KINDS:
        if kind not in seen:
            continue
        word = kind_words()[kind]
        drawn += [f'<rect x="{x:g}" y="{y - 12}" width="{_SWATCH_PX}" height="{_SWATCH_PX}" '
                  f'fill="{kind_colours(look)[kind]}"/>',
                  text_at(x + _SWATCH_PX + 6, y, word, 16, look.colours.quiet)]  # fmt: skip
        x += _SWATCH_PX + 6 + width_of(word, 16) + 24
    return drawn


def _foot(run: Run, tasks: Sequence[TaskView], colours: Palette) -> str:
    y, more = HEIGHT_PX - 98, len(tasks) - _MOST_TASKS
    line = f'<line x1="{EDGE_PX}" y1="{y}" x2="{WIDTH_PX - EDGE_PX}" y2="{y}" stroke="{colours.hairline}" stroke-width="2"/>'
    steps = _("{n} steps, each backend on its own clock").format(n=tasks[0].figures.of if tasks else 0)
    beyond = _("{n} more backends").format(n=numbers.whole(more)) if more > 0 else ""
    told = " · ".join(word for word in (steps, mode_words(run.mode), beyond) if word)
    task = cut(run.prompt.text, 18, INNER_PX - width_of(told, 18) - 24)
    how = flow([Piece(footer_of(tasks), colours.quiet)], EDGE_PX, y + 44, INNER_PX, 12, most=3)
    return (line + text_at(EDGE_PX, y + 28, task, 18, colours.quiet)
            + text_at(WIDTH_PX - EDGE_PX, y + 28, told, 18, colours.quiet, anchor="end") + "".join(how))  # fmt: skip
