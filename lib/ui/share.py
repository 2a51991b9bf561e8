"""The link under a result that opens the same race on this server."""

from __future__ import annotations

import streamlit as st

from lib.domain.run import Run
from lib.i18n import _
from lib.present.link import link, private_lanes, query_of
from lib.ui import race_settings, state
from lib.ui.markdown import plain


def show_link(run: Run) -> None:
    """The link with its copy button, and what it cannot hold."""
    reader = str(state.value(race_settings.READER, race_settings.BY_ANSWER))
    query = query_of(
        run,
        None if reader == race_settings.BY_ANSWER else reader,
        state.value(race_settings.OWN_SPEED, None) if reader == race_settings.OWN else None,
    )
    st.caption(_("Link to the same prompt, backends and settings on this server. It holds no key."))
    st.code(link(str(st.context.url or ""), query), language=None)
    hidden = private_lanes(run)
    if hidden:
        told = _("Not in the link, since typed in during this visit: {names}.")
        st.caption(plain(told.format(names=", ".join(hidden))))
