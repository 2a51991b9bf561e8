"""What the agent page shows of the tasks: the clock of each backend, one task step by step, the six figures.

It places what `lib.agents` computed; absent figures are dashes whose reason stands below the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import streamlit as st

from lib import numbers
from lib.agents import drawn
from lib.agents.amdahl import NotAGain, unaccelerated
from lib.agents.six_table import six_table
from lib.agents.tasks import TaskView, headline, task_in_words, turns_in_words
from lib.agents.trace import Trace
from lib.agents.worth import DEFAULT_HOUR, Setting, Task, Trade, if_it_were, most_times, trade
from lib.charts import drawing
from lib.charts.drawing import Look
from lib.charts.palette import Theme
from lib.i18n import _
from lib.metrics.quantity import Quantity
from lib.ui import agent_setup, state
from lib.ui.markdown import plain
from lib.ui.table import show_texts


def look() -> Look:
    """The theme of the page."""
    theme: Theme = "dark" if st.context.theme.type == "dark" else "light"
    return Look(theme)


def show_headline(tasks: Sequence[TaskView], trace: Trace) -> None:
    """The sentence by rule of what the closed form says, and what it is about."""
    st.markdown(f"### {plain(headline(tasks))}", anchors=False)
    told = _("Predicted from published speeds, without a prompt cache; nothing was asked yet. Start measures it.")
    st.caption(plain(f"{task_in_words(trace)}. {told}"))


def show_times(tasks: Sequence[TaskView], trace: Trace, key: str) -> None:
    """All backends on one clock, and beside it one of them step by step."""
    _figure(drawn.strips_figure(tasks, look()), f"strips-{key}")
    names = [task.name for task in tasks]
    state.begin(agent_setup.SHOWN, names[0])
    if state.value(agent_setup.SHOWN, None) not in names:
        state.put(agent_setup.SHOWN, names[0])
    chosen = st.segmented_control(
        _("Step by step"), names, key=agent_setup.SHOWN, required=True, label_visibility="collapsed",
        persist_state="session", format_func=plain,
    ) if len(names) > 1 else names[0]  # fmt: skip
    task = next((one for one in tasks if one.name == chosen), tasks[0])
    _figure(drawn.steps_figure(task, trace, look()), f"steps-{key}")


def show_six(tasks: Sequence[TaskView], key: str) -> None:
    """The six figures side by side on the same trace."""
    show_texts(six_table(tasks, look().theme), f"six-{key}")
    shared = turns_in_words(tasks)
    if shared and tasks[0].ended != "predicted":
        st.caption(plain(shared))
    own = [f"{task.name} {numbers.seconds(task.own_s)}" for task in tasks if task.own_s > 0]
    if own:
        st.caption(plain(_("Between the pieces, the loop's own time, part of the total: {times}.").format(
            times=", ".join(own)
        )))  # fmt: skip


def show_bottleneck(tasks: Sequence[TaskView], trace: Trace) -> None:
    """What 2x, 14x and infinite decode speed would buy, and what two claims say about the rest."""
    st.markdown(f"#### {_('The bottleneck moves')}", anchors=False)
    figure = drawn.gains_figure(tasks, trace, look())
    if figure is not None:
        _figure(figure, "gains")
    for task in drawn.whole(tasks):
        st.markdown(plain(drawn.gains_in_words(task, trace)))
    _show_claims()


def show_worth(tasks: Sequence[TaskView], trace: Trace) -> None:
    """The price of the task, the seconds saved, and the hour of waiting at which the faster way begins to pay."""
    st.markdown(f"#### {_('When is speed worth paying for')}", anchors=False)
    done = sorted(drawn.whole(tasks), key=lambda task: -task.seconds)
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
            help=_("0 leaves them unknown. Otherwise: a range up to so many times the price of the slowest backend."),
        )  # fmt: skip
    slow = done[0]
    for fast in done[1:]:
        st.markdown(plain(_weighed(slow, fast, Decimal(str(hour)), Decimal(str(times)))))


def _weighed(slow: TaskView, fast: TaskView, hour: Decimal, times: Decimal) -> str:
    if fast.cost is None and slow.cost is not None and times > 0:
        return _if_it_were(slow, fast, hour, times)
    found = trade(Task(slow.seconds, slow.cost), Task(fast.seconds, fast.cost))
    pair, currency = _pair(slow, fast), _currency(slow)
    if not isinstance(found, Trade):
        return f"{pair}: {found.reason}"
    saved = numbers.seconds(found.saved_s)
    if found.extra <= 0:
        told = _("{pair}: {saved} saved and {money} cheaper; it pays at any value of an hour.")
        return told.format(pair=pair, saved=saved, money=numbers.money(-found.extra, currency))
    told = _("{pair}: {saved} saved for {extra} more per task, {hour} for an hour of waiting; at {worth} it {pays}.")
    pays = _("pays") if found.pays(hour) else _("does not pay")
    return told.format(pair=pair, saved=saved, extra=numbers.money(found.extra, currency),
                       hour=_per_hour(found, currency), worth=numbers.money(hour, currency), pays=pays)  # fmt: skip


def _if_it_were(slow: TaskView, fast: TaskView, hour: Decimal, times: Decimal) -> str:
    """The range from the known price to so many times it, and up to where in it the faster way pays."""
    task, currency = Task(slow.seconds, slow.cost), _currency(slow)
    found = trade(task, Task(fast.seconds, if_it_were(times, slow.cost)))
    if not isinstance(found, Trade):
        return f"{_pair(slow, fast)}: {found.reason}"
    most = most_times(task, fast.seconds, hour)
    told = _("{pair}: {saved} saved. Its price is not published; if it were 1 to {times} that of {slow}, the task "
             "would cost up to {extra} more and a saved hour of waiting up to {hour}; at {worth} an hour it pays up "
             "to {most}.")  # fmt: skip
    return told.format(
        pair=_pair(slow, fast), saved=numbers.seconds(found.saved_s), times=numbers.ratio(float(times)), slow=slow.name,
        extra=numbers.money(max(found.extra, Decimal(0)), currency), hour=_per_hour(found, currency),
        worth=numbers.money(hour, currency), most="–" if most is None else numbers.ratio(float(most)),
    )  # fmt: skip


def _pair(slow: TaskView, fast: TaskView) -> str:
    return _("{fast} instead of {slow}").format(fast=fast.name, slow=slow.name)


def _currency(task: TaskView) -> str:
    return task.figures.cost.unit if isinstance(task.figures.cost, Quantity) else "USD"


def _per_hour(found: Trade, currency: str) -> str:
    return numbers.money(found.hour.quantize(Decimal("0.01")), currency)


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


def _figure(figure: drawing.Figure, key: str) -> None:
    st.vega_lite_chart(figure.spec, width="stretch", theme=None, alt=figure.alt, key=key)


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %"
