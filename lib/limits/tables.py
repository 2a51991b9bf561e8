"""The tables behind the speed models: chips, models, formats of weights; every row says where it comes from.

What rests on memory or on an assumption says so (`is_assumed`), and the page repeats it. Nothing is computed here.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_DATA = Path(__file__).resolve().parents[1] / "data"
_DOUBTS = ("remembered", "assumed", "derived")
SRAM = "SRAM"


@dataclass(frozen=True, slots=True)
class Chip:
    """One accelerator; None where a figure was not found."""

    id: str
    name: str
    memory_class: str
    capacity_gb: float
    bandwidth_tb_s: float | None
    bf16_tflops: float | None
    note: str
    source: str
    verification: str
    usd_per_h: float | None
    price_source: str

    @property
    def keeps_weights_in_sram(self) -> bool:
        """Whether the bandwidth roofline is meaningless for it (`layers.py` is the model instead)."""
        return SRAM in self.memory_class and "HBM" not in self.memory_class

    @property
    def is_assumed(self) -> bool:
        """Whether some figure of the row rests on memory or derivation."""
        return any(word in self.verification for word in _DOUBTS)


@dataclass(frozen=True, slots=True)
class Model:
    """One language model by the figures that decide its speed.

    `kv_heads` is None where its cache does not have the common form; the cache is not counted then.
    `experts` and `experts_per_token` are None for a dense model.
    """

    id: str
    name: str
    total_params: float
    active_params: float
    layers: int
    heads: int | None
    kv_heads: int | None
    head_dim: int | None
    experts: int | None
    experts_per_token: int | None
    source: str
    verification: str

    @property
    def is_moe(self) -> bool:
        """Whether a token passes through a part of the weights only."""
        return self.experts is not None

    @property
    def is_assumed(self) -> bool:
        """Whether some figure of the row rests on memory."""
        return any(word in self.verification for word in _DOUBTS)


@dataclass(frozen=True, slots=True)
class Format:
    """One way to store weights, with the decode rates somebody measured on one machine (a range where several)."""

    id: str
    name: str
    bits_per_weight: float
    group: str  # rates compare within a group only: same model, same machine
    low_tps: float | None
    high_tps: float | None
    source: str
    verification: str

    @property
    def middle_tps(self) -> float | None:
        """The geometric middle of the measured range, tokens/s."""
        if self.low_tps is None or self.high_tps is None:
            return None
        return float((self.low_tps * self.high_tps) ** 0.5)


@dataclass(frozen=True, slots=True)
class LayerSpeed:
    """A speed somebody told of a machine that keeps its weights in SRAM, and the layers of the model."""

    id: str
    name: str
    tps: float
    layers: int
    source: str
    verification: str

    @property
    def is_assumed(self) -> bool:
        """Whether the layers are an assumption."""
        return any(word in self.verification for word in _DOUBTS)


@cache
def chips() -> tuple[Chip, ...]:
    """All chips of lib/data/hardware.csv in its order."""
    return tuple(
        Chip(
            row["id"], row["name"], row["memory_class"], float(row["mem_capacity_gb"]),
            _number(row["mem_bw_tb_s"]), _number(row["peak_bf16_tflops"]), row["note"], row["source"],
            row["verification"], _number(row["usd_per_h"]), row["price_source"],
        )
        for row in _rows("hardware.csv")
    )  # fmt: skip


@cache
def models() -> tuple[Model, ...]:
    """All models of lib/data/limit_models.csv in its order."""
    return tuple(
        Model(
            row["id"], row["name"], float(row["total_params_1e9"]) * 1e9, float(row["active_params_1e9"]) * 1e9,
            int(row["layers"]), _whole(row["heads"]), _whole(row["kv_heads"]), _whole(row["head_dim"]),
            _whole(row["experts"]), _whole(row["experts_per_token"]), row["source"], row["verification"],
        )
        for row in _rows("limit_models.csv")
    )  # fmt: skip


@cache
def formats() -> tuple[Format, ...]:
    """All formats of lib/data/quantisation.csv in its order."""
    return tuple(
        Format(
            row["id"], row["name"], float(row["bits_per_weight"]), row["group"], _number(row["tok_s_lo"]),
            _number(row["tok_s_hi"]), row["source"], row["verification"],
        )
        for row in _rows("quantisation.csv")
    )  # fmt: skip


@cache
def layer_speeds() -> tuple[LayerSpeed, ...]:
    """All rows of lib/data/layer_speeds.csv in its order."""
    return tuple(
        LayerSpeed(
            row["id"],
            row["name"],
            float(row["tok_s"]),
            int(row["layers"]),
            row["source"],
            row["verification"],
        )
        for row in _rows("layer_speeds.csv")
    )


def chip(id_: str) -> Chip:
    """The chip with this id. Raises StopIteration."""
    return next(known for known in chips() if known.id == id_)


def model(id_: str) -> Model:
    """The model with this id. Raises StopIteration."""
    return next(known for known in models() if known.id == id_)


def model_named(text: str) -> Model | None:
    """The model that a name speaks of ("meta-llama/Llama-3.1-70B-Instruct"), or None; the longest id that fits."""
    name = re.sub(r"[^a-z0-9.]+", "-", text.lower())
    fitting = [known for known in models() if known.id in name]
    return max(fitting, key=lambda known: len(known.id), default=None)


def _rows(name: str) -> list[dict[str, str]]:
    with (_DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _number(text: str) -> float | None:
    return float(text) if text else None


def _whole(text: str) -> int | None:
    return int(text) if text else None
