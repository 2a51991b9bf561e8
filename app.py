"""The ASGI entry: `streamlit run app.py` and `uvicorn app:app` both start Tokenrace here."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from lib.live.routes import routes
from lib.ui import results  # loaded before the first visitor comes: charts and tables take a second
from lib.ui.wiring import hub, lifespan, middleware

__all__ = ["app", "results"]

ROOT = Path(__file__).resolve().parent

app = st.App(
    str(ROOT / "lib" / "ui" / "frame.py"),
    routes=routes(hub, str(st.get_option("server.baseUrlPath") or "")),
    lifespan=lifespan,
    middleware=middleware,
)
