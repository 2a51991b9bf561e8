"""Our figures beside the llama.cpp server's own: the path of `lib measure` against a real server on this machine.

The server counts the tokens after its first over the time since its first, behind its own door; we count them
from what arrives. Afterwards every width of the weights, and n-gram speculation, on a text that repeats itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from lib.collector.single import Measurer
from lib.domain import events as ev
from lib.domain.run import Backend, Limits, Params, Prompt
from lib.local_model.models import LocalModels
from lib.local_model.variants import VARIANTS, Speculation
from lib.metrics import catalogue, rates
from lib.metrics.measurement import measure
from lib.metrics.quantity import number
from lib.metrics.server_report import ServerTimings, server_timings
from lib.server_process import Ready
from tests.bench.pace import Pace
from tests.bench.report import Finding, Section

RUNS = 5
AGREEMENT_PERCENT = 2.0
PATIENCE_S = 300
STORY = Prompt("Explain to a visitor how a lighthouse was kept before electricity.")
CODE = Prompt(
    "Repeat this code exactly, then repeat it again with `mass` renamed to `weight`:\n"
    "def centre(points):\n    total = sum(point.mass for point in points)\n"
    "    x = sum(point.mass * point.x for point in points) / total\n"
    "    y = sum(point.mass * point.y for point in points) / total\n    return x, y\n"
)
PARAMS = Params(max_tokens=256, temperature=0.0, seed=1)


@dataclass(frozen=True, slots=True)
class Pair:
    """One answer: our figures, the server's, and the text."""

    ours_tps: float
    ttft_ms: float
    server: ServerTimings
    text: str


def run(pace: Pace) -> Iterator[Section]:
    """Agreement over five runs, then the forms of the model beside each other."""
    with Measurer() as measurer:
        yield agreement(measurer, pace)
        yield forms(measurer, 128 if pace.quick else 256)


def agreement(measurer: Measurer, pace: Pace) -> Section:
    """The shipped form, five runs after one that is thrown away."""
    title = f"Our figures and the llama.cpp server's own ({RUNS} runs, Q4_1, one thread)"
    models = LocalModels()
    try:
        with ready(models, "q4_1") as backend:
            answer(measurer, backend, STORY, PARAMS)
            pairs = pace.repeat(RUNS, answer, measurer, backend, STORY, PARAMS)
    except LookupError as absent:
        return Section(title, absent=str(absent))
    return Section(title, tuple(compared(pairs)))


def compared(pairs: list[Pair]) -> Iterator[Finding]:
    """Rates and first tokens beside each other."""
    off = [100 * abs(pair.ours_tps / (pair.server.decode_tps or 1) - 1) for pair in pairs]
    yield Finding("output speed, ours off the server's", "%", tuple(off), at_most=AGREEMENT_PERCENT)
    yield Finding("output speed, ours", "tok/s", tuple(pair.ours_tps for pair in pairs))
    yield Finding("output speed, the server's", "tok/s", tuple(pair.server.decode_tps or 0 for pair in pairs))
    yield Finding("first token, ours", "ms", tuple(pair.ttft_ms for pair in pairs))
    yield Finding("prefill, the server's", "ms", tuple(pair.server.prefill_ms or 0 for pair in pairs))
    beside = tuple(pair.ttft_ms - (pair.server.prefill_ms or 0) for pair in pairs)
    note = "the request's way, the template, the first token's choice"
    yield Finding("first token beside the prefill", "ms", beside, note=note)


def forms(measurer: Measurer, tokens: int) -> Section:
    """Every width and n-gram speculation, one server at a time, on code that repeats itself."""
    title = "Widths of the same weights and n-gram speculation (code that repeats, one thread, one at a time)"
    models, findings, texts = LocalModels(), [], {}
    params = replace(PARAMS, max_tokens=tokens)
    try:
        for variant in VARIANTS:
            with ready(models, variant.id) as backend:
                pair = answer(measurer, backend, CODE, params)
            texts[variant.id] = pair.text
            note = f"prefill {pair.server.prefill_tps or 0:.0f} tok/s"
            if variant.speculation is Speculation.NGRAM:
                same = pair.text == texts[variant.width.value]
                kept = (
                    "none guessed" if pair.server.acceptance is None else f"{pair.server.acceptance:.0%} kept"
                )
                note += f", guesses: {kept}, {'same text' if same else 'ANOTHER TEXT'} as without"
            findings.append(Finding(variant.name, "tok/s", (pair.ours_tps,), note=note))
    except LookupError as absent:
        return Section(title, absent=str(absent))
    return Section(title, tuple(findings))


@contextmanager
def ready(models: LocalModels, id: str) -> Iterator[Backend]:
    """A running local model. Raises LookupError when this machine has none."""
    process = next(model.process for model in models.models() if model.id == id)
    models.start(id)
    try:
        state = process.wait(PATIENCE_S)
        if not isinstance(state, Ready):
            raise LookupError(getattr(state, "reason", "it did not start"))
        yield replace(models.backend(id), extra_body={"cache_prompt": False})
    finally:
        models.stop(id)


def answer(measurer: Measurer, backend: Backend, prompt: Prompt, params: Params) -> Pair:
    """One request, measured as `lib measure` does. Raises ValueError when it was not complete."""
    generation = measurer.generation(backend, "", prompt, params, Limits())
    ended, theirs = generation.last(ev.Ended), server_timings(generation)
    measured = measure(generation, backend)
    ours_tps, ttft = number(rates.decode_rate(measured)), number(catalogue.ttft_ms(measured))
    if (
        ended is None
        or ended.status is not ev.Status.COMPLETE
        or theirs is None
        or ours_tps is None
        or ttft is None
    ):
        raise ValueError(f"{backend.name}: {generation.events[-2:]}")
    return Pair(ours_tps, ttft, theirs, measured.answer)
