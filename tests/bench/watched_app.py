"""The product's app with two routes more, so that a benchmark can start a run and read its rows.

Everything else is the app's own: page, hub, collector, stream routes, middleware. Started by `app_process`.
"""

from __future__ import annotations

import secrets

import streamlit as st
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from lib.domain.run import Limits
from lib.live.routes import routes
from lib.ui.wiring import hub, lifespan, middleware
from tests.bench.product import run_of
from tests.bench.truth import ROOT
from tests.bench.truth_content import parse_spec


async def start(request: Request) -> Response:
    """Start a run of these models, as the page's Start does; answers with its id."""
    asked = await request.json()
    specs = [parse_spec(model) for model in asked["models"]]
    run = run_of(secrets.token_urlsafe(16), asked["base_url"], specs)
    lanes = range(len(specs))
    hub().start(run, dict.fromkeys(lanes, "bench"), dict.fromkeys(lanes, Limits()))
    return JSONResponse({"run": run.id})


async def rows(request: Request) -> Response:
    """Everything recorded of a run, for the time after it has ended."""
    live = hub().get(request.path_params["run"])
    if live is None:
        return Response("no such run\n", 404)
    models = [backend.model for backend in live.run.backends]
    return JSONResponse(
        {"ended": live.ended, "health": live.health, "models": models, "lanes": live.lane_rows()}
    )


app = st.App(
    str(ROOT / "lib" / "ui" / "frame.py"),
    routes=[
        *routes(hub),
        Route("/bench/start", start, methods=["POST"]),
        Route("/bench/rows/{run}", rows),
    ],
    lifespan=lifespan,
    middleware=middleware,
)
