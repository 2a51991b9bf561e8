"""Decode speed as far as memory bandwidth and arithmetic allow: one step makes one token for each request.

An upper bound: real engines reach 60 to 97 % of the bandwidth. Not for machines that keep all weights in on-chip
SRAM (`layers.py`), and nothing here knows networks, kernels' fixed costs or queues.
"""

from __future__ import annotations

from dataclasses import dataclass

from lib.limits.kv_cache import BYTES_16_BIT, kv_bytes
from lib.limits.tables import Chip, Model

BITS_PER_BYTE = 8
EFFICIENCY = (
    0.60,
    0.97,
)  # of peak bandwidth: llama-roofline 65-97 %, a second set 67 %, llama.cpp on M1 Max 83 %


@dataclass(frozen=True, slots=True)
class Machine:
    """Chips used as one: `bandwidth_bytes_s` and `flops` are their sums. Ideal: sharding costs nothing."""

    bandwidth_bytes_s: float
    flops: float | None
    capacity_bytes: float
    usd_per_h: float | None

    @classmethod
    def of(cls, chip: Chip, count: int = 1) -> Machine:
        """So many of one chip. Raises ValueError for a chip whose bandwidth is not known or meaningless."""
        if chip.bandwidth_tb_s is None or chip.keeps_weights_in_sram:
            raise ValueError(f"the bandwidth roofline says nothing about {chip.name}")
        return cls(
            chip.bandwidth_tb_s * 1e12 * count,
            None if chip.bf16_tflops is None else chip.bf16_tflops * 1e12 * count,
            chip.capacity_gb * 1e9 * count,
            None if chip.usd_per_h is None else chip.usd_per_h * count,
        )


@dataclass(frozen=True, slots=True)
class Work:
    """What is asked of it: a model in a width, a context length, so many requests at once."""

    model: Model
    bits_per_weight: float
    context_tokens: float
    batch: int = 1
    kv_bytes_each: float = BYTES_16_BIT

    @property
    def weight_bytes(self) -> float:
        """All weights, as they lie in memory."""
        return self.model.total_params * self.bits_per_weight / BITS_PER_BYTE

    @property
    def read_bytes(self) -> float:
        """Weights read in one step: all of a dense model, the experts that the batch touches of another."""
        return params_read(self.model, self.batch) * self.bits_per_weight / BITS_PER_BYTE

    @property
    def kv_bytes(self) -> float:
        """Cache of one request."""
        return kv_bytes(self.model, self.context_tokens, self.kv_bytes_each)

    @property
    def memory_bytes(self) -> float:
        """Weights and the caches of all requests."""
        return self.weight_bytes + self.batch * self.kv_bytes


def params_read(model: Model, batch: int) -> float:
    """Parameters read in one step.

    Dense: all. Mixture of experts: shared + routed x (1 - (1 - k/E)^B): the expected union of the experts of B
    tokens. At B = 1 this is the active parameters (E experts, k of them per token). Assumption: tokens choose
    experts evenly and independently; real routers are uneven, so fewer experts are touched.
    """
    if model.experts is None or model.experts_per_token is None:
        return model.total_params
    share = model.experts_per_token / model.experts
    routed = (model.total_params - model.active_params) / (1 - share)
    shared = model.total_params - routed
    return shared + routed * (1 - (1 - share) ** batch)


def step_s(machine: Machine, work: Work) -> float:
    """Shortest time of one decode step, s: B x KV / BW + max(2 B P / FLOPs, weights / BW).

    Source: Scaling Book, chapter on inference (jax-ml.github.io/scaling-book). P is the active parameters.
    Stops being true where weights stay on the chip, and below it engines add fixed costs per layer.
    """
    cache_s = work.batch * work.kv_bytes / machine.bandwidth_bytes_s
    return cache_s + max(_compute_s(machine, work), work.read_bytes / machine.bandwidth_bytes_s)


def per_user_tps(machine: Machine, work: Work) -> float:
    """Tokens/s that one request can get: 1 / step (same source and limits as `step_s`)."""
    return 1 / step_s(machine, work)


def total_tps(machine: Machine, work: Work) -> float:
    """Tokens/s of all requests together: B / step (same source and limits as `step_s`)."""
    return work.batch / step_s(machine, work)


def is_compute_bound(machine: Machine, work: Work) -> bool:
    """Whether arithmetic takes longer than reading the weights."""
    return _compute_s(machine, work) > work.read_bytes / machine.bandwidth_bytes_s


def critical_batch(flops: float, bandwidth_bytes_s: float, bits_per_weight: float = 16.0) -> float:
    """Requests above which a dense model is compute-bound: FLOPs / (BW x 2 / bytes per weight).

    Written as FLOPs x bytes / (2 BW): 240 for bf16 on TPU v5e, 120 with int8 weights and bf16 arithmetic.
    Source: Scaling Book, chapter on inference. KV reads are left out; they are never shared by a batch.
    """
    return flops * (bits_per_weight / BITS_PER_BYTE) / (2 * bandwidth_bytes_s)


def bandwidth_needed_bytes_s(work: Work, tps: float) -> float:
    """Bandwidth that gives one request so many tokens/s: bytes read per token x tokens/s, at 100 % efficiency."""
    return (work.read_bytes + work.batch * work.kv_bytes) * tps


def usd_per_million(machine: Machine, work: Work) -> float | None:
    """Rent of the machine per million output tokens, USD: price per hour / 3,600 / total tokens/s x 10^6.

    None without a price. Ideal: every hour is full, prefill is free, no profit.
    """
    if machine.usd_per_h is None:
        return None
    return machine.usd_per_h / 3600 / total_tps(machine, work) * 1e6


def power(machine: Machine, work: Work) -> float:
    """Total tokens/s x tokens/s per user: the operating point where it is largest is the knee.

    Source: Kleinrock 1979, "Power and deterministic rules of thumb for probabilistic problems in computer
    communications" (throughput / delay). A rule for comparing, no law: a product may want another point.
    """
    return total_tps(machine, work) * per_user_tps(machine, work)


def _compute_s(machine: Machine, work: Work) -> float:
    if machine.flops is None:
        return 0.0
    return 2 * work.batch * work.model.active_params / machine.flops
