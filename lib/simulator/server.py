"""The HTTP side: routes, and one handler that lets a reply out at its pace.

Speed, text, bytes and faults are decided elsewhere; here they meet a connection.
"""

from __future__ import annotations

import itertools
import socket
import struct
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice

import orjson
from aiohttp import web

from lib.simulator.errors import ApiError, unknown_model
from lib.simulator.faults import Attempts, Fault, refusal
from lib.simulator.pacing import Clock, SystemClock, play
from lib.simulator.plan import Plan, plan_reply, seed_of
from lib.simulator.profiles import Profile
from lib.simulator.recordings import Recording
from lib.simulator.reply import Chunk, broken, stream_frames, usage_of, whole_body
from lib.simulator.request import ChatRequest, parse_request
from lib.tokens import TokenizerError

MAX_BODY_BYTES = 8 * 1024 * 1024
_JSON = "application/json"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Simulator:
    """Serves profiles and recordings; one instance per process."""

    def __init__(
        self,
        profiles: Sequence[Profile],
        recordings: Sequence[Recording],
        *,
        usage: str = "",
        clock: Clock | None = None,
    ) -> None:
        self._profiles = {profile.id: profile for profile in profiles}
        self._recordings = {recording.id: recording for recording in recordings}
        self._usage = usage
        self._clock: Clock = clock or SystemClock()
        self._attempts = Attempts()
        self._numbers = itertools.count(1)

    def application(self) -> web.Application:
        """The aiohttp application with all routes."""
        application = web.Application(middlewares=[_in_openai_shape], client_max_size=MAX_BODY_BYTES)
        application.router.add_get("/", self._help)
        application.router.add_get("/v1/models", self._models)
        application.router.add_get("/v1/models/{id}", self._model)
        application.router.add_post("/v1/chat/completions", self._chat)
        return application

    async def _help(self, _: web.Request) -> web.Response:
        return web.Response(text=self._usage)

    async def _models(self, _: web.Request) -> web.Response:
        known: tuple[Profile | Recording, ...] = (*self._profiles.values(), *self._recordings.values())
        return _json({"object": "list", "data": [_entry(backend) for backend in known]})

    async def _model(self, request: web.Request) -> web.Response:
        name = request.match_info["id"]
        backend = self._profiles.get(name) or self._recordings.get(name)
        if backend is None:
            raise unknown_model(name)
        return _json(_entry(backend))

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        start_ns = self._clock.now_ns()
        asked = parse_request(body)
        profile = self._profiles.get(asked.base_model)
        recording = self._recordings.get(asked.base_model)
        if profile is None and recording is None:
            raise unknown_model(asked.model)
        fault = self._attempts.fault_of(asked.wish, asked.wish.key or str(seed_of(asked)))
        if refused := refusal(fault, asked.wish, asked.model):
            raise refused
        if profile is None:
            assert recording is not None
            return await self._replay(request, asked, recording, fault, start_ns)
        if fault is Fault.SLOW_HEADERS:
            await self._wait_until(start_ns + round(asked.wish.headers_ms * 1e6))
            start_ns = self._clock.now_ns()
        answer = self._stream if asked.stream else self._whole
        return await answer(request, asked, profile, fault, start_ns)

    async def _stream(
        self, request: web.Request, asked: ChatRequest, profile: Profile, fault: Fault | None, start_ns: int
    ) -> web.StreamResponse:
        plan = self._plan(asked, profile)
        usage = usage_of(plan.prompt_tokens, plan.answer)
        headers = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache"}
        response = web.StreamResponse(headers=headers)
        await response.prepare(request)
        frames = stream_frames(plan.envelope, plan.chunks, plan.due_ns(), plan.answer.finish_reason, usage)
        place = _place_after(plan.chunks, asked.wish.after_tokens)
        if fault is Fault.MALFORMED_FRAME:
            frames = (broken(frame) if at == place else frame for at, frame in enumerate(frames))
        if fault in (Fault.CUT, Fault.RESET, Fault.STALL):
            await play(islice(frames, place), start_ns, response.write, self._clock)
        if fault is Fault.STALL:
            await self._clock.sleep(asked.wish.stall_s)
            start_ns += round(asked.wish.stall_s * 1e9)
        if fault in (Fault.CUT, Fault.RESET):
            _break_off(request, with_reset=fault is Fault.RESET)
        else:
            await play(frames, start_ns, response.write, self._clock)
        return response

    async def _whole(
        self, request: web.Request, asked: ChatRequest, profile: Profile, fault: Fault | None, start_ns: int
    ) -> web.StreamResponse:
        plan = self._plan(asked, profile)
        body = whole_body(plan.envelope, plan.answer, usage_of(plan.prompt_tokens, plan.answer))
        await self._wait_until(start_ns + plan.end_ns())
        if fault is Fault.STALL:
            await self._clock.sleep(asked.wish.stall_s)
        half = body[: len(body) // 2]
        if fault is Fault.MALFORMED_FRAME:
            return web.Response(body=half, content_type=_JSON)
        if fault in (Fault.CUT, Fault.RESET):
            response = web.StreamResponse(headers={"Content-Type": _JSON, "Content-Length": str(len(body))})
            await response.prepare(request)
            await response.write(half)
            _break_off(request, with_reset=fault is Fault.RESET)
            return response
        return web.Response(body=body, content_type=_JSON)

    async def _replay(
        self,
        request: web.Request,
        asked: ChatRequest,
        recording: Recording,
        fault: Fault | None,
        start_ns: int,
    ) -> web.StreamResponse:
        if not asked.stream:
            raise ApiError(400, "This reply was recorded as a stream: ask with stream true.", param="stream")
        if fault is not None:
            words = "A recording is served as it was, without faults in it."
            raise ApiError(400, words, param="simulator.fault")
        transport = request.transport

        async def write(data: bytes) -> None:
            if transport is not None:
                transport.write(data)

        await play(recording.reads, start_ns, write, self._clock)
        await self._wait_until(start_ns + recording.end_ns)
        _break_off(request, with_reset=False)
        return web.StreamResponse()

    def _plan(self, asked: ChatRequest, profile: Profile) -> Plan:
        return plan_reply(asked, profile, number=next(self._numbers), created_s=int(time.time()))

    async def _wait_until(self, moment_ns: int) -> None:
        while (left_ns := moment_ns - self._clock.now_ns()) > 0:
            await self._clock.sleep(left_ns / 1e9)


@web.middleware
async def _in_openai_shape(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except ApiError as error:
        refused = error
    except web.HTTPNotFound:
        refused = ApiError(404, f"Invalid URL ({request.method} {request.path})")
    except web.HTTPMethodNotAllowed:
        refused = ApiError(405, f"Not allowed to {request.method} on {request.path}")
    except web.HTTPRequestEntityTooLarge:
        refused = ApiError(413, f"The request body is larger than {MAX_BODY_BYTES} bytes")
    except TokenizerError as error:
        refused = ApiError(400, f"The messages cannot be counted: {error}", param="messages")
    return web.Response(status=refused.status, body=refused.body, headers=refused.headers, content_type=_JSON)


def _entry(backend: Profile | Recording) -> dict[str, object]:
    simulated = isinstance(backend, Profile)
    return {
        "id": backend.id,
        "object": "model",
        "created": 0,
        "owned_by": "tokenrace",
        "origin": "simulated" if simulated else "recorded",
        "name": backend.name,
        "label": backend.label,
        "source": backend.source,
    }


def _json(values: object) -> web.Response:
    return web.Response(body=orjson.dumps(values), content_type=_JSON)


def _place_after(chunks: Sequence[Chunk], tokens: int) -> int:
    """Index of the event whose chunk comes when that many tokens have been sent; event 0 is the role."""
    sent = 0
    for place, chunk in enumerate(chunks, start=1):
        if sent >= tokens:
            return place
        sent += chunk.tokens
    return len(chunks) + 1


def _break_off(request: web.Request, *, with_reset: bool) -> None:
    """Close the connection without the end of the body; with a TCP reset if asked."""
    transport = request.transport
    if transport is None:
        return
    if with_reset:
        linger_now = struct.pack("ii", 1, 0)
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_now)
        transport.abort()
    else:
        transport.close()
