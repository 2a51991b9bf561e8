"""Machines that keep all weights in on-chip SRAM: time per layer, since the bandwidth roofline says nothing there.

Their summed bandwidth would allow 10^5 tokens/s; what limits them is how long a token takes from one layer to
the next. The time per layer is read off from measured speeds, not predicted.
"""

from __future__ import annotations


def layer_us(tps: float, layers: int) -> float:
    """Time that a speed leaves for each layer, microseconds: 10^6 / (tokens/s x layers).

    One token at a time and no speculation; with speculation several tokens share one pass.
    """
    return 1e6 / (tps * layers)


def tps_of_layer_time(us: float, layers: int) -> float:
    """Tokens/s of a time per layer in microseconds; the inverse of `layer_us`."""
    return 1e6 / (us * layers)


def pipelined_tps(bandwidth_bytes_s: float, read_bytes: float, layers: int) -> float:
    """Upper bound for one token at a time: summed bandwidth / (bytes of weights a token reads x layers).

    Own model, an assumption: layers are spread evenly, so 1/L of the SRAM works for a token at any moment.
    It ignores every hop between chips; measured speeds are 3 to 14 times lower.
    """
    return bandwidth_bytes_s / (read_bytes * layers)
