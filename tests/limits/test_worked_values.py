"""Figures worked out by hand, or printed by others, that the closed forms must give."""

from __future__ import annotations

import pytest

from lib.limits import capacity, kv_cache, layers, prefill, quantisation, roofline, speculation, tables
from lib.limits.roofline import Machine, Work

LLAMA = tables.model("llama-3.1-70b")
CONTEXT = 4096
G128 = quantisation.bits_with_scales(4, 128, 16, 4)


def one_chip(bandwidth_tb_s: float) -> Machine:
    return Machine(bandwidth_tb_s * 1e12, None, 1e15, None)


@pytest.mark.parametrize(
    ("bandwidth_tb_s", "fp16", "int8", "int4"),
    [
        (2.039, 14, 28, 54), (3.35, 23, 47, 88), (4.8, 34, 67, 126), (8.0, 56, 111, 210), (5.3, 37, 74, 139),
        (0.819, 6, 11, 22), (2.765, 19, 38, 73), (1.638, 11, 23, 43), (7.38, 52, 103, 194), (1.008, 7, 14, 27),
        (0.546, 4, 8, 14),
    ],
    ids=["A100", "H100", "H200", "B200", "MI300X", "v5e", "v5p", "v6e", "TPU7x", "4090", "M4 Max"],
)  # fmt: skip
def test_ceilings_of_a_dense_70b_with_4k_of_cache(
    bandwidth_tb_s: float, fp16: int, int8: int, int4: int
) -> None:
    machine = one_chip(bandwidth_tb_s)
    rates = [roofline.per_user_tps(machine, Work(LLAMA, bits, CONTEXT)) for bits in (16, 8, G128)]
    assert rates == pytest.approx([fp16, int8, int4], abs=0.51)


@pytest.mark.parametrize(
    ("batch", "per_user", "total", "memory_gb", "usd"),
    [
        (1, 188, 188, 143, 31.3), (8, 176, 1411, 152, 4.17), (32, 146, 4657, 184, 1.26), (64, 118, 7553, 227, 0.78),
        (128, 86, 10960, 313, 0.54), (256, 55, 14152, 485, 0.42),
    ],
)  # fmt: skip
def test_speed_memory_and_cost_of_a_batch_on_eight_h100(
    batch: int, per_user: int, total: int, memory_gb: int, usd: float
) -> None:
    machine, work = Machine.of(tables.chip("h100-sxm"), 8), Work(LLAMA, 16, CONTEXT, batch)
    assert round(roofline.per_user_tps(machine, work)) == per_user
    assert roofline.total_tps(machine, work) == pytest.approx(total, abs=1)
    assert round(work.memory_bytes / 1e9) == memory_gb
    assert roofline.usd_per_million(machine, work) == pytest.approx(usd, rel=0.01)


@pytest.mark.parametrize(
    ("params", "bits", "tb_s", "h100"),
    [(70.6e9, 16, 106, 32), (70.6e9, 8, 53, 16), (70.6e9, G128, 27.5, 8.2), (37e9, 8, 27.8, 8.3),
     (32e9, 4.25, 12.8, 3.8), (5.1e9, 4.25, 2.0, 0.6)],
)  # fmt: skip
def test_bandwidth_for_750_tokens_per_second(params: float, bits: float, tb_s: float, h100: float) -> None:
    dense = tables.Model("m", "M", params, params, 1, None, None, None, None, None, "", "")
    needed = roofline.bandwidth_needed_bytes_s(Work(dense, bits, 0), 750) / 1e12
    assert needed == pytest.approx(tb_s, rel=0.02)
    assert needed / 3.35 == pytest.approx(h100, rel=0.03)


@pytest.mark.parametrize(
    ("chip", "batch"),
    [("a100-80-sxm", 156), ("h100-sxm", 295), ("h200-sxm", 206), ("b200", 281), ("mi300x", 247), ("tpu-v5e", 241),
     ("tpu-v5p", 166), ("tpu-v6e", 560), ("tpu7x", 313), ("rtx4090", 164)],
)  # fmt: skip
def test_critical_batch_of_a_chip(chip: str, batch: int) -> None:
    machine = Machine.of(tables.chip(chip))
    assert machine.flops is not None
    assert roofline.critical_batch(machine.flops, machine.bandwidth_bytes_s) == pytest.approx(batch, abs=1)


def test_critical_batch_halves_with_int8_weights() -> None:
    found = [roofline.critical_batch(197e12, 0.819e12, bits) for bits in (16, 8)]
    assert found == pytest.approx([240, 120], rel=0.01)


@pytest.mark.parametrize(
    ("kv_heads", "per_token", "at_4096_gb", "at_32k_gb"),
    [(64, 2_621_440, 10.74, 85.9), (8, 327_680, 1.34, 10.7), (1, 40_960, 0.168, 1.34)],
    ids=["MHA", "GQA", "MQA"],
)
def test_cache_by_kind_of_attention(
    kv_heads: int, per_token: int, at_4096_gb: float, at_32k_gb: float
) -> None:
    bytes_ = kv_cache.kv_bytes_per_token(80, kv_heads, 128)
    assert bytes_ == per_token
    assert bytes_ * CONTEXT / 1e9 == pytest.approx(at_4096_gb, rel=0.005)
    assert bytes_ * 32_768 / 1e9 == pytest.approx(at_32k_gb, rel=0.005)
    assert kv_cache.kv_bytes_per_token(80, kv_heads, 128, 1) == per_token / 2


def test_caches_that_others_printed() -> None:
    assert kv_cache.kv_bytes(tables.model("llama-7b"), 4096) == 2048 * 2**20
    assert kv_cache.kv_bytes(tables.model("llama-13b"), 2048) / 1e9 == pytest.approx(1.68, abs=0.01)
    assert kv_cache.kv_bytes(tables.model("llama-13b"), 8192) / 1e9 == pytest.approx(6.7, abs=0.02)


@pytest.mark.parametrize(
    ("acceptance", "expected", "speed_ups", "best", "best_k"),
    [
        (0.5, 1.94, (1.79, 1.61, 1.38, 1.08), 1.63, 3), (0.6, 2.31, (2.13, 1.92, 1.65, 1.28), 1.92, 4),
        (0.7, 2.77, (2.57, 2.31, 1.98, 1.54), 2.35, 6), (0.8, 3.36, (3.11, 2.80, 2.40, 1.87), 3.09, 8),
        (0.9, 4.10, (3.79, 3.41, 2.93, 2.28), 4.67, 13),
    ],
)  # fmt: skip
def test_speculative_decoding(
    acceptance: float, expected: float, speed_ups: tuple[float, ...], best: float, best_k: int
) -> None:
    assert speculation.expected_tokens(acceptance, 4) == pytest.approx(expected, abs=0.006)
    found = [speculation.speed_up(acceptance, 4, cost) for cost in (0.02, 0.05, 0.1, 0.2)]
    assert found == pytest.approx(list(speed_ups), abs=0.006)
    assert speculation.best_k(acceptance, 0.05) == best_k
    assert speculation.speed_up(acceptance, best_k, 0.05) == pytest.approx(best, abs=0.006)


def test_bits_per_weight_with_scales() -> None:
    found = [quantisation.bits_with_scales(4, group, 16, 4) for group in (128, 64, 32)]
    assert found == pytest.approx([4.156, 4.31, 4.63], abs=0.006)
    assert quantisation.bits_with_scales(4, 128) == 4.125
    assert quantisation.ideal_speed_up(16, 4.156) == pytest.approx(3.85, abs=0.005)


def test_measured_gains_of_llama_cpp_formats_beside_the_ideal() -> None:
    found = {gain.format.name: gain for gain in quantisation.gains(tables.formats(), "llama-3.1-8b")}
    measured = {"Q8_0": 1.75, "Q6_K": 2.01, "Q5_K_M": 2.30, "Q4_K_M": 2.47, "Q4_K_S": 2.63, "Q2_K": 2.74}
    ideal = {"Q8_0": 1.88, "Q6_K": 2.44, "Q5_K_M": 2.81, "Q4_K_M": 3.27, "Q4_K_S": 3.43, "Q2_K": 5.06}
    assert {name: found[name].measured for name in measured} == pytest.approx(measured, abs=0.006)
    assert {name: found[name].ideal for name in ideal} == pytest.approx(ideal, abs=0.006)


def test_the_bandwidth_that_measured_rates_amount_to_falls_with_the_width() -> None:
    found = [
        quantisation.implied_bandwidth_gb_s(8.03e9, bits, tps)
        for bits, tps in ((16.0005, 29.17), (4.8944, 71.93))
    ]
    assert found == pytest.approx([469, 354], rel=0.005)


def test_chips_that_hold_a_model() -> None:
    lpu, wafer = tables.chip("groq-lpu").capacity_gb, tables.chip("wse-3").capacity_gb
    assert capacity.chips_needed(70.6e9, lpu) == 307
    assert capacity.chips_needed(141.2e9, lpu) == 614
    assert capacity.chips_exactly(141.2e9, wafer) == pytest.approx(3.2, abs=0.05)
    assert capacity.chips_exactly(405e9 * 2, wafer) == pytest.approx(18.4, abs=0.05)
    assert capacity.chips_exactly(1e12 * 4.25 / 8, wafer) == pytest.approx(12, abs=0.1)


def test_time_per_layer_of_measured_speeds() -> None:
    found = [layers.layer_us(tps, 80) for tps in (300, 450, 750, 2100)]
    assert found == pytest.approx([41.7, 27.8, 16.7, 6.0], abs=0.06)


def test_the_pipelined_bound_of_sram_machines() -> None:
    assert layers.pipelined_tps(3.2 * 21e15, 141.2e9, 80) == pytest.approx(6000, rel=0.02)
    assert layers.pipelined_tps(307 * 80e12, 70.6e9, 80) == pytest.approx(4300, rel=0.02)


def test_effective_rate_and_break_even_length() -> None:
    assert prefill.effective_tps(500, 0.9, 53.6) == pytest.approx(48.9, abs=0.05)
    assert prefill.effective_tps(500, 0.3, 750) == pytest.approx(517, abs=0.5)
    found = [prefill.break_even_tokens(0.9, 53.6), prefill.break_even_tokens(0.3, 750)]
    assert found == pytest.approx([48, 225], abs=0.5)


def test_prefill_of_a_thousand_tokens_of_a_70b_on_one_h100() -> None:
    assert prefill.prefill_s(1000, 70.6e9, 989e12) == pytest.approx(0.2855, abs=0.0005)
