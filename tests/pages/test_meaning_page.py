"""The page "What it means" as a script: every section, its sentence and its table, for typed, preset and kept speeds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from streamlit.testing.v1 import AppTest

from lib import tokens
from lib.backends.own_tokenizer import OwnTokens
from lib.meaning.sample_texts import sample_text
from lib.store.store import Store
from lib.ui import meaning_backends, wiring
from lib.ui.meaning_state import ENCODING, KEPT, KEPT_TEXT, OWN_TEXT, PRESET, SAMPLE, SPEED, TEXT
from tests.metrics.building import backend, run, steady

PAGE = str(Path(__file__).resolve().parents[2] / "pages" / "meaning.py")
SECTIONS = (
    "How it feels", "In every unit", "Rules of thumb", "How long people wait", "In other languages",
    "One text, several tokenizers", "English against Chinese",
)  # fmt: skip
TABLES = ("units", "rules", "limits", "languages", "parallel")


@pytest.fixture(scope="module", autouse=True)
def services() -> Iterator[None]:
    wiring.services()
    known = wiring.store()
    assert known is not None
    lanes = [(backend("Quick"), steady(120, each_ms=4)), (backend("Silent"), steady(1))]
    known.save(replace(run(lanes), id="meaning-kept", started_at="2099-02-03T00:00:00+00:00"))
    yield
    wiring.close()


@pytest.fixture(autouse=True)
def no_local_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the local model is up at this moment must not decide what a test sees."""
    monkeypatch.setattr(meaning_backends, "candidates", lambda: ([], []))


@pytest.fixture
def page() -> AppTest:
    return opened()


def opened(**query: str) -> AppTest:
    page = AppTest.from_file(PAGE, default_timeout=60)
    for name, content in query.items():
        page.query_params[name] = content
    return page.run()


def told(page: AppTest) -> str:
    shown = [*page.markdown, *page.caption, *page.get("html")]
    texts = [str(getattr(one, "value", "") or getattr(one.proto, "body", "")) for one in shown]
    return re.sub(r"\\(.)", r"\1", "\n".join(texts))


def component(page: AppTest, name: str) -> dict[str, Any]:
    """What a component was given."""
    found = [one.proto for one in page.get("bidi_component") if name in one.proto.id]
    assert len(found) == 1, name
    return dict(json.loads(found[0].json or found[0].mixed.json))


def rows(page: AppTest, table: str) -> dict[str, list[str]]:
    data = component(page, f"meaning-{table}")
    return {row["label"]: [text for text, _note, _hint in row["cells"]] for row in data["rows"]}


def test_every_section_has_a_heading_and_a_sentence_and_what_it_shows(page: AppTest) -> None:
    assert not page.exception
    headings = [one.value.removeprefix("#### ") for one in page.markdown if one.value.startswith("#### ")]
    assert tuple(headings) == SECTIONS
    for table in TABLES:
        assert component(page, f"meaning-{table}")["rows"]
    assert "750 tok/s of this text is 635 words a second: 160 times a person reading silently." in told(page)


def test_750_tokens_a_second_stand_in_every_unit_beside_the_average_of_the_language(page: AppTest) -> None:
    units = rows(page, "units")
    assert units["Tokens of o200k_base"] == ["750 tok/s", "750 tok/s"]
    assert units["Words"] == ["635 words/s", "642 words/s"]
    assert units["Lines of code"][1] == "90.6 lines/s"
    assert units["Pages"] == ["152 pages/min", "154 pages/min"]
    assert "Assumption: a page is a manuscript page of 250 words." in component(page, "meaning-units")["legend"]
    assert units["Reading silently"] == ["160× a person (4.7 tok/s)", "162× a person (4.6 tok/s)"]
    assert {"Reading aloud", "Skimming", "Listening", "Characters"} < set(units)


def test_the_languages_begin_with_english_and_chinese(page: AppTest) -> None:
    languages = rows(page, "languages")
    assert list(languages)[:2] == ["English", "Chinese (Simplified)"]
    assert len(languages) >= 18
    assert languages["English"][:3] == ["238 words/min", "4.6 tok/s", "162×"]
    assert languages["Chinese (Simplified)"][:3] == ["420 characters/min", "5.8 tok/s", "129×"]
    assert languages["Chinese (Simplified)"][6:8] == ["903 characters/s", "609 characters/s"]
    assert languages["Hebrew"][6:8] == ["360 words/s", "142 words/s"]


def test_the_rules_of_thumb_stand_beside_what_is_measured_with_a_verdict(page: AppTest) -> None:
    rules = rows(page, "rules")
    assert rules["A token is about 0.75 English words"][0] == "0.86 words/token (0.83 to 0.89)"
    assert "750 tok/s are 642 words/s, by the rule 563." in rules["A token is about 0.75 English words"][2]
    assert rules["A Chinese character is 1 to 2 tokens"][2].startswith("False for o200k_base")
    assert rules["A Chinese character is 1 to 2 tokens"][2].endswith("903 characters/s, by the rule 375 to 750.")
    assert rules["A person reads 5 to 7 tokens a second"][2].endswith("162 times a person, by the rule 107 to 150.")
    assert rules["A person reads 5 to 7 tokens a second"][2].startswith("Rounded up")
    page.selectbox(key=ENCODING).set_value("cl100k_base").run()
    assert rows(page, "rules")["A Chinese character is 1 to 2 tokens"][2].startswith("Holds for cl100k_base.")


def test_the_strip_has_six_lanes_and_plays_from_its_start_when_asked(page: AppTest) -> None:
    strip = component(page, "stage-feel")
    assert [lane["name"] for lane in strip["lanes"]] == [
        "5 tok/s", "20 tok/s", "60 tok/s", "300 tok/s", "750 tok/s", "3,000 tok/s",
    ]  # fmt: skip
    assert {lane["origin"] for lane in strip["lanes"]} == {"simulated"}
    assert strip["plays"] == 0
    for count in (1, 2):
        page.button(key="meaning_play").click().run()
        assert component(page, "stage-feel")["plays"] == count


def test_a_typed_text_makes_every_conversion_from_that_text(page: AppTest) -> None:
    own = "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich, und niemand weiß warum."
    page.text_area(key=TEXT).set_value(own).run()
    assert not page.exception
    assert page.selectbox(key=SAMPLE).value == OWN_TEXT
    words = 750 * len(own.split()) / tokens.count(own)
    assert rows(page, "units")["Words"][0] == f"{words:.0f} words/s"
    assert component(page, "meaning-units")["head"][2][0] == "German, on average"
    cards = component(page, "meaning-tokens")["cards"]
    assert ["".join(text for text, _count in card["spans"]) for card in cards] == [own] * 4
    assert cards[0]["figures"].startswith(f"{tokens.count(own)} tokens · ")
    assert "So short a text is said again" in told(page)


def test_chinese_is_counted_by_characters_and_old_tokenizers_cut_it_finer(page: AppTest) -> None:
    page.selectbox(key=SAMPLE).set_value("tide-zh-Hans").run()
    assert not page.exception
    assert "characters a second" in told(page)
    assert rows(page, "units")["Words"] == ["–", "–"]
    counts = [card["figures"].split(" tokens")[0].replace(",", "") for card in component(page, "meaning-tokens")["cards"]]
    assert [int(count) for count in counts] == sorted(int(count) for count in counts)
    assert int(counts[-1]) > 2 * int(counts[0])


def test_code_has_lines_of_its_own(page: AppTest) -> None:
    assert rows(page, "units")["Lines of code"][0] == "–"
    page.selectbox(key=SAMPLE).set_value("code").run()
    assert rows(page, "units")["Lines of code"][0].endswith(" lines/s")


def test_a_preset_brings_its_speed_with_source_and_date(page: AppTest) -> None:
    page.selectbox(key=PRESET).set_value("gpt-5.6-sol-standard").run()
    assert page.number_input(key=SPEED).value == 53.6
    assert "derived: 750/14" in told(page)
    assert "2026-07-09" in told(page)
    page.number_input(key=SPEED).set_value(41.0).run()
    assert page.selectbox(key=PRESET).value is None
    assert "derived: 750/14" not in told(page)


def test_a_kept_run_brings_the_rate_and_the_answer_of_a_lane(page: AppTest) -> None:
    offered = page.selectbox(key=KEPT).options
    assert any("Quick" in one for one in offered)
    assert not any("Silent" in one for one in offered), "a lane without a rate is not on offer"
    page.selectbox(key=KEPT).set_value("meaning-kept 0").run()
    assert not page.exception
    text = str(page.text_area(key=TEXT).value)
    assert text.startswith(" The keeper climbed the stairs")
    assert page.number_input(key=SPEED).value == pytest.approx(250 * tokens.count(text) / 120, abs=0.2)
    assert "Quick, 2099-02-03: 250 tok/s in its own tokens" in told(page)
    assert page.selectbox(key=SAMPLE).value == KEPT_TEXT
    page.selectbox(key=PRESET).set_value("gpt-5.6-sol-ultrafast").run()
    assert page.selectbox(key=KEPT).value is None
    assert str(page.text_area(key=TEXT).value) == text


def test_a_history_that_is_locked_at_the_moment_leaves_the_speed_and_says_so(
    page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: object) -> None:
        raise OperationalError("select", {}, Exception("database is locked"))

    monkeypatch.setattr(Store, "open", locked)
    page.selectbox(key=KEPT).set_value("meaning-kept 0").run()
    assert not page.exception
    assert page.number_input(key=SPEED).value == 750
    assert "could not be read at this moment" in page.info[0].value


def test_the_address_opens_the_page_as_it_stands_and_keeps_in_step() -> None:
    page = opened(speed="12.5", text="story-fi", tokenizer="cl100k_base")
    assert page.number_input(key=SPEED).value == 12.5
    story = sample_text("story-fi")
    assert story is not None
    assert page.text_area(key=TEXT).value == story.text
    page.number_input(key=SPEED).set_value(99.0).run()
    assert page.query_params["speed"] in ("99", ["99"])
    wrong = opened(speed="-3", text="nothing", tokenizer="none")
    assert not wrong.exception
    assert wrong.number_input(key=SPEED).value == 750


@pytest.mark.parametrize("text", ["यह एक छोटी परीक्षा है और कुछ नहीं।", "Αυτό είναι ένα μικρό κείμενο."])
def test_a_script_of_no_language_of_the_table_is_told(page: AppTest, text: str) -> None:
    assert "No language of the table" not in told(page)
    page.text_area(key=TEXT).set_value(text).run()
    assert "No language of the table is written in this script" in told(page)


def test_no_text_leaves_what_needs_none(page: AppTest) -> None:
    page.text_area(key=TEXT).set_value("").run()
    assert not page.exception
    assert "The text has no words to count." in told(page)
    assert rows(page, "languages")
    assert rows(page, "limits")["0.1 s"][1] == "75 tokens"


def test_the_limits_of_waiting_have_their_sources(page: AppTest) -> None:
    assert list(rows(page, "limits")) == ["0.1 s", "0.2 to 0.8 s", "1 s", "10 s"]
    assert any("Nielsen 1993" in note for note in component(page, "meaning-limits")["notes"])


def test_the_same_content_has_a_cost_in_each_language_at_the_chosen_price(page: AppTest) -> None:
    story = rows(page, "parallel")["a simple story"]
    assert story[:3] == ["124", "138", "1.11×"]
    assert story[5:] == ["$0.00248", "$0.00276"]


def test_a_backends_own_tokenizer_stands_beside_ours(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    text = str(page.text_area(key=TEXT).value)
    own = meaning_backends.Tokenizer("Small model", OwnTokens(5, tuple(text.encode().partition(b"sea"))))
    numbers_only = meaning_backends.Tokenizer("Numbers only", OwnTokens(600, None))
    mute = meaning_backends.NoAnswer("Mute_one", "It offers no /tokenize (HTTP 404).")
    monkeypatch.setattr(meaning_backends, "asked_for", lambda _text: ([own, numbers_only], [mute]))
    page.run()
    assert not page.exception
    cards = {card["name"]: card for card in component(page, "meaning-tokens")["cards"]}
    assert [text for text, _count in cards["Small model"]["spans"]][1] == "sea"
    assert "not where they end" in cards["Numbers only"]["note"]
    assert "Tokens of Numbers only" in rows(page, "units")
    assert "No tokenizer from Mute_one: It offers no /tokenize (HTTP 404)." in told(page)
