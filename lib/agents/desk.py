"""The loops and prompt sets of this server by their id: any page, tab or visitor with the id finds them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

MOST_RUNNING = 4
KEPT = 24


class TooManyTasks(RuntimeError):
    """So many run already that another would disturb them."""


class Work(Protocol):
    """What a desk needs to know of a piece of work."""

    @property
    def is_running(self) -> bool: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...


W = TypeVar("W", bound=Work)


class Desk(Generic[W]):
    """Safe to call from any thread."""

    def __init__(self) -> None:
        self._work: dict[str, W] = {}
        self._lock = threading.Lock()

    def start(self, id_: str, work: W) -> None:
        """Begin it, and forget the oldest that have ended. Raises TooManyTasks."""
        with self._lock:
            if sum(one.is_running for one in self._work.values()) >= MOST_RUNNING:
                raise TooManyTasks
            ended = [known for known, one in self._work.items() if not one.is_running]
            for known in ended[: max(0, len(ended) - KEPT + 1)]:
                del self._work[known]
            self._work[id_] = work
        work.start()

    def running(self, is_it: Callable[[W], bool]) -> W | None:
        """One that runs and is what is looked for."""
        with self._lock:
            return next((one for one in self._work.values() if one.is_running and is_it(one)), None)

    def get(self, id_: str | None) -> W | None:
        """The one with this id, if this server still holds it."""
        return self._work.get(id_ or "")
