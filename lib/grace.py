"""Whether anybody watches what runs, and how long it may go on when nobody does: the provider bills.

Races, series of trials, loops and prompt sets each have one `Grace`. It counts viewers and stops nothing by itself;
`stop_unwatched` is the thread that does. Nothing here knows what a viewer is: a connection that comes and leaves, or
somebody who can be asked whether they are still there (`lib/ui/watching.py`).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Hashable

GRACE_VARIABLE = "TOKENRACE_GRACE_S"
GRACE_S = 15.0
LOOK_S = 0.2


def grace_s() -> float | None:
    """How long something may run unwatched, in seconds: the variable, else 15; 0 is without end (None)."""
    try:
        chosen = float(os.environ.get(GRACE_VARIABLE, ""))
    except ValueError:
        return GRACE_S
    return chosen if chosen > 0 else None


class Grace:
    """The viewers of one run; unwatched from the start until the first comes. Safe to use from any thread.

    `most_s` is how long it may be unwatched; None is without end.
    """

    def __init__(self, most_s: float | None, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._most_s, self._clock_s = most_s, clock_s
        self._viewers: dict[Hashable, Callable[[], bool]] = {}
        self._lock = threading.Lock()
        self._since_s = clock_s()

    def come(self, viewer: Hashable, is_there: Callable[[], bool] = lambda: True) -> None:
        """A viewer is here, until they leave or `is_there` says no; the same viewer may come again."""
        with self._lock:
            self._viewers[viewer] = is_there

    def leave(self, viewer: Hashable) -> None:
        """A viewer is gone."""
        with self._lock:
            if self._viewers.pop(viewer, None) is not None:
                self._since_s = self._clock_s()

    @property
    def is_over(self) -> bool:
        """Whether nobody has watched for longer than allowed; those who can be asked are asked."""
        for viewer, is_there in tuple(self._viewers.items()):
            if not is_there():
                self.leave(viewer)
        with self._lock:
            alone = not self._viewers
            return alone and self._most_s is not None and self._clock_s() - self._since_s > self._most_s


def stop_unwatched(grace: Grace, stop: Callable[[], None], ended: threading.Event) -> None:
    """Call `stop` once when the grace is over, from a thread that ends with `ended`; returns at once."""

    def look() -> None:
        while not ended.wait(LOOK_S):
            if grace.is_over:
                stop()
                return

    threading.Thread(target=look, name="grace", daemon=True).start()
