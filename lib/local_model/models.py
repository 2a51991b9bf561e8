"""All local models of this machine: one server process per form of SmolLM2 and per GGUF file added.

Nothing runs and nothing is loaded until `start`, which returns at once; ending a server takes up to 2 s.
Which of them a race uses is decided elsewhere; to the race each is a backend like any other.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from lib.domain.run import Backend, Origin, Prices
from lib.i18n import _, ngettext
from lib.local_model import converted, weights
from lib.local_model.gguf_header import Header, read_header
from lib.local_model.variants import SHIPPED, VARIANTS, Variant, Width
from lib.numbers import percent
from lib.server_process import Ready, ServerProcess, Starting, State

MODULE = "lib.local_model"
BACKEND_ID = "smollm2-135m"  # of the shipped form; the others add their id
SERVER_BYTES = 280_000_000  # of a server beside its weights: the text of both slots, and the engine
CONVERT_LIMIT_S = 360.0
FREE = Prices(Decimal(0), Decimal(0), Decimal(0), source="this machine")
COLD = {"cache_prompt": False}  # every race reads its prompt anew
NOT_LOOPING = {"repeat_penalty": 1.15}  # so small a model repeats itself without it


@dataclass(frozen=True, slots=True)
class Preparing:
    """The weights are being converted, once; `sentence` says to what and how far."""

    sentence: str


LocalState = State | Preparing


@dataclass(frozen=True, slots=True)
class LocalModel:
    """One that can be started. `width` is None for a file somebody added."""

    id: str
    name: str
    note: str
    file_bytes: int
    width: Width | None
    process: ServerProcess


class LocalModels:
    """Owns every local server; safe to use from several threads.

    `shipped` is the process of the shipped form when something else already owns one. Raises LookupError
    for an id it does not know.
    """

    def __init__(
        self, shipped: ServerProcess | None = None, memory_bytes: Callable[[], int | None] | None = None
    ) -> None:
        self._lock = threading.Lock()
        self._memory_bytes = memory_bytes or free_memory_bytes
        self._models = {variant.id: _variant(variant, shipped) for variant in VARIANTS}

    def models(self) -> tuple[LocalModel, ...]:
        """Every form of SmolLM2, then the files added, in the order a page lists them."""
        with self._lock:
            return tuple(self._models.values())

    def state(self, id: str) -> LocalState:
        """What it is doing now."""
        model = self._model(id)
        state = model.process.state
        if isinstance(state, Starting) and model.width is not None and not converted.is_there(model.width):
            return Preparing(_converting(model.width))
        return state

    def start(self, id: str) -> None:
        """Start it unless it runs; the state tells how it goes."""
        self._model(id).process.start()

    def stop(self, id: str) -> None:
        """End its process; its memory is free then."""
        self._model(id).process.close()

    def running(self) -> tuple[str, ...]:
        """Ids of those that are ready or on their way."""
        return tuple(m.id for m in self.models() if isinstance(m.process.state, Ready | Starting))

    def close(self) -> None:
        """End all of them."""
        for model in self.models():
            model.process.close()

    def add_file(self, path: Path | str) -> str:
        """Offer a GGUF file on this machine; its id, the same for the same file. Raises WeightsError."""
        file = Path(path).expanduser().resolve()
        if not file.is_file():
            raise weights.WeightsError(_("There is no file {path}.").format(path=file))
        model = _added(file, read_header(file))
        with self._lock:
            return self._models.setdefault(model.id, model).id

    def backend(self, id: str) -> Backend:
        """It as a backend; the base URL is empty while it is not ready."""
        model = self._model(id)
        state = model.process.state
        told = state.told if isinstance(state, Ready) else {}
        return Backend(
            _backend_id(id), _(model.name), model.process.base_url or "", str(told.get("model", "")),
            Origin.LIVE, _note(model, str(told.get("engine", "llama.cpp"))), FREE,
            COLD if model.width is None else COLD | NOT_LOOPING,
        )  # fmt: skip

    def advice(self, starting: str | None = None) -> tuple[str, ...]:
        """Sentences about memory and cores for what runs, with `starting` added if given; often none."""
        ids = dict.fromkeys((*self.running(), *((starting,) if starting else ())))
        sentences = []
        if len(ids) > 1:
            sentences.append(_about_cores(len(ids)))
        free = self._memory_bytes()
        wanted = _server_bytes(self._model(starting)) if starting and starting not in self.running() else 0
        if free is not None and wanted > free:
            sentences.append(
                _("It needs about {needed}, and only {free} of memory are free: stop another first.").format(
                    needed=_size(wanted), free=_size(free)
                )
            )
        return tuple(sentences)

    def memory(self, id: str) -> str:
        """About how much memory its server takes, in words."""
        return _size(_server_bytes(self._model(id)))

    def _model(self, id: str) -> LocalModel:
        with self._lock:
            return self._models[id]


def free_memory_bytes() -> int | None:
    """Memory that programs can still have, bytes (Linux); None where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        found = next(line for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return None
    return int(found.split()[1]) * 1024


def _variant(variant: Variant, shipped: ServerProcess | None) -> LocalModel:
    process = shipped if shipped is not None and variant.width is SHIPPED else None
    if process is None:
        process = ServerProcess(
            MODULE, "--variant", variant.id,
            absence=lambda: converted.unavailable_reason(variant.width), start_limit_s=CONVERT_LIMIT_S,
        )  # fmt: skip
    return LocalModel(variant.id, variant.name, variant.note, variant.file_bytes, variant.width, process)


def _added(file: Path, header: Header) -> LocalModel:
    id = f"gguf-{weights.model_name(file.stem)}-{hashlib.sha256(str(file).encode()).hexdigest()[:6]}"
    note = _("{architecture}, {millions} million weights, {bits} bits each").format(
        architecture=header.architecture,
        millions=f"{header.parameters / 1e6:,.0f}",
        bits=f"{header.bits_per_weight:.1f}",
    )
    process = ServerProcess(
        MODULE, "--model", str(file), absence=weights.engine_unavailable_reason, start_limit_s=CONVERT_LIMIT_S
    )
    return LocalModel(id, file.stem, note, header.file_bytes, None, process)


def _backend_id(id: str) -> str:
    if id == SHIPPED.value:
        return BACKEND_ID
    return id if id.startswith("gguf-") else f"{BACKEND_ID}-{id}"


def _note(model: LocalModel, engine: str) -> str:
    if model.width is None:
        return _("{note}; on this machine ({engine}), one thread").format(note=model.note, engine=engine)
    return _("135M demonstration model on this machine ({engine}), no reference for quality; {note}").format(
        engine=engine, note=_(model.note)
    )


def _converting(width: Width) -> str:
    done = converted.progress(width)
    name = width.value.upper()
    if done is None:
        return _("Its weights are converted to {width}, once; about 10 s.").format(width=name)
    return _("Its weights are converted to {width}, once: {share} done.").format(
        width=name, share=percent(done)
    )


def _about_cores(count: int) -> str:
    cores = os.cpu_count() or 1
    told = ngettext("{count} local models on {cores} core", "{count} local models on {cores} cores", cores)
    return _("{told}, one thread each: race them one by one, or they take each other's time.").format(
        told=told.format(count=count, cores=cores)
    )


def _server_bytes(model: LocalModel) -> int:
    return model.file_bytes + SERVER_BYTES


def _size(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 10**9 else f"{size / 1e6:.0f} MB"
