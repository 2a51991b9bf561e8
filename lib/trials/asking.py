"""A collector of the trials' own, which can be stopped in mid-answer and tells how late its clock was."""

from __future__ import annotations

from typing import Any, Self

from lib.collector.single import Measurer


class StoppableMeasurer(Measurer):
    """A `Measurer` whose running requests can be ended from another thread; what came is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.clock_health_ms: float | None = None  # the worst of all requests so far
        self._stopping = False

    def __enter__(self) -> Self:
        super().__enter__()
        return self

    @property
    def versions(self) -> dict[str, str]:
        """Versions behind the measurement."""
        return self._client.versions

    def stop(self) -> None:
        """End every request that runs, and each that should still begin."""
        self._stopping = True
        for run_id in tuple(self._ended):
            self._client.stop(run_id)

    def on_begun(self, run_id: str, origin_ns: int) -> None:
        """A request that was begun while Stop was pressed ends at once."""
        super().on_begun(run_id, origin_ns)
        if self._stopping:
            self._client.stop(run_id)

    def on_end(self, run_id: str, health: dict[str, Any]) -> None:
        """Keep the worst clock, then let the request end."""
        late_ms = health.get("clock_health_ms")
        if late_ms is not None:
            self.clock_health_ms = max(self.clock_health_ms or 0.0, late_ms)
        super().on_end(run_id, health)
