"""A concurrency sweep from the page: 1 to 64 users at once, its progress, Stop, and the curves with the knee."""

from __future__ import annotations

import secrets

import streamlit as st
from altair.utils.schemapi import debug_mode

from lib import numbers
from lib.charts.drawing import Figure, Words
from lib.charts.limit_charts import DASHED, Axis, Curve, Mark, line_chart
from lib.domain.run import Backend, Limits, Origin, Params, Prompt
from lib.i18n import _, ngettext
from lib.limits import prefill, roofline
from lib.limits.knee import knee_of_roofline
from lib.limits.roofline import Machine, Work
from lib.limits.tables import chip, model
from lib.local_model.variants import CROWD, CROWD_SLOTS
from lib.server_process import Absent, Failed, Ready
from lib.trials.sweep import LEVELS, Level, Question, Sweep, SweepDesk, TooManySweeps, knee_of
from lib.ui import race_setup, state
from lib.ui.limits_show import COLUMN_PX, show_figure, show_formula
from lib.ui.limits_state import look, machine_words
from lib.ui.markdown import plain
from lib.ui.wiring import catalogue, local_models

SWEEP, WHOM = "limits_sweep", "limits_sweep_whom"
SIMULATED, LOCAL = "simulated", "local"
LOCAL_LEVELS = (1, 2, 4, CROWD_SLOTS)  # as many as its server answers at once; more would wait in its queue
POLL_S = 0.5
CHIP, MODEL, BITS, CONTEXT, PROMPT_TOKENS, NETWORK_S = "h100-sxm", "llama-3.1-8b", 16.0, 4096, 512, 0.05
TOKENS, LOCAL_TOKENS = 128, 64  # of each answer
_LATE = 0.05  # below the closed form
SIMULATED_MODEL = "gpt4-tier-cloud"  # any profile: its speed is overridden

desk = SweepDesk()


def show_sweep() -> None:
    """Whom to ask, Start and Stop, and the curves."""
    sweep = desk.get(state.value(SWEEP, None))
    running = sweep is not None and sweep.is_running
    st.markdown(f"#### {_('One user or many, measured')}")
    st.markdown(plain(_about()))
    whom = {
        SIMULATED: _("Simulated, 1 to 64"),
        LOCAL: _("Local model, 1 to 8"),
    }
    state.begin(WHOM, SIMULATED)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="limits_sweep_row"):
        st.segmented_control(
            _("Who is asked"), list(whom), key=WHOM, format_func=lambda name: whom[name], required=True,
            disabled=running, persist_state="session",
        )  # fmt: skip
        if running:
            st.button(_("Stop"), key="limits_sweep_stop", on_click=_stop)
        else:
            st.button(_("Start the sweep"), key="limits_sweep_start", on_click=_start)
    if state.value(f"{SWEEP} notice", ""):
        st.warning(plain(state.value(f"{SWEEP} notice", "")))
    if sweep is not None and running:
        _show_running(sweep)
    elif sweep is not None:
        _show_result(sweep)


def simulated_question(url: str) -> Question:
    """64 users at most of a simulated machine that is told, for each level, the speed of the closed form."""
    works = [Work(model(MODEL), BITS, CONTEXT, users) for users in LEVELS]
    rates = [roofline.per_user_tps(Machine.of(chip(CHIP)), work) for work in works]
    backends = [
        Backend("limits-sweep", _("simulated machine"), url, SIMULATED_MODEL, Origin.SIMULATED,
                extra_body={"simulator": {"tok_s": rate, "ttft_ms": _wait_ms(users), "tokens": TOKENS,
                                          "tokens_per_chunk": 1, "jitter_cv": 0.05}})
        for users, rate in zip(LEVELS, rates, strict=True)
    ]  # fmt: skip
    name = _("Simulated {machine}, {model}").format(
        machine=machine_words(chip(CHIP), 1), model=model(MODEL).name)  # fmt: skip
    return Question(
        secrets.token_urlsafe(8), name, LEVELS, backends, asked_prompt(), Params(max_tokens=TOKENS), Limits(),
        expected_tps=rates,
    )  # fmt: skip


def local_question() -> Question:
    """One to eight users of the local model: as many as its server answers at once."""
    backend = local_models().backend(CROWD)
    return Question(
        secrets.token_urlsafe(8), backend.name, LOCAL_LEVELS, [backend] * len(LOCAL_LEVELS), asked_prompt(),
        Params(max_tokens=LOCAL_TOKENS, temperature=0.0, seed=1, extra_body={"ignore_eos": True}), Limits(),
    )  # fmt: skip


def asked_prompt() -> Prompt:
    """The prompt every user of a sweep asks."""
    return Prompt(race_setup.DEFAULT_PROMPT)


def sentence(sweep: Sweep) -> str:
    """What the sweep showed, by rule."""
    levels = [level for level in sweep.results if level.total_tps and level.per_user_tps]
    if len(levels) < 2:
        return _("Fewer than two levels were measured, so there is no curve.")
    first, last, found = levels[0], levels[-1], knee_of(levels)
    told = _("{name}: from {few} to {users}, the speed of each goes from {alone} to {each}, that of all together from "
             "{total} to {most}.").format(
        name=sweep.question.name, few=_users(first.users), users=_users(last.users),
        alone=numbers.rate(first.per_user_tps or 0), each=numbers.rate(last.per_user_tps or 0),
        total=numbers.rate(first.total_tps or 0), most=numbers.rate(last.total_tps or 0),
    )  # fmt: skip
    knee = _("No knee among these levels.") if found is None else _(
        "The knee is at {users}: beyond it, each loses more than all gain.").format(users=_users(found))  # fmt: skip
    return " ".join(filter(None, (told, knee, _late(sweep))))


def _late(sweep: Sweep) -> str:
    """From which level on a simulated machine was slower than it was told to be; empty for others."""
    foretold = dict(zip(sweep.question.levels, sweep.question.expected_tps, strict=False))
    late = [level for level in sweep.results if level.per_user_tps
            and level.per_user_tps < (1 - _LATE) * foretold.get(level.users, 0.0)]  # fmt: skip
    if not late:
        return ""
    return _("From {users} on, this computer was too busy to keep up with the closed form, and the curve bends too "
             "early.").format(users=_users(late[0].users))  # fmt: skip


def speeds_chart(sweep: Sweep) -> Figure | None:
    """Per-user and total tokens/s against users, measured as points, foretold as a dashed line; the knee marked."""
    levels = sweep.results
    each, total = _points(levels, "per_user_tps"), _points(levels, "total_tps")
    if len(each) < 2:
        return None
    foretold = zip(sweep.question.levels, sweep.question.expected_tps, strict=False)
    expected = [(float(users), tps) for users, tps in foretold if users <= each[-1][0]]
    curves = [Curve(_("all together, measured"), total, 1, has_points=True),
              Curve(_("each user (median), measured"), each, 0, has_points=True)]  # fmt: skip
    if expected:
        curves.append(Curve(_("each user, by the closed form"), expected, 5, DASHED))
    found = knee_of(levels)
    marks = [Mark(float(found), _("knee: {users}").format(users=_users(found)))] if found else []
    words = Words(_("Speed against users at once"), sweep.question.name)
    with debug_mode(False):
        return line_chart(
            curves, Axis(_("users at once"), True), Axis(_("tokens per second"), True), words, look(), marks
        )


def waits_chart(sweep: Sweep) -> Figure | None:
    """Median TTFT against users."""
    waits = _points(sweep.results, "ttft_ms")
    if len(waits) < 2:
        return None
    words = Words(_("Time to first token against users at once"), sweep.question.name)
    curve = Curve(_("TTFT (median of the users)"), waits, 3, has_points=True)
    with debug_mode(False):
        return line_chart([curve], Axis(_("users at once"), True), Axis(_("milliseconds"), per_s=1000.0), words, look())


def _points(levels: tuple[Level, ...], name: str) -> list[tuple[float, float]]:
    return [(float(level.users), value) for level in levels if (value := getattr(level, name))]


def _about() -> str:
    work = Work(model(MODEL), BITS, CONTEXT)
    return _("1 to 64 requests at once, a level after the other. The simulated machine speaks at the speed that "
             "the closed form gives {machine} with {model} in 16 bits and {context} tokens of context, so the "
             "curve shows what the formula means on the wire; its knee should lie near {knee} users. The local "
             "model is what it is.").format(
        machine=machine_words(chip(CHIP), 1), model=model(MODEL).name, context=numbers.whole(CONTEXT),
        knee=numbers.whole(knee_of_roofline(Machine.of(chip(CHIP)), work) or 0),
    )  # fmt: skip


def _wait_ms(users: int) -> float:
    """Network and half the queue of prompts before one's own: (users + 1) / 2 prefills (assumption: one by one)."""
    flops = Machine.of(chip(CHIP)).flops or 1.0
    each_s = prefill.prefill_s(PROMPT_TOKENS, model(MODEL).active_params, flops)
    return 1000 * prefill.ttft_s(each_s, each_s * (users - 1) / 2, NETWORK_S)


def _start() -> None:
    state.put(f"{SWEEP} notice", "")
    is_local = state.value(WHOM, SIMULATED) == LOCAL
    process = local_models() if is_local else None
    if process is not None:
        process.start(CROWD)
    catalogue().simulator.start()
    catalogue().wait(race_setup.START_WAIT_S)
    reason = _why_not(is_local)
    if reason:
        state.put(f"{SWEEP} notice", reason)
        return
    question = local_question() if is_local else simulated_question(catalogue().simulator.base_url or "")
    try:
        desk.start(Sweep(question))
        state.put(SWEEP, question.id)
    except TooManySweeps:
        state.put(f"{SWEEP} notice", _("Not started: another sweep runs, and two would measure each other."))


def _why_not(is_local: bool) -> str:
    now = local_models().state(CROWD) if is_local else catalogue().simulator.state
    if isinstance(now, Ready):
        return ""
    if isinstance(now, Absent | Failed):
        return now.reason
    return _("Not started: the servers are still coming up; try again in a moment.")


def _stop() -> None:
    sweep = desk.get(state.value(SWEEP, None))
    if sweep is not None:
        sweep.stop()


@st.fragment(run_every=POLL_S)
def _show_running(sweep: Sweep) -> None:
    if not sweep.is_running:
        st.rerun()
    done, levels = len(sweep.results), sweep.question.levels
    asking = levels[min(done, len(levels) - 1)]
    told = _("{users} at once · {done} of {total} levels done").format(
        users=_users(asking), done=done, total=len(levels))  # fmt: skip
    st.progress(done / len(levels), text=told)
    _show_charts(sweep)


def _show_result(sweep: Sweep) -> None:
    if sweep.is_faulty:
        st.warning(
            _("The sweep could not go on; the server's log says why. What was measured until then stays.")
        )
    elif sweep.was_stopped:
        st.info(_("Stopped; the levels measured until then stay."))
    st.markdown(f"**{plain(sentence(sweep))}**")
    failed = sum(level.users - level.completed for level in sweep.results)
    if failed:
        st.caption(ngettext("{n} request did not complete and is left out.",
                            "{n} requests did not complete and are left out.", failed).format(n=failed))  # fmt: skip
    _show_charts(sweep)
    show_formula(
        _("each user: median decode rate; all together: tokens of all over first text to last text of any; knee: "
          "the level where the product of both is largest"),
        _("docs/metrics.md for each rate; Kleinrock 1979 for the knee."),
        _("One trial per level, in rising order: a tendency, no comparison. The page, the collector and every user "
          "share this machine, so a local model is slowed by being measured."),
    )  # fmt: skip


def _show_charts(sweep: Sweep) -> None:
    with st.grid(2, min_column_width=COLUMN_PX, gap=("small", "medium")):
        show_figure(speeds_chart(sweep))
        show_figure(waits_chart(sweep))


def _users(users: int) -> str:
    return ngettext("{n} user", "{n} users", users).format(n=numbers.whole(users))
