"""llama.cpp's own HTTP server with the settings a fair race needs; imported by the child process only.

Nothing here is on the way of a token: the server runs on native threads and speaks to its clients itself.
"""

from __future__ import annotations

import urllib.request
from dataclasses import dataclass
from pathlib import Path

import xllamacpp

from lib.i18n import _
from lib.local_model import weights
from lib.local_model.variants import SLOTS, Speculation

CONTEXT_PER_SLOT = 4096  # tokens: 2,048 of prompt and 2,048 of answer; two slots cost 190 MB
NGRAM_MATCHED = 4  # tokens
NGRAM_PROPOSED = 8  # tokens


class LoadError(Exception):
    """The engine refused the model file; the message is for a person."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What may differ from one start to the next. `port` 0 lets the system choose."""

    model_file: Path
    threads: int = 1
    port: int = 0
    name: str = weights.MODEL
    speculation: Speculation | None = None
    context_tokens: int = CONTEXT_PER_SLOT  # of each slot
    slots: int = SLOTS


def serve(settings: Settings) -> tuple[xllamacpp.Server, str]:
    """Load the model, answer on loopback, and return the running server with its base URL.

    One thread by default: two local servers with two threads each on two cores slow each other
    to a tenth. Raises OSError when the server does not answer, LoadError when the file cannot be loaded.
    """
    try:
        server = xllamacpp.Server(_parameters(settings))
    except RuntimeError as error:
        raise LoadError(_("llama.cpp could not load {path}.").format(path=settings.model_file)) from error
    address = server.listening_address
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(f"{address}/health", timeout=10):
        return server, f"{address}/v1"


def _parameters(settings: Settings) -> xllamacpp.CommonParams:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(settings.model_file)
    parameters.model_alias = {settings.name}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = settings.port
    parameters.n_parallel = settings.slots
    parameters.n_ctx = SLOTS * settings.context_tokens
    if settings.slots > SLOTS:
        parameters.kv_unified = True  # one room for all, so that more slots take no more memory
        parameters.kv_unified_per_slot = settings.context_tokens
    parameters.cpuparams.n_threads = settings.threads
    parameters.cpuparams_batch.n_threads = settings.threads
    parameters.cache_ram_mib = 0  # the default keeps up to 8 GiB of old prompts
    parameters.ui = False
    parameters.endpoint_slots = False  # it would show the prompts being answered
    parameters.cors_origins = "http://127.0.0.1"  # no web page of others may use it through a browser
    parameters.offline = True  # never looks for a model elsewhere
    parameters.verbosity = 0
    if settings.speculation is Speculation.NGRAM:
        _guess_ahead(parameters)
    return parameters


def _guess_ahead(parameters: xllamacpp.CommonParams) -> None:
    """After 4 tokens that came before, propose the 8 that followed then; the answer stays the same."""
    kind = xllamacpp.common_speculative_type
    parameters.speculative.types = [kind.COMMON_SPECULATIVE_TYPE_NGRAM_SIMPLE]
    ngram = parameters.speculative.ngram_simple
    ngram.size_n, ngram.size_m = NGRAM_MATCHED, NGRAM_PROPOSED
