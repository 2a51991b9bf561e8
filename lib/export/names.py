"""File names of exports: when the race was run and four letters that tell two races of a minute apart.

Nothing a model, a server or a visitor wrote is ever part of a name, and the run's id, which is the right to
read it, cannot be told from it.
"""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime

from lib.domain.run import Run


def file_name(run: Run, ending: str) -> str:
    """`tokenrace-2026-11-30T0231-k3xw` and the ending (`.json`, `-lanes.csv`); time in UTC."""
    digest = hashlib.sha256(run.id.encode("utf-8", "replace")).digest()
    return f"tokenrace-{_when(run.started_at)}-{base64.b32encode(digest)[:4].decode().lower()}{ending}"


def _when(started_at: str) -> str:
    try:
        moment = datetime.fromisoformat(started_at)
    except ValueError:
        return "undated"
    return (moment.astimezone(UTC) if moment.tzinfo else moment).strftime("%Y-%m-%dT%H%M")
