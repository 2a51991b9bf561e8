"""The charts of a loop from its tasks: where the time went, one task step by step, what a faster decode would buy.

The page and the files draw the same. Only values are placed here; `lib.charts.waterfall` draws them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from lib import numbers
from lib.agents.amdahl import balance_tokens, ceiling, end_to_end_gain
from lib.agents.phases import StepTimes
from lib.agents.tasks import TaskView, gain_points, how_far
from lib.agents.trace import Trace
from lib.charts.drawing import Figure, Look, Words
from lib.charts.waterfall import GainRow, Stretch, TimeRow, gains_chart, steps_chart, strips_chart
from lib.i18n import _
from lib.metrics.quantity import Quantity
from lib.metrics.timeline import NS_PER_S
from lib.provenance import Facts

NAMED_GAINS = (2.0, 14.0, math.inf)


def loop_figures(tasks: Sequence[TaskView], trace: Trace, look: Look) -> dict[str, Figure]:
    """Every chart of a loop by its name, in the order of the page."""
    steps = {f"steps-{place + 1}": steps_figure(task, trace, look) for place, task in enumerate(tasks) if task.times}
    gains = gains_figure(tasks, trace, look)
    return {"time": strips_figure(tasks, look), **steps, **({} if gains is None else {"gains": gains})}


def strips_figure(tasks: Sequence[TaskView], look: Look) -> Figure:
    """All backends, each on its own clock."""
    strips = [TimeRow(task.label, stretches(task.times), how_far(task), task.ended == "failed", task.how) for task in tasks]
    spoken = "; ".join(f"{task.label}: {how_far(task)}" for task in tasks)
    return strips_chart(strips, Words(_("Where the time goes"), _("each backend from its first request on"), spoken), look)


def steps_figure(task: TaskView, trace: Trace, look: Look) -> Figure:
    """One task; a step that has not begun keeps its row, so that nothing moves."""
    by_step = {one.step: one for one in task.times}
    rows = [_row(place, step.tool, by_step.get(place), task.how) for place, step in enumerate(trace.steps)]
    title = _("{name}, step by step").format(name=task.name)
    return steps_chart(rows, Words(title, _("each row is a call and what follows it")), look)


def gains_figure(tasks: Sequence[TaskView], trace: Trace, look: Look) -> Figure | None:
    """Amdahl's curve of each finished task; None when there is none."""
    done = whole(tasks)
    rows = [GainRow(task.name, tasks.index(task), gain_points(task), _ceiling_text(task)) for task in done]
    rows = [row for row in rows if row.points]
    if not rows:
        return None
    told = _("Amdahl's law with the shares of each task; tools and people as they are")
    spoken = "; ".join(gains_in_words(task, trace) for task in done)
    return gains_chart(rows, Words(_("What a faster decode would buy"), told, spoken), look)


def whole(tasks: Sequence[TaskView]) -> list[TaskView]:
    """The tasks that were done to the end, or predicted."""
    return [task for task in tasks if task.ended in ("complete", "predicted") and task.seconds > 0]


def gains_in_words(task: TaskView, trace: Trace) -> str:
    """What 2x, 14x and infinite decode speed would buy, and where the first token outweighs the answer."""
    share = task.shares.unaccelerated
    bought = [(gain, end_to_end_gain(share, gain)) for gain in NAMED_GAINS]
    parts = [f"{_('infinite') if math.isinf(gain) else numbers.ratio(gain)} → {numbers.ratio(found)}"
             for gain, found in bought if found is not None]  # fmt: skip
    told = _("{name}: {share} is not decoding; decode gain to whole gain: {parts}.")
    words = told.format(name=task.name, share=numbers.percent(share), parts=", ".join(parts))
    balance = _balance(task, trace)
    return f"{words} {balance}" if balance else words


def stretches(times: Sequence[StepTimes]) -> tuple[Stretch, ...]:
    """The pieces of these steps in seconds, as the charts take them."""
    return tuple(
        Stretch(piece.kind.value, piece.start_ns / NS_PER_S, piece.end_ns / NS_PER_S,
                _("{n} {tool}").format(n=one.step + 1, tool=one.tool))
        for one in times for piece in one.pieces
    )  # fmt: skip


def _balance(task: TaskView, trace: Trace) -> str:
    """The answer length at which decoding takes as long as the first token."""
    tokens = sum(step.output_tokens for step in trace.steps[: len(task.times)])
    decode_s, ttft_ms = task.shares.decode_s, task.figures.ttft_ms
    if not isinstance(ttft_ms, Quantity) or decode_s <= 0 or not tokens:
        return ""
    length = balance_tokens(float(ttft_ms.value) / 1000, tokens / decode_s)
    return _("Below {n} the first token takes longer than the answer.").format(n=numbers.tokens(round(length)))


def _ceiling_text(task: TaskView) -> str:
    most = ceiling(task.shares.unaccelerated)
    return "" if most is None else _("at most {most}").format(most=numbers.ratio(most))


def _row(place: int, tool: str, times: StepTimes | None, how: Facts) -> TimeRow:
    label = f"{place + 1} {tool if tool != 'none' else ''}"
    return TimeRow(label, stretches((times,)) if times else (), "", bool(times and times.has_failed), how)
