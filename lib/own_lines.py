"""What a person has saved on this machine: entries of one kind, each a line of JSON in a file of the data folder.

The folder is `$TOKENRACE_DATA`, else `$XDG_DATA_HOME/tokenrace`, else `~/.local/share/tokenrace`. A file is replaced as
a whole, never half written, and lines that this version cannot read are kept. What an entry holds is its owner's.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from lib.i18n import _

DATA_VARIABLE = "TOKENRACE_DATA"


class Entry(Protocol):
    """What is kept; its id is its own."""

    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=Entry)


def data_folder() -> Path:
    """The folder of what a person has saved; not created here."""
    own = os.environ.get(DATA_VARIABLE)
    if own:
        return Path(own).expanduser()
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "tokenrace"


class OwnLines(Generic[T]):
    """One file, safe to change from any thread. `read` gives a line's entry, None where it is none.

    `fault` is raised with a sentence for the person when the file cannot be read or written.
    """

    def __init__(self, file_name: str, read: Callable[[str], T | None], fault: type[ValueError]) -> None:
        self._name, self._read, self._fault = file_name, read, fault
        self._changing = threading.Lock()

    def entries(self, folder: Path | None = None) -> tuple[T, ...]:
        """The entries, oldest first."""
        return tuple(entry for _line, entry in self._lines(self._path(folder)) if entry is not None)

    def put(self, id_: str, values: Mapping[str, Any], folder: Path | None = None) -> None:
        """Keep these values as the entry of this id, in its old place if it has one."""
        line = json.dumps(values, ensure_ascii=False)
        with self._changing:
            lines = self._lines(self._path(folder))
            texts = [text for text, _entry in lines]
            places = [place for place, (_line, entry) in enumerate(lines) if entry is not None and entry.id == id_]
            if places:
                texts[places[0]] = line
            else:
                texts.append(line)
            self._write(self._path(folder), texts)

    def drop(self, id_: str, folder: Path | None = None) -> bool:
        """Forget the entry of this id; whether there was one."""
        with self._changing:
            lines = self._lines(self._path(folder))
            left = [text for text, entry in lines if entry is None or entry.id != id_]
            if len(left) == len(lines):
                return False
            self._write(self._path(folder), left)
            return True

    def _path(self, folder: Path | None) -> Path:
        return (folder or data_folder()) / self._name

    def _lines(self, path: Path) -> list[tuple[str, T | None]]:
        try:
            texts = path.read_text(encoding="utf-8").split("\n")
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise self._fault(_("{path} cannot be read: {reason}.").format(path=path, reason=error)) from error
        return [(text, self._read(text)) for text in texts if text.strip()]

    def _write(self, path: Path, texts: Sequence[str]) -> None:
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with part.open("w", encoding="utf-8") as file:
                file.writelines(f"{text}\n" for text in texts)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except OSError as error:
            part.unlink(missing_ok=True)
            told = _("{path} cannot be written: {reason}.").format(path=path, reason=error.strerror or error)
            raise self._fault(told) from error
