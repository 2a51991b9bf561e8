"""Where more users at once stop being worth it: the knee between speed per user and total throughput."""

from __future__ import annotations

from collections.abc import Sequence

from lib.limits.roofline import Work


def knee(points: Sequence[tuple[int, float, float]]) -> int | None:
    """The number of users where total x per-user tokens/s is largest, of (users, total, per user).

    Source: Kleinrock 1979 (power = throughput / delay). None with fewer than three points, or when the largest
    product is at either end: then the knee is not among what was looked at.
    """
    if len(points) < 3:
        return None
    ordered = sorted(points)
    best = max(range(len(ordered)), key=lambda place: ordered[place][1] * ordered[place][2])
    return None if best in (0, len(ordered) - 1) else ordered[best][0]


def knee_of_roofline(work: Work) -> float | None:
    """Users at the knee of a memory-bound dense model: weight bytes / KV bytes of one user.

    The maximum of B / (W + B KV)^2, from the roofline of `roofline.py`. None without a cache to count, or for a
    mixture of experts, whose weights read grow with the batch.
    """
    if work.model.is_moe or not work.kv_bytes:
        return None
    return work.weight_bytes / work.kv_bytes
