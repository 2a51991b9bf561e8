"""Pictures of a result: the charts as files and the card for a slide."""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from lib.charts.palette import Theme, palette
from lib.charts.result_charts import Figures
from lib.domain.run import Run
from lib.export.card import HEIGHT_PX, WIDTH_PX, card_png, card_svg
from lib.export.card_text import Piece, cut, flow, width_of
from lib.export.charts_export import chart_files
from lib.export.drawn import DrawingError, png_of, pngs_of, svgs_of
from lib.export.page_svg import page_svg
from tests.ui.made_runs import answered, backend, failed, run_of

WORDS = "The keeper climbed the stairs each evening and trimmed the wick before dusk. " * 4
PNG = b"\x89PNG\r\n\x1a\n"


def a_run(lanes: int = 3) -> Run:
    made = [answered(n, WORDS, gap_ms=5 + n) for n in range(lanes - 1)]
    return run_of([backend(f"Lane {n}") for n in range(lanes)], [*made, failed(lanes - 1)])


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(PNG)
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def texts(svg: str | bytes) -> str:
    return " ".join(
        "".join(e.itertext()) for e in ElementTree.fromstring(svg).iter() if e.tag.endswith("}text")
    )


def test_every_chart_is_a_file_in_both_formats() -> None:
    for ending in ("png", "svg"):
        files = chart_files(a_run(), ending)  # type: ignore[arg-type]
        assert list(files) == [f"{name}.{ending}" for name in Figures.__slots__]
    assert all(size_of(png)[0] > 1200 for png in chart_files(a_run()).values())


def test_a_chart_with_nothing_to_draw_is_no_file() -> None:
    assert chart_files(run_of([backend("A")], [failed(0)]), "svg") == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_chart_stands_on_the_surface_of_its_theme_and_names_mode_and_source(theme: Theme) -> None:
    svg = chart_files(a_run(), "svg", theme=theme)["ttft.svg"]
    assert palette(theme).surface.encode() in svg
    assert "all at once" in texts(svg)
    assert "Lane 0, simulated" in texts(svg)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_card_is_a_picture_for_a_slide(theme: Theme) -> None:
    assert size_of(card_png(a_run(), theme=theme)) == (WIDTH_PX, HEIGHT_PX)
    assert size_of(card_png(a_run(), scale=2.0)) == (2 * WIDTH_PX, 2 * HEIGHT_PX)


def test_a_card_says_verdict_lanes_badges_reader_date_and_mode() -> None:
    told = texts(card_svg(a_run()))
    for words in ("Tokenrace", "2026-11-30", "all at once", "Lane 0", "simulated", "tok/s", "a person reading",
                  "Too many requests", "finished"):  # fmt: skip
        assert words in told


@pytest.mark.parametrize("lanes", [1, 2, 4, 5, 8, 11])
def test_a_card_of_any_number_of_lanes_keeps_everything_inside(lanes: int) -> None:
    root = ElementTree.fromstring(card_svg(a_run(lanes)))
    for element in root.iter():
        if element.tag.endswith("}text"):
            assert 0 <= float(element.get("x", "")) <= WIDTH_PX
            assert 0 < float(element.get("y", "")) < HEIGHT_PX - 20
    assert ("3 more lanes" in texts(card_svg(a_run(lanes)))) == (lanes == 11)


def test_hostile_names_are_text_in_a_card() -> None:
    run = a_run()
    named = replace(run.backends[0], name="<script>&\x00\ud800\u202e" + "long " * 40)
    svg = card_svg(replace(run, backends=(named, *run.backends[1:])))
    assert not any(e.tag.endswith("script") for e in ElementTree.fromstring(svg).iter())
    assert "<script>&" in texts(svg)


def test_what_cannot_be_drawn_is_an_error_and_not_the_end_of_the_process() -> None:
    with pytest.raises(DrawingError):
        png_of("this is no picture")


def test_no_character_ends_the_converter() -> None:
    odd = "".join(
        chr(code) for code in (*range(0x20), 0x7F, 0x85, 0xAD, 0x200B, 0x202E, 0x2028, 0xD800, 0xFFFE, 0xFFFF)
    )
    spec = {
        "data": {"values": [{"t": f"name {odd}"}]},
        "mark": "text",
        "encoding": {"text": {"field": "t", "type": "nominal"}},
    }
    assert "name" in svgs_of([spec])[0]
    assert pngs_of([spec], 1.0)[0].startswith(PNG)


def test_a_text_is_cut_to_its_width_and_only_then() -> None:
    assert cut("short", 20, 500) == "short"
    long = cut("a name that is far too long for its place", 20, 120)
    assert long.endswith("…")
    assert width_of(long, 20) <= 120


def test_a_flow_of_words_loses_nothing_until_its_lines_are_full() -> None:
    words = [Piece("one two three ", "#000"), Piece("four five", "#111")]
    whole = flow(words, 0, 0, 80, 20, most=9)
    assert re.sub(r"<[^>]*>", "", "".join(whole)) == "one two three four five"
    assert re.sub(r"<[^>]*>", "", flow(words, 0, 0, 80, 20, most=1)[-1]).endswith("…")


def test_strokes_on_one_place_become_one_as_opaque_as_all_of_them() -> None:
    line = '<line transform="translate({x},8)" x2="0" y2="4" stroke="#0072B2" opacity="0.5"/>'
    svg = f'<svg viewBox="0 0 9 9"><g>{line.format(x=1)}{line.format(x=1.1)}{line.format(x=5)}</g></svg>'
    small = page_svg(svg, "n", 'alt "text"', "wide")
    assert 'd="M5 8v4" stroke="var(--tr-lane-0)" opacity="0.50"' in small
    assert 'd="M1 8v4" stroke="var(--tr-lane-0)" opacity="0.75"' in small
    assert 'aria-label="alt &quot;text&quot;"' in small
