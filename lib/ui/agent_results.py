"""What the agent page shows of the tasks: the clock of each backend, one task step by step, the six figures.

It places what `lib.agents` computed; absent figures are dashes whose reason stands below the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal

import pandas as pd
import streamlit as st

from lib import numbers
from lib.agents.amdahl import NotAGain, balance_tokens, ceiling, end_to_end_gain, unaccelerated
from lib.agents.figures import LOWER_BOUND, SixFigures
from lib.agents.phases import StepTimes
from lib.agents.trace import Trace
from lib.agents.worth import DEFAULT_HOUR, Setting, Task, Trade, if_it_were, trade
from lib.charts import drawing
from lib.charts.drawing import Look, Words
from lib.charts.palette import Theme
from lib.charts.waterfall import GainRow, Stretch, TimeRow, gains_chart, steps_chart, strips_chart
from lib.domain.run import Run
from lib.i18n import _, ngettext
from lib.metrics.cost import as_decimal
from lib.metrics.quantity import ESTIMATED, UPPER_BOUND, Figure, Quantity, Unavailable
from lib.metrics.timeline import NS_PER_S
from lib.ui import agent_setup, state
from lib.ui.agent_tasks import TaskView, gain_points, headline, resent_words
from lib.ui.markdown import plain

NAMED_GAINS = (2.0, 14.0, math.inf)
_MARKS = {ESTIMATED: "~", UPPER_BOUND: "≤ ", LOWER_BOUND: "≥ "}


def look() -> Look:
    """The theme of the page."""
    theme: Theme = "dark" if st.context.theme.type == "dark" else "light"
    return Look(theme)


def show_headline(tasks: Sequence[TaskView], trace: Trace) -> None:
    """The sentence by rule, and what it is about."""
    st.markdown(f"### {plain(headline(tasks))}", anchors=False)
    calls = ngettext("{name}: {n} call; {tokens}", "{name}: {n} calls; {tokens}", len(trace.steps))
    steps = calls.format(name=trace.name, n=len(trace.steps), tokens=resent_words(trace))
    told = _("Predicted from published speeds, without a prompt cache; nothing was asked yet. Start measures it.")
    is_predicted = any(task.ended == "predicted" for task in tasks)
    st.caption(plain(f"{steps}. {told}" if is_predicted else f"{steps}."))


def show_kept_headline(tasks: Sequence[TaskView], run: Run) -> None:
    """The sentence by rule of a loop from the history, and when it was."""
    st.markdown(f"### {plain(headline(tasks))}", anchors=False)
    st.caption(plain(_("From the history, {when}: {task}").format(when=run.started_at, task=run.prompt.text)))


def show_times(tasks: Sequence[TaskView], trace: Trace, key: str) -> None:
    """All backends on one clock, and beside it one of them step by step."""
    strips = [TimeRow(task.label, _stretches(task.times), _told(task), task.ended == "failed") for task in tasks]
    words = Words(_("Where the time goes"), _("all backends on one clock"), _spoken(tasks))
    _figure(strips_chart(strips, words, look()), f"strips-{key}")
    names = [task.name for task in tasks]
    state.begin(agent_setup.SHOWN, names[0])
    if state.value(agent_setup.SHOWN, None) not in names:
        state.put(agent_setup.SHOWN, names[0])
    chosen = st.segmented_control(
        _("Step by step"), names, key=agent_setup.SHOWN, required=True, label_visibility="collapsed",
        persist_state="session", format_func=plain,
    ) if len(names) > 1 else names[0]  # fmt: skip
    task = next((one for one in tasks if one.name == chosen), tasks[0])
    by_step = {one.step: one for one in task.times}
    rows = [_step_row(place, step.tool, by_step.get(place)) for place, step in enumerate(trace.steps)]
    title = Words(_("{name}, step by step").format(name=task.name), _("each row is a call and what follows it"))
    _figure(steps_chart(rows, title, look()), f"steps-{key}")


def show_six(tasks: Sequence[TaskView]) -> None:
    """The six figures side by side on the same trace."""
    st.markdown(f"#### {_('The whole task')}", anchors=False)
    table = {task.label: _column(task.figures) for task in tasks}
    frame = pd.DataFrame(table).T.reset_index(names=_("Backend"))
    st.dataframe(frame, hide_index=True, width="stretch")
    reasons = dict.fromkeys(
        f"{task.name}: {figure.reason}" for task in tasks for figure in _figures(task.figures).values()
        if isinstance(figure, Unavailable)
    )  # fmt: skip
    if reasons:
        st.caption(plain("– " + " · ".join(reasons)))
    own = [f"{task.name} {numbers.seconds(task.own_s)}" for task in tasks if task.own_s > 0]
    if own:
        st.caption(plain(_("Between the pieces, the loop's own time, part of the total: {times}.").format(
            times=", ".join(own)
        )))  # fmt: skip


def show_bottleneck(tasks: Sequence[TaskView], trace: Trace) -> None:
    """What 2x, 14x and infinite decode speed would buy, and what two claims say about the rest."""
    st.markdown(f"#### {_('The bottleneck moves')}", anchors=False)
    done = [task for task in tasks if task.ended in ("complete", "predicted") and task.seconds > 0]
    rows = [GainRow(task.name, tasks.index(task), gain_points(task), _ceiling_text(task)) for task in done]
    rows = [row for row in rows if row.points]
    if rows:
        words = Words(
            _("What a faster decode would buy"),
            _("Amdahl's law with the shares of each task; tools and people as they are"),
            "; ".join(_gains_in_words(task, trace) for task in done),
        )  # fmt: skip
        _figure(gains_chart(rows, words, look()), "gains")
    for task in done:
        st.markdown(plain(_gains_in_words(task, trace)))
    _show_claims()


def show_worth(tasks: Sequence[TaskView], trace: Trace) -> None:
    """The price of the task, the seconds saved, and the hour of waiting at which the faster way begins to pay."""
    st.markdown(f"#### {_('When is speed worth paying for')}", anchors=False)
    done = sorted((t for t in tasks if t.ended in ("complete", "predicted")), key=lambda task: -task.seconds)
    if len(done) < 2:
        st.caption(_("Two finished tasks are needed to weigh one against the other."))
        return
    names = {
        Setting.INTERACTIVE: _("one person waits"), Setting.INCIDENT: _("an incident, people stand by"),
        Setting.BATCH: _("overnight, nobody waits"),
    }  # fmt: skip
    state.put_once("agent_setting", trace.name, trace.setting.value)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        waits = st.segmented_control(
            _("Who waits"), [one.value for one in Setting], key="agent_setting", required=True,
            persist_state="session", format_func=lambda value: names[Setting(value)],
        )  # fmt: skip
        chosen = Setting(waits) if waits else trace.setting
        hour = st.number_input(
            _("An hour of waiting is worth"), 0.0, None, float(DEFAULT_HOUR[chosen]), 10.0, key=f"agent_hour_{chosen}",
            help=_("An assumption of yours, in the currency of the prices; nobody publishes it."), width=200,
        )  # fmt: skip
        times = st.number_input(
            _("Unknown prices: if they were … times"), 0.0, 1000.0, 0.0, 1.0, key="agent_times", width=240,
            help=_("0 leaves them unknown. Otherwise: so many times the price of the slowest backend."),
        )  # fmt: skip
    slow = done[0]
    for fast in done[1:]:
        st.markdown(plain(_weighed(slow, fast, Decimal(str(hour)), Decimal(str(times)))))


def _weighed(slow: TaskView, fast: TaskView, hour: Decimal, times: Decimal) -> str:
    assumed = fast.cost is None and times > 0
    cost = if_it_were(times, slow.cost) if assumed else fast.cost
    found = trade(Task(slow.seconds, slow.cost), Task(fast.seconds, cost))
    pair = _("{fast} instead of {slow}").format(fast=fast.name, slow=slow.name)
    if not isinstance(found, Trade):
        return f"{pair}: {found.reason}"
    currency = slow.figures.cost.unit if isinstance(slow.figures.cost, Quantity) else "USD"
    saved = numbers.seconds(found.saved_s)
    if found.extra <= 0:
        told = _("{pair}: {saved} saved and {money} cheaper; it pays at any value of an hour.")
        return told.format(pair=pair, saved=saved, money=numbers.money(-found.extra, currency))
    told = _("{pair}: {saved} saved for {extra} more per task, {hour} for an hour of waiting; at {worth} it {pays}.")
    pays = _("pays") if found.pays(hour) else _("does not pay")
    said = told.format(pair=pair, saved=saved, extra=numbers.money(found.extra, currency),
                       hour=numbers.money(found.hour.quantize(Decimal("0.01")), currency),
                       worth=numbers.money(hour, currency), pays=pays)  # fmt: skip
    if not assumed:
        return said
    return f"{said} {_('Its price is not published; {n} was assumed.').format(n=numbers.ratio(float(times)))}"


def _show_claims() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        decode = st.number_input(_("A claimed decode gain (times)"), 1.1, 1000.0, 14.0, 1.0, key="agent_k", width=220)
        whole = st.number_input(_("and a gain end to end (times)"), 1.0, 1000.0, 5.6, 0.1, key="agent_s", width=220)
    try:
        found = unaccelerated(decode, whole)
    except NotAGain:
        st.caption(_("The whole cannot gain more than its faster part."))
        return
    most = _("no ceiling") if found.ceiling is None else _("the ceiling is {most}").format(most=f"{found.ceiling:.2f}×")
    told = _("Together they say: {before} of the time was not accelerated before, {after} is now, and {most}.")
    st.markdown(plain(told.format(before=_percent(found.before), after=_percent(found.after), most=most)))


def _gains_in_words(task: TaskView, trace: Trace) -> str:
    share = task.shares.unaccelerated
    bought = [(gain, end_to_end_gain(share, gain)) for gain in NAMED_GAINS]
    parts = [f"{_('infinite') if math.isinf(gain) else numbers.ratio(gain)} → {numbers.ratio(found)}"
             for gain, found in bought if found is not None]  # fmt: skip
    told = _("{name}: {share} is not decoding; decode gain to whole gain: {parts}.")
    words = told.format(name=task.name, share=numbers.percent(share), parts=", ".join(parts))
    balance = _balance(task, trace)
    return f"{words} {balance}" if balance else words


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


def _stretches(times: Sequence[StepTimes]) -> tuple[Stretch, ...]:
    return tuple(
        Stretch(piece.kind.value, piece.start_ns / NS_PER_S, piece.end_ns / NS_PER_S,
                _("{n} {tool}").format(n=one.step + 1, tool=one.tool))
        for one in times for piece in one.pieces
    )  # fmt: skip


def _step_row(place: int, tool: str, times: StepTimes | None) -> TimeRow:
    """The row of a step; one that has not begun keeps its place, so that nothing moves."""
    label = f"{place + 1} {tool if tool != 'none' else ''}"
    return TimeRow(label, _stretches((times,)) if times else (), "", bool(times and times.has_failed))


def _told(task: TaskView) -> str:
    words = {
        "failed": _("failed"), "stopped": _("stopped"), "cap": _("spend cap reached"), "fault": _("could not go on"),
    }  # fmt: skip
    time = numbers.seconds(task.seconds)
    if task.ended in ("complete", "predicted"):
        return time
    done = _("{done} of {of} steps, {time}").format(done=task.figures.steps, of=task.figures.of, time=time)
    return f"{done}, {words[task.ended]}" if task.ended else done


def _spoken(tasks: Sequence[TaskView]) -> str:
    return "; ".join(f"{task.label}: {_told(task)}" for task in tasks)


def _figure(figure: drawing.Figure, key: str) -> None:
    st.vega_lite_chart(figure.spec, width="stretch", theme=None, alt=figure.alt, key=key)


def _figures(six: SixFigures) -> dict[str, Figure]:
    return {
        _("Total time"): six.total_s, _("Cost"): six.cost, _("TTFT (median)"): six.ttft_ms,
        _("Tool wait"): six.tool_s, _("Retries per step"): six.retry_share, _("Human review"): six.human_s,
    }  # fmt: skip


def _column(six: SixFigures) -> dict[str, str]:
    texts: tuple[Callable[[Quantity], str], ...] = (
        _seconds, lambda q: numbers.money(as_decimal(q), q.unit), lambda q: numbers.milliseconds(float(q.value)),
        _seconds, lambda q: numbers.percent(float(q.value)), _seconds,
    )  # fmt: skip
    pairs = zip(_figures(six).items(), texts, strict=True)
    return {name: _marked(figure, text) for (name, figure), text in pairs}


def _marked(figure: Figure, text: Callable[[Quantity], str]) -> str:
    if isinstance(figure, Unavailable):
        return "–"
    return "".join(_MARKS.get(mark, "") for mark in figure.marks) + text(figure)


def _seconds(figure: Quantity) -> str:
    return numbers.seconds(float(figure.value)) if figure.value else "0 s"


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %"
