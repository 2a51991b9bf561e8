"""The state file of a prompt set being carried out: one JSON line for each answered question, appended as it comes.

Its name is made of the set, the backends and the parameters, so the same run finds it again after a stop or a crash;
a last line that was cut is dropped. It holds outcomes and figures, no key and no text.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit

import orjson

from lib.domain.codec import encode_params
from lib.domain.run import LOOPBACK, Backend, Params

TYPED_IN = "own-"  # how the ids of a visitor's own backends begin: two visitors may have the same


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question asked of one backend; a figure that is None is absent."""

    backend: int  # place in the run
    question: str
    status: str  # of `Status`
    seconds: float  # from the order to the end, waits and retries included
    attempts: int = 1
    output_tokens: int | None = None
    cost: Decimal | None = None
    currency: str = ""
    ttft_ms: float | None = None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """A stretch in which a backend was being asked; after a stop there is another."""

    backend: int
    seconds: float


class StateFile:
    """Append from any thread; read it once before."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def read(self) -> tuple[list[Outcome], list[Session]]:
        """What earlier runs of the same questions left."""
        outcomes, sessions = [], []
        if not self.path.exists():
            return [], []
        for line in self.path.read_bytes().split(b"\n"):
            try:
                values = orjson.loads(line)
                if "question" in values:
                    cost = values.pop("cost", None)
                    outcomes.append(Outcome(**values, cost=None if cost is None else Decimal(cost)))
                else:
                    sessions.append(Session(**values))
            except (orjson.JSONDecodeError, TypeError, AttributeError, ArithmeticError):
                continue  # cut in the middle of a write
        return outcomes, sessions

    def append(self, record: Outcome | Session) -> None:
        """Keep one record, whole or not at all."""
        values = {name: getattr(record, name) for name in record.__slots__}
        line = b"\n" + orjson.dumps(values, default=str) + b"\n"  # begins anew after a line that was cut
        with self._lock:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())

    def forget(self) -> None:
        """Begin anew."""
        self.path.unlink(missing_ok=True)


def state_path(folder: Path, digest: str, backends: Sequence[Backend], params: Params) -> Path:
    """The file of this set with these backends and parameters."""
    asked = [(one.id, _address(one), one.model, dict(one.extra_body)) for one in backends]
    seen = orjson.dumps([digest, asked, encode_params(params)], default=str, option=orjson.OPT_SORT_KEYS)
    return folder / "prompt-sets" / f"{digest}-{hashlib.sha256(seen).hexdigest()[:12]}.jsonl"


def _address(backend: Backend) -> str:
    """What tells a backend from another of its name: its address, unless a server of ours took a free port for it."""
    is_ours = urlsplit(backend.base_url).hostname in LOOPBACK and not backend.id.startswith(TYPED_IN)
    return "" if is_ours else backend.base_url
