"""One lane in the collector: its attempts, its time limits, and the rows they leave.

Every way out ends in exactly one `end` row, with the text and stamps that came before it kept.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import openai

from lib.collector.body import Body, NotAStream, TooLarge
from lib.collector.chunks import StreamError
from lib.collector.connection import LANE, Network, now_ns
from lib.collector.errors import (
    MAX_ERROR_BODY,
    MAX_MESSAGE,
    kind_of_status,
    kind_of_transport,
    message_of,
    message_of_body,
    refused_parameter,
)
from lib.collector.order import Order
from lib.collector.redact import redact, redactor
from lib.collector.retrying import retry_after_s, wait_before
from lib.collector.sse import FrameTooLarge
from lib.domain.codec import Row

_LIMITS = ("timeout_first_token", "timeout_stall", "timeout_total")
DRAIN_S = 0.2  # after [DONE]: time for the body to end, so that the connection can be used again
Refused = dict[tuple[str, str], dict[str, str | None]]  # (base_url, model) -> parameter -> other name


class Lane:
    """Runs one order. `rows` grows as things happen; take them with `take`."""

    def __init__(self, order: Order, origin_ns: int, network: Network, refused: Refused) -> None:
        self.order = order
        self.rows: list[Row] = []
        self._origin_ns = origin_ns
        self._network = network
        self._known_refused = refused.setdefault((order.base_url, order.model), {})
        self._secret: re.Pattern[str] = redactor(order.key)
        self._task: asyncio.Task[None] | None = None
        self._cut: str | None = None  # why the task was cancelled by us: "stopped" or a failure kind
        self._timers: list[asyncio.TimerHandle] = []  # of the lane: total limit, stop after
        self._attempt_timers: list[asyncio.TimerHandle] = []  # of the attempt: first token, stall
        self._sent_this_attempt = False
        self._body: Body | None = None

    async def turn(self, queue: asyncio.Lock) -> bool:
        """Wait for the lane's turn, in its own task; False when Stop was pressed before it came."""
        self._task = asyncio.current_task()
        LANE.set(self)
        if self._cut is not None:
            return False
        try:
            return await queue.acquire()
        except asyncio.CancelledError:
            return False

    async def run(self) -> None:
        """Work until the end row is written; never raises."""
        try:
            status = await self._attempts()
        except asyncio.CancelledError:
            status = self._was_cut()
        except Exception as error:  # the last resort: a fault of ours must still end the lane in words
            status = self._fail("bad_response", f"{type(error).__name__}: {error}")
        self._disarm(self._timers)
        self._disarm(self._attempt_timers)
        self._row("end", status)
        self._body = None  # it holds the whole answer, and the race is kept for Retry

    def stop(self) -> None:
        """End the lane now, as a person pressing Stop; the connection is closed at once."""
        self._cancel("stopped")

    def take(self) -> list[Row]:
        """The rows since the last call."""
        rows, self.rows = self.rows, []
        if self._body is not None:
            self._body.rows = self.rows
        return rows

    def connected(self, at_ns: int, setup_ms: float | None, dns_ms: float | None) -> None:
        """A connection is ready for this lane (see `connection.Moments`)."""
        self.rows.append([at_ns - self._origin_ns, "connected", setup_ms, dns_ms])

    def sent(self, at_ns: int) -> None:
        """The request body has been written; of several writes the last one counts."""
        if self.rows and self.rows[-1][1] == "sent":
            self.rows.pop()
        self.rows.append([at_ns - self._origin_ns, "sent"])
        if not self._sent_this_attempt:
            self._sent_this_attempt = True
            limits = self.order.limits
            self._arm(self._timers, "stopped", limits.stop_after_s)
            self._arm(
                self._attempt_timers,
                "timeout_first_token",
                limits.first_token_s,
                lambda: self._text_at() is None,
            )

    async def _attempts(self) -> str:
        self._arm(self._timers, "timeout_total", self.order.limits.total_s)
        attempt = asked = 0
        while True:
            attempt += 1
            self._row("attempt", attempt)
            self._sent_this_attempt = False
            wait_s = await self._attempt(attempt - asked)
            self._disarm(self._attempt_timers)
            if isinstance(wait_s, str):
                return wait_s
            asked += wait_s == 0.0  # a request repeated with other parameters is not a retry
            if wait_s:
                await asyncio.sleep(wait_s)

    async def _attempt(self, number: int) -> str | float:
        """One request: the lane's status, or the seconds to wait before the next one."""
        body = self._body = None
        coding = ""
        try:
            async with self._request() as response:
                http = response.http_response
                self._row("headers", http.status_code, http.headers.get("content-type", ""))
                body = self._body = Body(self.rows, self._clock, self._safe)
                coding = http.headers.get("content-encoding", "identity")
                stream = http.aiter_bytes()
                self._watch_for_stalls(body)
                await body.read(stream)
                body.flush()
                status = "complete" if body.complete else "incomplete"
                if body.done:
                    await self._drain(stream)
                return status
        except openai.APIStatusError as error:
            return self._refused(error, number)
        except StreamError as error:
            return self._fail("stream_error", message_of(error.args[0]) or "The server named no reason.")
        except NotAStream as error:
            packed = (
                ""
                if coding == "identity"
                else f"The answer was packed ({coding}) although it should not be. "
            )
            return self._fail("bad_response", packed + str(error))
        except (FrameTooLarge, TooLarge) as error:
            return self._fail("too_large", str(error))
        except Exception as error:  # transport faults come as classes of three libraries
            if (
                body is not None and body.finished
            ):  # the answer is whole: what broke was the connection behind it
                body.flush()
                return "complete"
            kind, message = kind_of_transport(error, self._sent_this_attempt, body is not None)
            return self._fail(kind, message)

    def _request(self) -> Any:
        order = self.order
        limits = order.limits
        client = self._network.client(
            order.base_url, order.key.strip(), limits.connect_s, limits.allowed_hosts
        )
        params: dict[str, Any] = {**order.params, "stream_options": {"include_usage": True}}
        for name, other in self._known_refused.items():
            if name in params:
                value = params.pop(name)
                if other is not None:
                    params[other] = value
                elif name == "stream_options":
                    self._row("warning", "stream_options_dropped", "")
                else:
                    self._row("warning", "param_dropped", name)
        self._params = params
        if not self._network.exact:
            self.sent(now_ns())
        return client.chat.completions.with_streaming_response.create(
            model=order.model,
            messages=order.messages,  # type: ignore[arg-type]
            stream=True,
            extra_headers={"Accept-Encoding": "identity"},
            extra_body=order.extra_body or None,
            **params,
        )

    def _refused(self, error: openai.APIStatusError, number: int) -> str | float:
        """An error status: the next wait in seconds, or the failed status."""
        status, body = error.status_code, self._safe(error.response.text)[:MAX_ERROR_BODY]
        self._row("headers", status, error.response.headers.get("content-type", ""))
        refused = refused_parameter(status, body, self._params)
        if refused is not None and refused[0] not in self._known_refused:
            name, other = refused
            self._known_refused[name] = other
            self._row("wait", 0.0, f"{name} refused" + (f"; asking with {other}" if other else ""))
            return 0.0
        asked_s = retry_after_s(error.response.headers, datetime.now(UTC))
        limits = self.order.limits
        wait_s = wait_before(number, status, asked_s, limits.max_attempts, limits.max_wait_s, random.random())
        message = self._safe(message_of_body(body) or f"HTTP {status}")[:MAX_MESSAGE]
        if wait_s is not None:
            self._row("wait", wait_s * 1000, f"HTTP {status}: {message}")
            return max(wait_s, 1e-3)
        target = error.response.headers.get("location")
        if target and 300 <= status < 400:
            moved = error.request.url.join(target).copy_with(query=None, fragment=None, userinfo=b"")
            message = f"The server redirects to {moved}; keys are not sent on."
        if status == 404 or 300 <= status < 400:
            message += f" (asked {error.request.url.copy_with(query=None)}{self._hint()})"
        return self._fail(kind_of_status(status), message, status, asked_s)

    def _hint(self) -> str:
        return "" if "/v1" in self.order.base_url else "; a base URL usually ends in /v1"

    def _was_cut(self) -> str:
        """Our own cancellation: a limit that passed, or Stop; a whole answer stays one."""
        if self._body is not None and self._body.finished and (self._body.done or self._cut in _LIMITS):
            self._body.flush()
            return "complete"
        if self._cut is None or self._cut == "stopped":
            if self._body is not None:
                self._body.flush()
            return "stopped"
        limits = self.order.limits
        seconds = {"timeout_first_token": limits.first_token_s, "timeout_stall": limits.stall_s}
        limit_s = seconds.get(self._cut, limits.total_s)
        return self._fail(self._cut, f"The limit is {limit_s:g} s.")

    def _fail(self, kind: str, message: str, status: int | None = None, asked_s: float | None = None) -> str:
        if self._body is not None:
            self._body.flush()
        self._row("error", kind, self._safe(message)[: 2 * MAX_MESSAGE], status, asked_s)
        return "error"

    def _safe(self, text: str) -> str:
        return redact(text.encode("utf-8", "replace").decode(), self._secret)

    async def _drain(self, stream: Any) -> None:
        try:
            async with asyncio.timeout(DRAIN_S):
                async for _ in stream:
                    pass
        except Exception:
            return  # the answer is complete; what the connection does now is not its business

    def _watch_for_stalls(self, body: Body) -> None:
        stall_s = self.order.limits.stall_s
        if stall_s is None:
            return

        def look() -> None:
            quiet_s = 0.0 if body.text_at_ns is None else (self._clock() - body.text_at_ns) / 1e9
            if quiet_s >= stall_s:
                self._cancel("timeout_stall")
            else:
                self._attempt_timers.append(loop.call_later(stall_s - quiet_s, look))

        loop = asyncio.get_running_loop()
        self._attempt_timers.append(loop.call_later(stall_s, look))

    def _arm(
        self, timers: list[asyncio.TimerHandle], kind: str, after_s: float | None,
        still: Callable[[], bool] = lambda: True,
    ) -> None:  # fmt: skip
        if after_s is not None:
            loop = asyncio.get_running_loop()
            timers.append(loop.call_later(after_s, lambda: self._cancel(kind) if still() else None))

    @staticmethod
    def _disarm(timers: list[asyncio.TimerHandle]) -> None:
        for timer in timers:
            timer.cancel()
        timers.clear()

    def _cancel(self, why: str) -> None:
        if self._cut is None and (self._task is None or not self._task.done()):
            self._cut = why
            if self._task is not None:
                self._task.cancel()

    def _text_at(self) -> int | None:
        return self._body.text_at_ns if self._body is not None else None

    def _clock(self) -> int:
        return now_ns() - self._origin_ns

    def _row(self, name: str, *fields: Any) -> None:
        self.rows.append([self._clock(), name, *fields])
