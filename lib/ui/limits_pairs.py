"""Shown, not only drawn: two forms of the local model, run live on the same stage, one after the other.

Where the local model cannot run, the simulator stands in at the speeds measured here, and the page says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import streamlit as st

from lib import numbers
from lib.charts.result_charts import figures_of
from lib.charts.result_lanes import ResultLane, key_of, lanes_of
from lib.collector.address import is_local
from lib.domain.run import Backend, Limits, Mode, Origin, Params, Prompt, Run, new_id
from lib.i18n import _
from lib.limits import speculation
from lib.limits.tables import formats
from lib.live.hub import TooManyRuns
from lib.live.live_run import LiveRun
from lib.metrics.quantity import number
from lib.metrics.texture import gaps
from lib.provenance import common_facts
from lib.server_process import Absent, Failed, Ready
from lib.ui import race_setup, state
from lib.ui.limits_show import COLUMN_PX, show_figure
from lib.ui.limits_state import look
from lib.ui.markdown import in_help, plain
from lib.ui.stage import show_stage
from lib.ui.wiring import catalogue, hub, local_models

RUN, PAIR, WAITS = "limits_run", "limits_pair", "limits_waits"
POLL_S = 1.0
SIMULATED_MODEL = "gpt4-tier-cloud"  # any profile: its speed is overridden
REPEATING = (
    "Repeat the following text exactly, twice:\n\nThe lighthouse keeper walked along the grey shore each morning, "
    "counting the gulls and the boats, and each morning he wrote the numbers in a small green book that his father "
    "had given him when he was a boy."
)
PARAMS = Params(
    max_tokens=160, temperature=0.0, seed=1, extra_body={"ignore_eos": True}
)  # both write as much
LIMITS = Limits()
_BURSTS = 1.2  # above this the second lane came in bursts
_GAIN = 1.1  # below this, bursts brought no speed
_RIGHT, _GUESSES, _COST = 0.5, 8, 0.01  # assumption for the stand-in that guesses ahead: 1.85 times as fast


@dataclass(frozen=True, slots=True)
class Pair:
    """Two forms of the local model by their ids; `label` is an English source text."""

    id: str
    label: str
    ids: tuple[str, str]


GUESSING = "ngram"
PAIRS = (
    Pair(GUESSING, "Without and with guessing ahead", ("f32", "f32-ngram")),
    Pair("width", "32 bits against 4 bits per weight", ("f32", "q4_0")),
)


def show_pairs() -> None:
    """The two buttons, the stage, and what the pair showed."""
    live = hub().get(state.value(RUN, None))
    st.markdown(f"#### {_('See it happen')}")
    told = _("The same small model twice, one after the other on this machine: look at the gaps. Guessing ahead "
             "lets several tokens arrive at once, in bursts; fewer bits make every gap shorter.")  # fmt: skip
    st.markdown(told)
    running = (live is not None and not live.ended) or bool(state.value(WAITS, ""))
    with st.container(horizontal=True, gap="small", key="limits_pair_buttons"):
        for pair in PAIRS:
            st.button(
                _(pair.label),
                key=f"limits_pair_{pair.id}",
                on_click=_ask_for,
                args=(pair.id,),
                disabled=running,
            )
        if running:
            st.button(_("Stop"), key="limits_pair_stop", on_click=_stop)
    _say_what_stands_in()
    if state.value(WAITS, ""):
        _wait_for_models()
    notice = state.notice()
    if notice:
        st.warning(plain(notice))
    pair = _pair(str(state.value(PAIR, PAIRS[0].id)))
    show_stage(
        live.run if live else None,
        backends_of(pair),
        race_setup.reader_for_player(),
        lambda told: _obey(told),
    )
    if live is not None and live.ended:
        _show_outcome(live, pair)


def backends_of(pair: Pair) -> tuple[Backend, ...]:
    """The two lanes: the local forms, with a repeat penalty that lets text repeat; else simulated ones."""
    if why_absent(pair):
        return stand_ins(pair)
    found = [local_models().backend(id_) for id_ in pair.ids]
    return tuple(replace(one, extra_body={**one.extra_body, "repeat_penalty": 1.0}) for one in found)


def stand_ins(pair: Pair) -> tuple[Backend, ...]:
    """Two simulated lanes at the speeds measured for these forms on two cores."""
    measured = {one.name.lower(): one.middle_tps or 1.0 for one in formats() if one.group == "smollm2-135m"}
    plain_tps, chunk = measured["f32"], round(speculation.expected_tokens(_RIGHT, _GUESSES))
    guessed_tps = plain_tps * speculation.speed_up(_RIGHT, _GUESSES, _COST)
    other: tuple[float, int, str] = (
        (guessed_tps, chunk, "F32 + n-gram") if pair.id == GUESSING else (measured["q4_0"], 1, "Q4_0")
    )
    lanes = ((plain_tps, 1, "F32"), other)
    url = catalogue().simulator.base_url or ""
    note = _("stands in for the local model, at a speed measured on two cores")
    return tuple(
        Backend(f"limits-{number_}", f"SmolLM2 135M {name}", url, SIMULATED_MODEL, Origin.SIMULATED, note,
                extra_body={"simulator": _wish(tps, tokens)})
        for number_, (tps, tokens, name) in enumerate(lanes)
    )  # fmt: skip


def outcome(lanes: tuple[ResultLane, ...], pair: Pair) -> str:
    """What the pair showed, by rule: the ratio of the rates, and of a guessing lane how many tokens came at a time."""
    rates = [number(lane.figures["decode_tok_s"]) for lane in lanes]
    if len(rates) != 2 or not rates[0] or not rates[1]:
        return _("One of the two has no decode rate, so they cannot be compared.")
    told = _("{second} ran at {ratio} the speed of {first}: {fast} against {slow}.").format(
        second=lanes[1].label, first=lanes[0].label, ratio=numbers.ratio(rates[1] / rates[0]),
        fast=numbers.rate(rates[1]), slow=numbers.rate(rates[0]),
    )  # fmt: skip
    if pair.id != GUESSING:
        return told
    bursts = [tokens_per_burst(lane, number(lanes[0].figures["median_gap_ms"])) for lane in lanes]
    if bursts[0] and bursts[1] and bursts[1] > _BURSTS * bursts[0]:
        told += " " + _("Its text came in bursts of {n} tokens on average, instead of {one}.").format(
            n=numbers.plain(bursts[1]), one=numbers.plain(bursts[0]))  # fmt: skip
        if rates[1] < _GAIN * rates[0]:
            told += " " + _("Checking several tokens at once took this processor as long as writing them: guessing ahead "
                            "pays only where arithmetic is to spare.")  # fmt: skip
    return told


def tokens_per_burst(lane: ResultLane, step_ms: float | None) -> float | None:
    """Output tokens over bursts: arrivals closer than a quarter of a step of the plain model came together.

    `step_ms` is the plain lane's median gap. A server may send the tokens of one check one by one.
    """
    tokens = lane.measured.output_tokens
    if not tokens or not step_ms:
        return None
    return tokens / (1 + sum(gap >= step_ms / 4 for gap in gaps(lane.measured)))


def why_absent(pair: Pair) -> str:
    """Why the local model cannot run this pair; an empty text when it can."""
    found = [local_models().state(id_) for id_ in pair.ids]
    return next((one.reason for one in found if isinstance(one, Absent | Failed)), "")


def _wish(tps: float, tokens_per_chunk: int) -> Mapping[str, float]:
    return {
        "tok_s": tps,
        "ttft_ms": 220,
        "tokens_per_chunk": tokens_per_chunk,
        "jitter_cv": 0.1,
        "tokens": 160,
    }


def _say_what_stands_in() -> None:
    reason = next(filter(None, (why_absent(pair) for pair in PAIRS)), "")
    if reason:
        st.caption(plain(_("The simulator stands in for the local model: {reason}").format(reason=reason)))


def _pair(id_: str) -> Pair:
    return next(pair for pair in PAIRS if pair.id == id_)


def _ask_for(id_: str) -> None:
    """Start what the pair needs, also what ended or failed earlier; the race begins when both are ready."""
    state.put(PAIR, id_)
    state.put(RUN, None)
    pair = _pair(id_)
    if any(isinstance(local_models().state(form), Absent) for form in pair.ids):
        _begin_simulator_for(pair)
        _start(pair)
        return
    for form in pair.ids:
        local_models().start(form)
    state.put(WAITS, id_)


def _begin_simulator_for(pair: Pair) -> None:
    if why_absent(pair):
        catalogue().simulator.start()
        catalogue().simulator.wait(race_setup.START_WAIT_S)


@st.fragment(run_every=POLL_S)
def _wait_for_models() -> None:
    """Looked at every second until both servers answer; a conversion of the weights takes ten seconds, once."""
    pair = _pair(str(state.value(WAITS, PAIRS[0].id)))
    states = [local_models().state(id_) for id_ in pair.ids]
    if why_absent(pair) or all(isinstance(one, Ready) for one in states):
        state.put(WAITS, "")
        _begin_simulator_for(pair)
        _start(pair)
        st.rerun()
    sentences = [getattr(one, "sentence", "") for one in states]
    st.caption(plain(next(filter(None, sentences), _("The two models are starting."))))


def _start(pair: Pair) -> None:
    backends = backends_of(pair)
    if not all(one.base_url for one in backends):
        state.leave_notice(_("Not started: the servers are still coming up; try again in a moment."))
        return
    run = Run(
        new_id(), Prompt(REPEATING), PARAMS, Mode.BY_BACKEND, backends,
        datetime.now(UTC).isoformat(timespec="seconds"), versions=hub().collector.versions,
    )  # fmt: skip
    try:
        hub().start(run, {}, dict.fromkeys(range(len(backends)), LIMITS))
        state.put(RUN, run.id)
    except TooManyRuns as error:
        state.leave_notice(_("Not started: {reason}").format(reason=error))


def _stop() -> None:
    state.put(WAITS, "")
    run_id = state.value(RUN, None)
    if run_id:
        hub().stop(run_id)


def _obey(command: dict[str, object] | None) -> None:
    """A lane's own Stop or Retry; only servers of this machine are ever asked here."""
    live = hub().get(state.value(RUN, None))
    if not command or live is None or not state.command_is_new("limits", command.get("n")):
        return
    lane = int(str(command["lane"]))
    if command["kind"] == "stop":
        hub().stop(live.run.id, lane)
    elif command["kind"] == "retry" and is_local(live.run.backends[lane].base_url):
        hub().retry(live.run.id, lane, "", LIMITS)


def _show_outcome(live: LiveRun, pair: Pair) -> None:
    run = live.recorded()
    lanes = lanes_of(run, None)
    st.markdown(f"**{plain(outcome(lanes, pair))}**", help=in_help(common_facts([lane.how for lane in lanes])))
    drawn = figures_of(key_of(run, None), look())
    with st.grid(2, min_column_width=COLUMN_PX, gap=("small", "medium")):
        show_figure(drawn.arrivals)
        show_figure(drawn.gaps)
