"""Fewer bits per weight: how much smaller, how much faster at best, and what was measured. Quality is not said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lib.limits.tables import Format


@dataclass(frozen=True, slots=True)
class Gain:
    """One format beside the widest of its group: `ideal` by bytes, `measured` None where nobody measured."""

    format: Format
    ideal: float
    measured: float | None

    @property
    def kept(self) -> float | None:
        """Share of the ideal speed-up that was reached."""
        return None if self.measured is None else self.measured / self.ideal


def bits_with_scales(bits: float, group: int, scale_bits: float = 16, zero_bits: float = 0) -> float:
    """Bits per weight with what a group of weights shares: bits + (scale + zero point) / group size.

    GPTQ and AWQ with 4 bits, groups of 128, 16-bit scale, 4-bit zero: 4.156. Untrue for formats with scales of
    scales (llama.cpp K-quants) and where some tensors stay wider; their files are measured instead.
    """
    return bits + (scale_bits + zero_bits) / group


def ideal_speed_up(from_bits: float, to_bits: float) -> float:
    """Speed-up if reading weights were all: from / to bits per weight.

    An upper bound of memory-bound decoding: unpacking and fixed costs eat part of it, and a batch that is
    compute-bound gains nothing from it.
    """
    return from_bits / to_bits


def implied_bandwidth_gb_s(weight_count: float, bits_per_weight: float, tps: float) -> float:
    """Bandwidth a measured rate amounts to, GB/s: weights x bits / 8 x tokens/s / 10^9 (KV reads left out)."""
    return weight_count * bits_per_weight / 8 * tps / 1e9


def gains(formats: Sequence[Format], group: str) -> tuple[Gain, ...]:
    """Every format of a group beside its widest, in the order of the table."""
    found = [one for one in formats if one.group == group]
    widest = max(found, key=lambda one: one.bits_per_weight)
    return tuple(
        Gain(one, ideal_speed_up(widest.bits_per_weight, one.bits_per_weight), _ratio(one, widest))
        for one in found
    )


def _ratio(one: Format, widest: Format) -> float | None:
    if one.middle_tps is None or widest.middle_tps is None:
        return None
    return one.middle_tps / widest.middle_tps
