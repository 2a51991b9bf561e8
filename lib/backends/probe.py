"""A probe says before the show whether a backend can race, step by step, and what to do about each failure.

The streamed answer comes through the product's own collector, so a probe that succeeds has gone the very way of
a race. It costs one request of at most 32 output tokens (and a second one where thinking is shown, to name its
field). Keys are in none of the words.
"""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

from lib import numbers
from lib.backends.models import ModelsUnavailable, listing
from lib.backends.policy import OPEN, AddressRefused, Policy, limits_under
from lib.backends.reach import Reach
from lib.backends.report import STEPS, Report, Step
from lib.backends.thinking_field import thinking_field
from lib.collector.redact import redact, redactor
from lib.collector.single import Measurer
from lib.domain.events import Failed, Generation, Headers, Status, Usage, Waiting, Warned
from lib.domain.failures import FAILURES
from lib.domain.run import Backend, Limits, Params, Prompt
from lib.i18n import _, ngettext
from lib.metrics import catalogue, texture
from lib.metrics.measurement import Measurement, measure
from lib.metrics.quantity import Quantity

PROMPT = "Count from one to thirty in English words, separated by blanks. Begin at once."
MAX_TOKENS = 32
FEW_CHUNKS = 3  # fewer say nothing about buffering
CONNECT_S = 10.0
LIST_S = 10.0

Say = Callable[[Step], None]


def probe(
    backend: Backend,
    key: str,
    limits: Limits,
    say: Say = lambda _step: None,
    policy: Policy = OPEN,
    measurer: Measurer | None = None,
) -> Report:
    """Try `backend` and call `say` with each step as it is known; blocks, at most as long as `limits` allow.

    A `measurer` is used if given, otherwise one is started and ended (about a second).
    """
    hide = redactor(key)
    steps: list[Step] = []

    def tell(step: Step) -> bool:
        steps.append(replace(step, detail=redact(step.detail, hide), advice=redact(step.advice, hide)))
        say(steps[-1])
        return step.ok is not False

    reach = Reach(backend.base_url, limits.connect_s or CONNECT_S, policy)
    try:
        if _reached(reach, tell):
            found = replace(backend, base_url=reach.base_url)
            tell(_models(found, key, policy))
            with nullcontext(measurer) if measurer is not None else Measurer() as collector:
                for step in _answer(found, key, limits_under(policy, limits), collector):
                    tell(step)
    finally:
        reach.close()
    tried = {step.name for step in steps}
    for name in STEPS:
        if name not in tried:
            tell(Step(name, None, _("not tried")))
    return Report(tuple(steps))


def _reached(reach: Reach, tell: Callable[[Step], bool]) -> bool:
    """Address, name, TCP and TLS; behind a proxy only the address, since the proxy does the rest."""
    if not tell(reach.address()):
        return False
    if reach.proxy:
        told = _("left to the proxy in {variable}").format(variable=reach.proxy)
        for name in ("resolve", "tcp", "tls"):
            tell(Step(name, None, told))
        return True
    return tell(reach.resolve()) and tell(reach.tcp()) and tell(reach.tls(time.time()))


def _models(backend: Backend, key: str, policy: Policy) -> Step:
    begun = time.perf_counter()
    try:
        names = listing(backend.base_url, key, LIST_S, policy).models
    except AddressRefused as error:
        return Step("models", False, str(error))
    except ModelsUnavailable as error:
        return _no_list(error)
    ms = round((time.perf_counter() - begun) * 1000, 1)
    told = ngettext("{n} model", "{n} models", len(names)).format(n=numbers.whole(len(names)))
    if not names:
        return Step("models", None, told, _("Load a model in the server, or trust the streamed answer."), ms)
    if backend.model in names:
        return Step(
            "models", True, _("{models}, {model} among them").format(models=told, model=backend.model), ms=ms
        )
    close = difflib.get_close_matches(backend.model, names, 3, 0.4)
    advice = _("Did you mean {names}?") if close else _("The list begins with {names}.")
    told = _("{models}, but not {model}").format(models=told, model=backend.model)
    return Step("models", None, told, advice.format(names=", ".join(close or names[:3])), ms)


def _no_list(error: ModelsUnavailable) -> Step:
    if error.status in (401, 403):
        return Step("models", False, str(error), FAILURES["auth"].advice)
    if error.status is not None and 300 <= error.status < 400:
        return Step("models", False, str(error), _("Enter the address that the server redirects to."))
    if error.status in (404, 405):
        return Step(
            "models", None, str(error), _("Not every server lists its models; the streamed answer decides.")
        )
    return Step("models", False, str(error), _("The streamed answer decides."))


def _answer(backend: Backend, key: str, limits: Limits, collector: Measurer) -> list[Step]:
    generation = collector.generation(backend, key, Prompt(PROMPT), Params(max_tokens=MAX_TOKENS), limits)
    measured = measure(generation, backend)
    stream = _stream(generation, measured)
    if not stream.ok:
        return [stream]
    return [
        stream, _first_token(measured), _usage(generation, measured), _stream_options(generation),
        _thinking(backend, key, limits, measured), _per_chunk(measured), _buffering(measured),
    ]  # fmt: skip


def _stream(generation: Generation, measured: Measurement) -> Step:
    failed = generation.last(Failed)
    whole = catalogue.whole_ms(measured)
    ms = round(float(whole.value), 1) if isinstance(whole, Quantity) else None
    if failed is not None:
        return _failure(failed, generation)
    if measured.time.status is not Status.COMPLETE:
        told = _("The stream ended without saying that the answer was complete.")
        return Step(
            "stream", False, told, _("Retry; if it stays, something between here and the server cuts it."), ms
        )
    if not measured.has_text and not measured.usage.output:
        told = _("The request was accepted, but no token came.")
        return Step("stream", False, told, _("Check the model: is it one that chats?"), ms)
    count = measured.output_tokens or 0
    told = ngettext("{n} token", "{n} tokens", count).format(n=numbers.whole(count))
    notes = [wait.reason for wait in generation.of(Waiting)]
    if not measured.has_text:
        notes.append(_("all of them hidden thinking"))
    return Step("stream", True, ", ".join([told, *notes]), ms=ms)


def _failure(failed: Failed, generation: Generation) -> Step:
    failure = FAILURES[failed.kind]
    headers = generation.last(Headers)
    told = " ".join(filter(None, (_(failure.sentence), failed.message)))
    if headers is not None and 300 <= headers.status < 400:
        return Step("stream", False, told, _("The server redirects, and redirects are never followed: enter the"
                                             " address it redirects to."))  # fmt: skip
    return Step("stream", False, told, _(failure.advice))


def _first_token(measured: Measurement) -> Step:
    ttft, setup = catalogue.ttft_ms(measured), catalogue.setup_ms(measured)
    if not isinstance(ttft, Quantity):
        return Step("first_token", None, ttft.reason)
    told = _("{time} after the request was written").format(time=numbers.milliseconds(float(ttft.value)))
    if isinstance(setup, Quantity):
        told += ", " + _("connection set up in {time}").format(time=numbers.milliseconds(float(setup.value)))
    return Step("first_token", True, told, ms=round(float(ttft.value), 1))


def _usage(generation: Generation, measured: Measurement) -> Step:
    usage = generation.last(Usage)
    if usage is None or measured.usage.output is None:
        told = _("The server reports no token counts in its stream.")
        if usage is not None:
            told = _("The server's token counts cannot be used: it counts nothing where text came.")
        advice = _("Nothing to do: the text is counted here with o200k_base and marked as estimated.")
        return Step("usage", False, told, advice)
    told = _("{prompt} in, {completion} out")
    counts = {name: usage.values.get(f"{name}_tokens", "?") for name in ("prompt", "completion")}
    return Step("usage", True, told.format(**counts))


def _stream_options(generation: Generation) -> Step:
    dropped = any(warned.code == "stream_options_dropped" for warned in generation.of(Warned))
    if dropped:
        advice = _("Nothing to do: requests are repeated without it.")
        return Step("stream_options", False, _("The server refuses stream_options."), advice)
    return Step("stream_options", True, _("accepted"))


def _thinking(backend: Backend, key: str, limits: Limits, measured: Measurement) -> Step:
    if measured.time.thinking_chunks:
        field = thinking_field(backend, key, limits)
        told = _("shown, in the field {field}").format(field=field) if field else _("shown")
        return Step("reasoning", True, told)
    hidden = measured.usage.reasoning
    if hidden:
        advice = _(
            "The wait for the first answer token contains the thinking; max tokens must leave room for both."
        )
        return Step("reasoning", None, _("hidden: {n} tokens").format(n=numbers.whole(hidden)), advice)
    return Step("reasoning", None, _("none in this answer"))


def _per_chunk(measured: Measurement) -> Step:
    found = texture.tokens_per_chunk(measured)
    if not isinstance(found, Quantity):
        return Step("tokens_per_chunk", None, found.reason)
    many = float(found.value) > 1.2
    advice = _("Gaps are between chunks, not between tokens.") if many else ""
    return Step("tokens_per_chunk", True, numbers.plain(round(float(found.value), 1)), advice)


def _buffering(measured: Measurement) -> Step:
    chunks = len(measured.time.chunks)
    if chunks <= FEW_CHUNKS:
        return Step("buffering", None, _("too few chunks to tell"))
    if measured.is_buffered or len(measured.arrivals) == 1:
        advice = _("Something on the way holds the stream back: switch off response buffering in the proxy"
                   " (nginx: proxy_buffering off), or go around it.")  # fmt: skip
        told = _("suspected: {chunks} chunks came at {arrivals} moments")
        return Step("buffering", False, told.format(chunks=chunks, arrivals=len(measured.arrivals)), advice)
    told = _("none seen: {chunks} chunks came at {arrivals} moments")
    return Step("buffering", True, told.format(chunks=chunks, arrivals=len(measured.arrivals)))
