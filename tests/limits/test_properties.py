"""What must hold for every value: directions, bounds, and what the tables promise."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.limits import capacity, kv_cache, layers, prefill, quantisation, roofline, speculation, tables
from lib.limits.roofline import Machine, Work

MODELS = st.sampled_from(tables.models())
CHIPS = st.sampled_from(
    [chip for chip in tables.chips() if chip.bandwidth_tb_s and not chip.keeps_weights_in_sram]
)
BITS = st.floats(2, 32)
CONTEXTS = st.integers(0, 131_072)
BATCHES = st.integers(1, 1024)
SHARES = st.floats(0, 1)


@st.composite
def works(draw: st.DrawFn) -> Work:
    return Work(draw(MODELS), draw(BITS), draw(CONTEXTS), draw(BATCHES))


@given(CHIPS, works())
def test_a_larger_batch_is_slower_for_each_and_never_less_in_total(chip: tables.Chip, work: Work) -> None:
    machine, more = Machine.of(chip), replace(work, batch=work.batch + 1)
    assert roofline.per_user_tps(machine, more) <= roofline.per_user_tps(machine, work) * (1 + 1e-12)
    if not work.model.is_moe:
        assert roofline.total_tps(machine, more) >= roofline.total_tps(machine, work) * (1 - 1e-12)


@given(CHIPS, works(), st.integers(2, 64))
def test_so_many_chips_are_so_many_times_as_fast_at_best(chip: tables.Chip, work: Work, count: int) -> None:
    one, many = (roofline.per_user_tps(Machine.of(chip, n), work) for n in (1, count))
    assert many == pytest.approx(one * count)


@given(CHIPS, works())
def test_fewer_bits_and_shorter_contexts_are_never_slower(chip: tables.Chip, work: Work) -> None:
    machine = Machine.of(chip)
    easier = replace(work, bits_per_weight=work.bits_per_weight / 2, context_tokens=work.context_tokens // 2)
    assert roofline.per_user_tps(machine, easier) >= roofline.per_user_tps(machine, work)


@given(CHIPS, works())
def test_total_is_users_times_the_speed_of_each(chip: tables.Chip, work: Work) -> None:
    machine = Machine.of(chip)
    assert roofline.total_tps(machine, work) == pytest.approx(
        work.batch * roofline.per_user_tps(machine, work)
    )


@given(CHIPS, works())
def test_needed_bandwidth_and_ceiling_undo_each_other_while_memory_bound(
    chip: tables.Chip, work: Work
) -> None:
    machine = replace(Machine.of(chip), flops=None)
    tps = roofline.per_user_tps(machine, work)
    assert roofline.bandwidth_needed_bytes_s(work, tps) == pytest.approx(machine.bandwidth_bytes_s)


@given(MODELS, BATCHES)
def test_weights_read_lie_between_active_and_all(model: tables.Model, batch: int) -> None:
    read = roofline.params_read(model, batch)
    assert model.active_params * (1 - 1e-9) <= read <= model.total_params * (1 + 1e-9)
    assert roofline.params_read(model, 1) == pytest.approx(model.active_params)


@given(st.integers(1, 100_000), st.integers(1, 256))
def test_paging_wastes_less_than_one_block(context: int, block: int) -> None:
    used = kv_cache.paged_use(context, block)
    assert 0 < used <= 1
    assert context / used - context < block + 1e-6


@given(st.integers(1, 8192))
def test_paging_never_wastes_more_than_reserving_the_longest(context: int) -> None:
    assert kv_cache.paged_use(context) >= kv_cache.contiguous_use(context, 8192)


@given(SHARES, st.integers(1, 32))
def test_a_check_gives_one_token_at_least_and_k_plus_one_at_most(acceptance: float, k: int) -> None:
    assert 1 - 1e-9 <= speculation.expected_tokens(acceptance, k) <= k + 1 + 1e-9


@given(st.floats(0, 0.999), st.floats(0.001, 1), st.integers(1, 32))
def test_no_number_of_guesses_beats_the_best(acceptance: float, cost: float, k: int) -> None:
    best = speculation.best_k(acceptance, cost)
    assert speculation.speed_up(acceptance, best, cost) >= speculation.speed_up(acceptance, k, cost)


def test_guesses_that_are_never_right_only_cost() -> None:
    assert speculation.speed_up(0, 4, 0.1) == pytest.approx(1 / 1.4)
    assert speculation.expected_tokens(1, 4) == 5


@given(st.floats(1, 1e5), st.integers(1, 200))
def test_layer_time_and_speed_undo_each_other(tps: float, count: int) -> None:
    assert layers.tps_of_layer_time(layers.layer_us(tps, count), count) == pytest.approx(tps)


@given(st.floats(1, 1e13), st.floats(0.1, 1000))
def test_whole_chips_are_the_exact_number_rounded_up(bytes_: float, capacity_gb: float) -> None:
    exact = capacity.chips_exactly(bytes_, capacity_gb)
    assert exact <= max(1, capacity.chips_needed(bytes_, capacity_gb)) < max(1, exact) + 1


@given(st.floats(0.01, 10), st.floats(1, 5000), st.integers(1, 10_000))
def test_waiting_only_lowers_the_effective_rate(ttft: float, tps: float, tokens: int) -> None:
    assert prefill.effective_tps(tokens, ttft, tps) < tps


@pytest.mark.parametrize("chip", tables.chips(), ids=lambda chip: chip.id)
def test_the_roofline_refuses_chips_it_says_nothing_about(chip: tables.Chip) -> None:
    if chip.keeps_weights_in_sram or chip.bandwidth_tb_s is None:
        with pytest.raises(ValueError, match="says nothing"):
            Machine.of(chip)
    else:
        assert Machine.of(chip, 2).bandwidth_bytes_s == pytest.approx(2e12 * chip.bandwidth_tb_s)


def test_only_the_two_machines_without_other_memory_count_as_sram() -> None:
    assert [chip.id for chip in tables.chips() if chip.keeps_weights_in_sram] == ["groq-lpu", "wse-3"]


def test_what_is_remembered_is_an_assumption() -> None:
    assert tables.chip("m3-ultra").is_assumed
    assert not tables.model("llama-3.1-70b").is_assumed
    assert tables.model("mixtral-8x7b").is_assumed


def test_no_measured_format_beats_its_ideal_but_where_it_is_said() -> None:
    gains = quantisation.gains(tables.formats(), "llama-3.1-8b")
    assert all(gain.kept is not None and gain.kept <= 1 for gain in gains)


@pytest.mark.parametrize(
    ("name", "id_"),
    [
        ("meta-llama/Llama-3.1-70B-Instruct", "llama-3.1-70b"), ("SmolLM2-135M-Instruct", "smollm2-135m"),
        ("openai/gpt-oss-120b", "gpt-oss-120b"), ("gpt-5.6-sol-ultrafast", None),
    ],
)  # fmt: skip
def test_a_model_is_known_by_its_name_or_not_at_all(name: str, id_: str | None) -> None:
    found = tables.model_named(name)
    assert (found and found.id) == id_
