"""Where more users at once stop being worth it: the knee between speed per user and total throughput."""

from __future__ import annotations

from collections.abc import Sequence

from lib.limits.roofline import Machine, Work, critical_batch


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


def knee_of_roofline(machine: Machine, work: Work) -> float | None:
    """Users at the knee of a dense model: weight bytes / KV bytes of one user, or fewer where arithmetic ends it.

    The maximum of B / step^2 with the step of `roofline.py`. From the batch on where 2 B P / FLOPs exceeds the reading
    of the weights, more users only lower the product. None without a cache to count, or for a mixture of experts,
    whose weights read grow with the batch.
    """
    if work.model.is_moe or not work.kv_bytes:
        return None
    memory_bound = work.weight_bytes / work.kv_bytes
    if machine.flops is None:
        return memory_bound
    return min(memory_bound, critical_batch(machine.flops, machine.bandwidth_bytes_s, work.bits_per_weight))
