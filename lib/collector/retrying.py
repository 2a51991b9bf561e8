"""When to try again, and how long to wait first; pure but for the jitter that is passed in."""

from __future__ import annotations

import email.utils
from collections.abc import Mapping
from datetime import datetime

RETRIED = (429, 503)  # the two by which a server says "later"; repeating others may bill twice
FIRST_WAIT_S = 0.5


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds the server asks to wait: `retry-after-ms`, or `retry-after` as seconds or as a date."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        value = headers.get("retry-after")
        if value is None:
            return None
        try:
            return max(0.0, float(value))
        except ValueError:
            return max(0.0, (email.utils.parsedate_to_datetime(value) - now).total_seconds())
    except (TypeError, ValueError):
        return None


def wait_before(
    attempt: int, status: int, asked_s: float | None, max_attempts: int, max_wait_s: float, jitter: float
) -> float | None:
    """Seconds to wait before attempt `attempt + 1`, or None when there shall be none.

    Without the server's own figure: 0.5 s doubled per attempt, times 0.75 to 1.25 (`jitter` in 0..1).
    """
    if status not in RETRIED or attempt >= max_attempts:
        return None
    wait_s = asked_s if asked_s is not None else FIRST_WAIT_S * 2 ** (attempt - 1) * (0.75 + jitter / 2)
    return wait_s if wait_s <= max_wait_s else None
