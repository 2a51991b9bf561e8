"""Ghost lanes on the page: any speed as a simulated lane beside the real ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import streamlit as st

from lib.backends.catalogue import Offer
from lib.i18n import _
from lib.present import ghosts
from lib.present.ghosts import Ghost, GhostError
from lib.simulator.profiles import DEFAULT_IDS
from lib.ui import state

RATE, TTFT = "ghost_tok_s", "ghost_ttft_ms"
FIRST_TOK_S = 750.0


def ghost_offers(ids: Iterable[str], known: Mapping[str, Offer]) -> dict[str, Offer]:
    """The ghosts among these ids, on the simulator of this server; an id that is no ghost is left out."""
    simulator = known[DEFAULT_IDS[0]]
    found = {}
    for id_ in filter(ghosts.is_ghost, ids):
        try:
            made = ghosts.backend_of(ghosts.ghost(id_), simulator.backend.base_url, simulator.backend.model)
        except GhostError:
            continue
        found[id_] = Offer(made, absent=simulator.absent)
    return found


def show_ghost(add: Callable[[str], None]) -> None:
    """A speed and a time to first token; `add` takes the ghost's id."""
    state.begin(RATE, FIRST_TOK_S)
    state.begin(TTFT, ghosts.DEFAULT_TTFT_MS)
    st.caption(_("Or a ghost: any speed, simulated beside the real lanes."))
    rate, ttft, action = st.columns([1, 1, 0.8], gap="small", vertical_alignment="bottom")
    rate.number_input(
        _("Tokens per second"), ghosts.SLOWEST_TOK_S, ghosts.FASTEST_TOK_S, key=RATE, step=50.0, format="%g"
    )
    ttft.number_input(
        _("First token after (ms)"), 0.0, ghosts.LONGEST_TTFT_MS, key=TTFT, step=50.0, format="%g"
    )
    action.button(_("Add ghost"), key="add_ghost", on_click=lambda: add(_chosen().id), width="stretch")


def _chosen() -> Ghost:
    return Ghost(float(state.value(RATE, FIRST_TOK_S)), float(state.value(TTFT, ghosts.DEFAULT_TTFT_MS)))
