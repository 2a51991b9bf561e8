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

SLOTS = 2  # requests at once: the same backend may run in two lanes
CONTEXT_PER_SLOT = 4096  # tokens: 2,048 of prompt and 2,048 of answer; both slots cost 190 MB


class LoadError(Exception):
    """The engine refused the model file; the message is for a person."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What may differ from one start to the next. `port` 0 lets the system choose."""

    model_file: Path
    threads: int = 1
    port: int = 0


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
    parameters.model_alias = {weights.MODEL}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = settings.port
    parameters.n_parallel = SLOTS
    parameters.n_ctx = SLOTS * CONTEXT_PER_SLOT
    parameters.cpuparams.n_threads = settings.threads
    parameters.cpuparams_batch.n_threads = settings.threads
    parameters.cache_ram_mib = 0  # the default keeps up to 8 GiB of old prompts
    parameters.ui = False
    parameters.endpoint_slots = False  # it would show the prompts being answered
    parameters.cors_origins = "http://127.0.0.1"  # no web page of others may use it through a browser
    parameters.offline = True  # never looks for a model elsewhere
    parameters.verbosity = 0
    return parameters
