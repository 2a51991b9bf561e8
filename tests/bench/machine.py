"""The machine the figures were taken on, and what its processes cost; read from the system, never guessed."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("streamlit", "openai", "aiohttp", "uvloop", "orjson", "uvicorn", "playwright")
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def describe() -> dict[str, Any]:
    """Cores, processor, system, versions, and the load before the benchmarks began."""
    return {
        "cores": os.cpu_count(),
        "cpu": _cpu_name(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "load_before": round(os.getloadavg()[0], 2),
    }


def line(machine: dict[str, Any]) -> str:
    """The machine in one line."""
    packages = " ".join(f"{name} {number or 'absent'}" for name, number in machine["packages"].items())
    return (
        f"{machine['cores']} cores, {machine['cpu']}, {machine['system']}, Python {machine['python']}, "
        f"{packages}, load {machine['load_before']}"
    )


def cpu_s(pid: int) -> float:
    """Processor seconds a process has used so far in all its threads (Linux; resolution 10 ms)."""
    return sum(_ticks(pid)[:2]) / TICKS_PER_S


def rss_mb(pid: int) -> float:
    """Resident memory of a process, MB (Linux)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def children(pid: int) -> dict[int, str]:
    """The processes started by a process, with their command lines (Linux)."""
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text(encoding="ascii").split():
            command = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ")
            found[int(child)] = command.decode(errors="replace").strip()
    return found


class Others:
    """How much of the machine programs that are none of ours used since this was made."""

    def __init__(self) -> None:
        self._busy_s, self._own_s, self._at_s = _busy_s(), _own_s(), time.monotonic()

    def percent(self) -> float:
        """Share of all cores, per cent; 0 when the system does not tell."""
        busy_s = _busy_s() - self._busy_s - (_own_s() - self._own_s)
        return max(0.0, 100 * busy_s / (time.monotonic() - self._at_s) / (os.cpu_count() or 1))


def wait_until_quiet(most_s: float, quiet_percent: float = 3.0, hold_s: float = 1.5) -> bool:
    """Wait, at most so long, until other programs leave the machine alone; whether they did."""
    deadline_s = time.monotonic() + most_s
    while time.monotonic() < deadline_s:
        others = Others()
        time.sleep(hold_s)
        if others.percent() < quiet_percent:
            return True
    return False


def tree(pid: int) -> set[int]:
    """A process and all that descend from it (Linux)."""
    found = {pid}
    try:
        for child in children(pid):
            found |= tree(child)
    except OSError:
        pass  # it has just ended
    return found


def _ticks(pid: int) -> list[int]:
    """User, system, and the same of the children it has waited for."""
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    return [int(field) for field in stat.rpartition(")")[2].split()[11:15]]


def _busy_s() -> float:
    try:
        first = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()
    except OSError:
        return 0.0
    user, nice, system, _, _, irq, soft = map(int, first[1:8])
    return (user + nice + system + irq + soft) / TICKS_PER_S


def _own_s() -> float:
    times = os.times()
    own_s = times.user + times.system + times.children_user + times.children_system
    for pid in tree(os.getpid()) - {os.getpid()}:
        try:
            own_s += sum(_ticks(pid)) / TICKS_PER_S
        except OSError:
            continue  # it has just ended, and is counted among the children that have
    return own_s


def _cpu_name() -> str:
    try:
        rows = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [row.split(":", 1)[1].strip() for row in rows if row.startswith("model name")]
    return names[0] if names else platform.machine()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
