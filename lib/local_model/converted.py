"""Where converted weights are kept, whether they are there and whole, and how far a conversion has come.

The folder is `$TOKENRACE_CACHE`, else `$XDG_CACHE_HOME/tokenrace`, else `~/.cache/tokenrace`. A file appears
under its name only when it is complete; beside it stands a note with its SHA-256 and that of its source. It
may be deleted at any time and is made again. The converting itself is done by `requantise.py`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lib.i18n import _
from lib.local_model import weights
from lib.local_model.variants import FILE_BYTES, SHIPPED, Width

CACHE_VARIABLE = "TOKENRACE_CACHE"
CONVERTER_PACKAGES = ("gguf", "numpy", "yaml")
ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 300.0  # of one conversion


def cache_folder() -> Path:
    """The folder of files that can be made again; not created here."""
    own = os.environ.get(CACHE_VARIABLE)
    if own:
        return Path(own).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tokenrace"


def path_of(width: Width) -> Path:
    """Where the converted file of this width is, or will be."""
    return cache_folder() / f"SmolLM2-135M-Instruct.{width.value.upper()}.gguf"


def is_there(width: Width) -> bool:
    """Whether no conversion is needed, judged by the file's size (a start also checks its SHA-256)."""
    path = path_of(width)
    return width is SHIPPED or (path.is_file() and path.stat().st_size == FILE_BYTES[width])


def progress(width: Width) -> float | None:
    """Share of a running conversion that is written, 0 to 1; None when none is running."""
    parts = path_of(width).parent.glob(f"{path_of(width).name}.*.part")
    sizes = [size for size in map(_size, parts) if size is not None]
    return min(1.0, max(sizes) / FILE_BYTES[width]) if sizes else None


def unavailable_reason(width: Width) -> str | None:
    """Why this width cannot run here, in one sentence, or None when it can."""
    reason = weights.unavailable_reason()
    if reason is not None or is_there(width):
        return reason
    if any(importlib.util.find_spec(package) is None for package in CONVERTER_PACKAGES):
        return _("The package that converts the weights is not installed: run 'make local-model'.")
    return None


def file_of(width: Width) -> Path:
    """The verified weights of this width, converted now (about 10 s) if need be. Raises WeightsError."""
    if width is SHIPPED:
        return weights.verified_file()
    path = path_of(width)
    if not _is_whole(path):
        reason = unavailable_reason(width)
        if reason is not None:
            raise weights.WeightsError(reason)
        _convert(width)
    return path


@contextmanager
def making(width: Width) -> Iterator[Path]:
    """For the converter: a file to write; when the block ends well it is kept under its name, else deleted."""
    path = path_of(width)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        yield part
        _note_path(path).write_text(json.dumps(_note(part), indent=2) + "\n", encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _convert(width: Width) -> None:
    """Run the converter, which finishes its work also when this process is told to end."""
    command = (sys.executable, "-m", "lib.local_model.requantise", width.value)
    try:
        done = subprocess.run(  # noqa: S603 (our own module)
            command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise weights.WeightsError(_("Converting the weights took too long.")) from error
    if done.returncode != 0:
        told = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise weights.WeightsError(
            _("The weights could not be converted: {reason}").format(
                reason=told[-1] if told else done.returncode
            )
        )


def _remove_leftovers(path: Path) -> None:
    """Delete what conversions that were killed have left."""
    oldest_s = time.time() - LIMIT_S
    for part in path.parent.glob(f"{path.name}.*.part"):
        if part.stat().st_mtime < oldest_s:
            part.unlink(missing_ok=True)


def _is_whole(path: Path) -> bool:
    """Whether the file is the one its note describes, made of the weights that are installed."""
    try:
        note = json.loads(_note_path(path).read_text("utf-8"))
        return path.is_file() and bool(note == _note(path))
    except (OSError, ValueError):
        return False


def _note(path: Path) -> dict[str, str]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"sha256": digest, "converted_from_sha256": weights.SHA256}


def _note_path(path: Path) -> Path:
    return path.with_suffix(".json")


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None
