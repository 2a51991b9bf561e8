"""What was computed of a value that never changes, as long as the same object is asked about again.

A page looks at a loop twice a second; the answers that are whole need to be measured only once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """`make` of the last `most` objects; safe from any thread (the worst is to compute one twice)."""

    def __init__(self, make: Callable[[K], V], most: int) -> None:
        self._make, self._most = make, most
        self._known: dict[int, tuple[K, V]] = {}  # by identity; the object is held, so that it stays its own

    def of(self, key: K) -> V:
        """`make(key)`, from before if it is known."""
        known = self._known.get(id(key))
        if known is not None and known[0] is key:
            return known[1]
        found = self._make(key)
        while len(self._known) >= self._most:
            self._known.pop(next(iter(self._known)), None)
        self._known[id(key)] = (key, found)
        return found
