"""The page "Why it is fast" as a script: every section, its sentence, its picture; sliders; what was measured."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lib import numbers
from lib.limits import tables
from lib.limits.capacity import chips_exactly
from lib.ui import limits_words, wiring
from lib.ui.limits_state import CHIP, CONTEXT, COUNT, MODEL
from tests.metrics.building import backend, run, steady

PAGE = str(Path(__file__).resolve().parents[2] / "pages" / "speed_limits.py")
SECTIONS = (
    "What was measured, against what could be", "What memory bandwidth allows", "One user or many",
    "Guessing ahead (speculative decoding)", "Fewer bits per weight (quantisation)",
    "Machines that keep the weights on the chip", "What was read so far (KV cache)",
    "Before the first token (prefill)", "See it happen", "One user or many, measured",
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def services() -> Iterator[None]:
    wiring.services()
    known = wiring.store()
    assert known is not None
    lanes = [(backend("Fast", model="Llama-3.1-70B-Instruct"), steady(100, each_ms=10)),
             (backend("Unknown"), steady(200, each_ms=1))]  # fmt: skip
    known.save(replace(run(lanes), id="limits-kept", started_at="2099-01-01T00:00:00+00:00"))
    yield
    wiring.close()


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_file(PAGE, default_timeout=60).run()


def told(page: AppTest) -> str:
    return "\n".join(re.sub(r"\\(.)", r"\1", one.value) for one in page.markdown)


def test_every_section_has_a_heading_a_sentence_and_a_picture(page: AppTest) -> None:
    assert not page.exception
    headings = [one.value.removeprefix("#### ") for one in page.markdown if one.value.startswith("#### ")]
    assert tuple(headings) == SECTIONS
    assert len(page.get("vega_lite_chart")) == 9
    assert "8 × NVIDIA H100 SXM5 can give one user of Llama 3.1 70B at 16 bits at most 188 tok/s" in told(
        page
    )
    assert "64 at once get 118 tok/s each and 7,553 tok/s together" in told(page)
    assert "$0.78 instead of $31.3" in told(page)
    assert "6 guesses at once are best: 2.4× as fast" in told(page)
    assert "614 × Groq LPU" in told(page)
    assert "roofline is meaningless here" in told(page)


def test_a_measured_lane_is_set_against_its_own_model_and_an_unknown_one_says_so(page: AppTest) -> None:
    page.selectbox(key="limits_measured").set_value("limits-kept").run()
    assert "Fast (simulated) reached 53 % of what 8 × NVIDIA H100 SXM5 could give this model" in told(page)
    assert "Unknown (simulated) reached 1,000 tok/s: 5.3× what" in told(page)
    assert "if this lane were that" in told(page)


def test_a_measured_lane_is_set_against_the_cache_it_had_and_not_the_one_of_the_picker(page: AppTest) -> None:
    page.selectbox(key="limits_measured").set_value("limits-kept").run()
    before = [line for line in told(page).splitlines() if "Fast (simulated) reached" in line]
    page.selectbox(key=CONTEXT).set_value(131_072).run()
    assert [line for line in told(page).splitlines() if "Fast (simulated) reached" in line] == before
    assert re.search(r"at 16 bits, \d\d\d? tokens of context", before[0])


def test_measured_lanes_are_drawn_in_the_outline_of_their_ceilings(page: AppTest) -> None:
    page.selectbox(key="limits_measured").set_value("limits-kept").run()
    alt = page.get("vega_lite_chart")[0].proto.alt
    assert "Fast, simulated: 53 % of 190 tok/s" in alt or "Fast (simulated): 53 % of 190 tok/s" in alt
    page.number_input(key=COUNT).set_value(1).run()
    assert "Fast" not in page.get("vega_lite_chart")[0].proto.alt


def test_no_share_of_a_machine_that_cannot_hold_the_model(page: AppTest) -> None:
    page.selectbox(key="limits_measured").set_value("limits-kept").run()
    page.number_input(key=COUNT).set_value(1).run()
    assert "Fast (simulated) reached 100 tok/s; 1 × NVIDIA H100 SXM5 cannot hold Llama 3.1 70B at 16 bits" in told(page)
    assert "could give this model" not in told(page)


def test_a_model_that_does_not_fit_is_told(page: AppTest) -> None:
    page.number_input(key=COUNT).set_value(1).run()
    assert not page.exception
    assert "does not fit" in told(page)
    assert "2 chips would" in told(page)


@pytest.mark.parametrize("model", ["deepseek-v3", "llama-7b", "mixtral-8x7b", "smollm2-135m"])
def test_every_kind_of_model_has_a_page_without_a_fault(page: AppTest, model: str) -> None:
    page.selectbox(key=MODEL).set_value(model).run()
    assert not page.exception
    assert ("has another form and is not counted" in told(page)) is (model == "deepseek-v3")


def test_a_chip_without_arithmetic_or_price_says_what_is_missing(page: AppTest) -> None:
    page.selectbox(key=CHIP).set_value("m3-ultra").run()
    assert not page.exception
    assert "there is no prefill time" in told(page)
    assert any(
        "Assumption: Apple M3 Ultra, remembered" in re.sub(r"\\(.)", r"\1", one.value) for one in page.caption
    )
    assert len(page.get("vega_lite_chart")) == 7


def test_guesses_that_are_never_right_or_cost_nothing_are_told_as_what_they_are() -> None:
    assert "guessing only costs time: 1.0× at best" in limits_words.speculating(0.0, 0.0)
    assert "32 guesses or more at once are best" in limits_words.speculating(0.99, 0.0)
    assert "6 guesses at once are best" in limits_words.speculating(0.7, 0.05)


def test_a_longer_context_lowers_the_ceiling(page: AppTest) -> None:
    page.selectbox(key=CONTEXT).set_value(131_072).run()
    assert "at most 146 tok/s" in told(page)


def test_chips_for_which_the_roofline_is_meaningless_cannot_be_chosen(page: AppTest) -> None:
    offered = page.selectbox(key=CHIP).options
    assert not [name for name in offered if "Groq" in name or "Cerebras" in name]
    assert len(offered) == 15


def test_the_roofline_of_sram_machines_counts_the_weights_a_token_reads() -> None:
    model = next(one for one in tables.models() if one.active_params < one.total_params)
    wafer = tables.chip("wse-3")
    held, read = model.total_params * 2, model.active_params * 2
    rate = (wafer.bandwidth_tb_s or 0) * 1e12 * chips_exactly(held, wafer.capacity_gb) / read
    assert numbers.rate(rate) in limits_words.roofline_is_meaningless(model, 16, [wafer])
