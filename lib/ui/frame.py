"""The script behind every page: page settings, the name, the navigation. `app.py` runs it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from lib import __version__
from lib.charts.palette import Theme, palette
from lib.i18n import _
from lib.ui.history_trouble import show_trouble
from lib.ui.language import show_languages, speak
from lib.ui.sign_in import let_in, show_who

ROOT = Path(__file__).resolve().parents[2]
_STYLE = (Path(__file__).parent / "frame.css").read_text("utf-8")
_LOGO = {
    theme: str(Path(__file__).parent / f"logo-{theme}.svg") for theme in ("light", "dark")
}  # fmt: skip

speak()
about = _("**Tokenrace {version}**: one prompt, several backends, live beside a person reading. Apache-2.0.").format(
    version=__version__
)
st.set_page_config(
    page_title="Tokenrace", layout="wide", initial_sidebar_state="collapsed",
    menu_items={"Get help": None, "Report a bug": None, "About": about},  # the menu also chooses the theme
)  # fmt: skip
theme: Theme = "dark" if st.context.theme.type == "dark" else "light"
colours = palette(theme)
names = {"ink": colours.text, "paper": colours.surface, "hairline": colours.hairline}
variables = "".join(f"--tokenrace-{name}: {colour};" for name, colour in names.items())
st.html(f"<style>:root {{{variables}}}\n{_STYLE}</style>")
st.logo(_LOGO[theme], size="large")
show_languages()
if let_in():
    show_trouble()
    st.navigation(
        [
            st.Page(ROOT / "pages" / "race.py", title=_("Race"), default=True),
            st.Page(ROOT / "pages" / "trials.py", title=_("Trials"), url_path="trials"),
            st.Page(ROOT / "pages" / "agent_loop.py", title=_("Agent loop"), url_path="agents"),
            st.Page(ROOT / "pages" / "history.py", title=_("History"), url_path="history"),
            st.Page(ROOT / "pages" / "present.py", title=_("Present"), url_path="present"),
            st.Page(ROOT / "pages" / "meaning.py", title=_("What it means"), url_path="meaning"),
            st.Page(ROOT / "pages" / "speed_limits.py", title=_("Why it is fast"), url_path="speed_limits"),
            st.Page(ROOT / "pages" / "backends.py", title=_("Backends"), url_path="backends"),
            st.Page(ROOT / "pages" / "method.py", title=_("How it is measured"), url_path="method"),
        ],
        position="top",
    ).run()
    show_who()
