"""The script behind every page: page settings, the name, the navigation. `app.py` runs it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from lib.i18n import _

ROOT = Path(__file__).resolve().parents[2]
_STYLE = (Path(__file__).parent / "frame.css").read_text("utf-8")
_LOGO = {
    theme: str(Path(__file__).parent / f"logo-{theme}.svg") for theme in ("light", "dark")
}  # fmt: skip

st.set_page_config(page_title="Tokenrace", layout="wide", initial_sidebar_state="collapsed")
st.html(f"<style>{_STYLE}</style>")
st.logo(_LOGO["dark" if st.context.theme.type == "dark" else "light"], size="large")
st.navigation(
    [
        st.Page(ROOT / "pages" / "race.py", title=_("Race"), default=True),
        st.Page(ROOT / "pages" / "method.py", title=_("How it is measured"), url_path="method"),
    ],
    position="top",
).run()
