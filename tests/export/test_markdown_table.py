"""The table for a pull request: every figure or its reason, and no text that becomes markup."""

from __future__ import annotations

from dataclasses import replace

from lib.domain.run import Origin
from lib.export.markdown_table import escaped, markdown_table
from tests.metrics.building import steady
from tests.ui.made_runs import answered, backend, failed, run_of

HOSTILE = "a|b\n# <script> [x](http://evil) `c` @everyone"


def lines_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("|")]


def test_lanes_stand_in_the_order_of_finishing_with_their_figures() -> None:
    run = run_of(
        [backend("Slow"), backend("Broken"), backend("Fast", Origin.LIVE)],
        [steady(120), failed(1), steady(120, first_ms=100, each_ms=2)],
    )
    rows = lines_of(markdown_table(run).decode())
    assert [row.split(" | ")[1] for row in rows[2:]] == ["Fast (model)", "Slow (model)", "Broken (model)"]
    assert rows[2].startswith("| 1 | Fast (model) | live | 100 ms | 500 tok/s |")
    assert rows[4].startswith("| error | Broken (model) | *simulated* | – <sup>")


def test_an_absent_figure_names_its_reason_under_the_table() -> None:
    text = markdown_table(run_of([backend("Broken")], [failed(0)])).decode()
    assert "TTFT: It failed before any text." in text


def test_estimated_tokens_are_marked() -> None:
    text = markdown_table(run_of([backend("Sol")], [answered(0, "one two three", usage=False)])).decode()
    assert "| \\~4 tokens <sup>" in text
    assert "Tokens: tokens estimated" in text


def test_a_strangers_text_stays_in_its_cell_and_is_no_markup() -> None:
    run = run_of([replace(backend(HOSTILE), model=HOSTILE)], [steady(40)])
    text = markdown_table(replace(run, prompt=replace(run.prompt, text=HOSTILE))).decode()
    assert {line.replace("\\|", "").count("|") for line in lines_of(text)} == {10}
    assert "<script" not in text.replace("\\<script", "")
    assert "@everyone" not in text
    assert "](http" not in text.replace("\\](http", "")


def test_a_text_that_begins_like_a_list_or_a_heading_does_not_become_one() -> None:
    assert [escaped(text) for text in ("# a", "- a", "1. a", "+ a", "7 a")] == [
        "\\# a",
        "\\- a",
        "1\\. a",
        "\\+ a",
        "7 a",
    ]
