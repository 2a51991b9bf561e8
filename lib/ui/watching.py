"""A visitor as a viewer of what runs on this server: there as long as their tab is connected, on whatever page."""

from __future__ import annotations

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from lib.grace import Grace

_NO_SERVER = "a script without a server"


def watch(grace: Grace) -> None:
    """This visitor watches; call it whenever the page is drawn. Without a server (tests) they never leave."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():
        grace.come(_NO_SERVER)
        return
    session = context.session_id
    grace.come(session, lambda: runtime.exists() and runtime.get_instance().is_active_session(session))
