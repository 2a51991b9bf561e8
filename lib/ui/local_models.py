"""Models on this machine: started and stopped here, raced like any other backend."""

from __future__ import annotations

import streamlit as st

from lib.i18n import _
from lib.local_model.models import LocalModel, Preparing
from lib.local_model.weights import WeightsError
from lib.server_process import Absent, Failed, Idle, Ready, Starting
from lib.ui import state
from lib.ui.markdown import plain
from lib.ui.race_setup import lineup
from lib.ui.wiring import local_models, policy

FILE = "gguf_path"
_WATCH_S = 1.0


def show_local_models() -> None:
    """One line per model, looked at again every second while one is coming up."""
    st.markdown(f"#### {_('Models on this machine')}")
    st.caption(
        _(
            "SmolLM2-135M in five widths and with n-gram speculation, on a real llama.cpp server, one thread each. "
            "The wider forms hold the same 4-bit weights: they cost time, quality does not rise."
        )
    )
    models = local_models()
    waiting = any(isinstance(models.state(model.id), Starting | Preparing) for model in models.models())
    st.fragment(_show_list, run_every=_WATCH_S if waiting else None)()
    for sentence in models.advice():
        st.caption(plain(sentence))
    if policy().loopback_only_server:
        _show_file()


def _show_list() -> None:
    models = local_models()
    for model in models.models():
        _show_model(model)


def _show_model(model: LocalModel) -> None:
    models = local_models()
    now = models.state(model.id)
    told, run, race = st.columns([5, 1.2, 1.2], vertical_alignment="center")
    told.markdown(
        f"**{plain(_(model.name))}** · {plain(_state_in_words(model.id))}", help=plain(_(model.note))
    )
    on = isinstance(now, Ready | Starting | Preparing)
    action, label = (models.stop, _("Stop")) if on else (models.start, _("Start"))
    run.button(label, key=f"local_{model.id}", on_click=action, args=(model.id,), width="stretch",
               disabled=isinstance(now, Absent))  # fmt: skip
    full = len(lineup()) >= state.MOST_LANES
    race.button(_("To the race"), key=f"race_local_{model.id}", on_click=_race, args=(model.id,), width="stretch",
                disabled=full or isinstance(now, Absent))  # fmt: skip


def _state_in_words(id_: str) -> str:
    models = local_models()
    now = models.state(id_)
    if isinstance(now, Absent | Failed):
        return now.reason
    if isinstance(now, Preparing):
        return now.sentence
    if isinstance(now, Ready):
        return _("runs, takes {memory}").format(memory=models.memory(id_))
    return (
        _("stopped, would take {memory}").format(memory=models.memory(id_))
        if isinstance(now, Idle)
        else _("starting")
    )


def _race(id_: str) -> None:
    local_models().start(id_)
    state.set_lineup((*lineup(), local_models().backend(id_).id))


def _show_file() -> None:
    path, add = st.columns([5, 1.2], vertical_alignment="bottom")
    path.text_input(_("A GGUF file on this machine"), key=FILE, placeholder="~/models/model.gguf")
    add.button(_("Add file"), key="gguf_add", on_click=_add_file, width="stretch")


def _add_file() -> None:
    try:
        local_models().add_file(str(state.value(FILE, "")).strip())
        state.put(FILE, "")
    except WeightsError as error:
        state.leave_notice(str(error))
