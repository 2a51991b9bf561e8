"""Serves the player with a synthetic race, for eyes: `python -m tests.player_harness.server`.

`/?scenario=four&theme=dark` follows a real WebSocket; `&idle=1` shows the stage before the first race,
`&done=1` sends everything at once, `&drop=N` cuts every connection after N messages.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from pathlib import Path

import streamlit
from aiohttp import WSMsgType, web

from lib.player import source
from tests.player_harness.scenarios import SCENARIOS, messages

_HERE = Path(__file__).parent
FONT = "static/static/media/SourceSansVF-Upright*.woff2"


async def page(_: web.Request) -> web.Response:
    return web.Response(text=(_HERE / "page.html").read_text("utf-8"), content_type="text/html")


async def script(_: web.Request) -> web.Response:
    return web.Response(text=source()[0], content_type="text/javascript")


async def sheet(_: web.Request) -> web.Response:
    return web.Response(text=source()[1], content_type="text/css")


async def font(_: web.Request) -> web.FileResponse:
    """The sans that Streamlit itself serves, so that widths are those of the product."""
    return web.FileResponse(next(Path(streamlit.__file__).parent.glob(FONT)))


async def lanes(request: web.Request) -> web.Response:
    plans = SCENARIOS[request.query["scenario"]]
    return web.json_response(
        [{"name": p.name, "model": p.name, "origin": p.origin, "note": p.note} for p in plans]
    )


def prepared(app: web.Application, run: str) -> tuple[float, list[tuple[int, str]]]:
    """When the run started (monotonic s) and its encoded messages, made once per run."""
    runs = app[RUNS]
    if run not in runs:
        made = [
            (m["now"], json.dumps(m, ensure_ascii=False, separators=(",", ":")))
            for m in messages(run.split(".")[0])
        ]
        runs[run] = (time.monotonic() - (1e6 if ".done." in run else 0), made)
    return runs[run]


async def follow(request: web.Request) -> web.WebSocketResponse:
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    run = request.match_info["run"]
    start, made = prepared(request.app, run)
    most = int(run.split(".")[2]) or len(made)
    first = int(request.query["from"])
    for due_ms, text in made[first : first + most]:
        wait_s = start + due_ms / 1000 - time.monotonic()
        if wait_s > 0:
            await asyncio.sleep(wait_s)
        try:
            await socket.send_str(text)
        except ConnectionError:  # the tab was closed
            return socket
    if most < len(made):
        await socket.close()
        return socket
    async for message in socket:
        if message.type == WSMsgType.CLOSE:
            break
    return socket


RUNS: web.AppKey[dict[str, tuple[float, list[tuple[int, str]]]]] = web.AppKey("runs", dict)


def application() -> web.Application:
    """The harness as an aiohttp application."""
    app = web.Application()
    app[RUNS] = {}
    app.add_routes([
        web.get("/", page), web.get("/player.js", script), web.get("/player.css", sheet),
        web.get("/lanes", lanes), web.get("/font", font),
        web.get("/race/ws/{run}", follow),
    ])  # fmt: skip
    return app


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8770)
    web.run_app(application(), host="127.0.0.1", port=parser.parse_args().port, print=None)
