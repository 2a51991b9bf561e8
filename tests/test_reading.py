"""The reader follows the shared vectors; languages and units are told apart; every speed has a source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib import reading

VECTORS = json.loads((Path(__file__).parent / "vectors" / "reader.json").read_text(encoding="utf-8"))
NS_PER_MS = 1_000_000


def _read(vector: dict[str, Any]) -> reading.Reading:
    deltas = [(at_ms * NS_PER_MS, text) for at_ms, text in vector["deltas"]]
    return reading.read_at(deltas, vector["unit"], vector["per_min"])


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: v["name"])
def test_the_reader_is_where_the_vector_says(vector: dict[str, Any]) -> None:
    result = _read(vector)
    expect = vector["expect"]
    assert len(result.ends_ns) == expect["words"]
    assert (None if result.done_ns is None else result.done_ns / NS_PER_MS) == expect["done_ms"]
    actual = [[at_ms, *result.position(at_ms * NS_PER_MS)] for at_ms, _read, _now in expect["positions"]]
    assert actual == expect["positions"]


def test_waiting_is_only_what_the_reader_stood_without_text() -> None:
    deltas = [(0, "one "), (2000 * NS_PER_MS, "two"), (2100 * NS_PER_MS, " three")]
    assert reading.read_at(deltas, "word", 60).waited_ns == 1000 * NS_PER_MS


@given(
    st.lists(st.tuples(st.integers(0, 10**11), st.text(max_size=12)), max_size=30).map(
        lambda pairs: sorted(pairs, key=lambda pair: pair[0])
    ),
    st.floats(1, 5000),
    st.sampled_from(["word", "char"]),
)
def test_a_reader_never_reads_ahead_of_the_text_nor_faster_than_allowed(
    deltas: list[tuple[int, str]], per_min: float, unit: reading.Unit
) -> None:
    result = reading.read_at(deltas, unit, per_min)
    assert len(result.ends_ns) == reading.count_units("".join(text for _at, text in deltas), unit)
    assert all(start < end for start, end in zip(result.starts_ns, result.ends_ns, strict=True))
    assert all(end <= start for end, start in zip(result.ends_ns, result.starts_ns[1:], strict=False))
    assert result.waited_ns >= 0


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The lighthouse keeper wrote in the log that the wind was rising.", "en"),
        ("How do lighthouses work?", "en"),
        ("Why do cats purr?", "en"),
        ("Der Wärter schrieb in das Buch, dass der Wind nicht mehr für die Boote reicht.", "de"),
        ("Le gardien a écrit dans le journal que le vent se lève sur la mer.", "fr"),
        ("El guardián escribió en el diario que el viento se levanta con la marea.", "es"),
        ("Il guardiano scrisse nel diario che il vento non è più per le barche.", "it"),
        ("O guarda escreveu no diário que o vento não está mais para os barcos do mar.", "pt-BR"),
        ("De wachter schreef in het boek dat de wind niet meer voor een boot is.", "nl"),
        ("灯塔看守人在日志里写道，风正在变大。", "zh-Hans"),
        ("用 GPT 写一段关于灯塔的文字，要求简短。", "zh-Hans"),
        ("灯台守は日誌に風が強くなっていると書いた。", "ja"),
        ("등대지기는 일지에 바람이 세지고 있다고 적었다.", "ko"),
        ("Смотритель записал в журнале, что ветер усиливается.", "ru"),
        ("ผู้ดูแลประภาคารเขียนว่าลมกำลังแรงขึ้น", "th"),
        ("An essay about the word 灯塔 and what it means in the north.", "en"),
        ("", "en"),
        ("12345 +++ ---", "en"),
    ],
)
def test_the_language_of_a_text_is_recognised(text: str, language: str) -> None:
    assert reading.language_of(text) == language
    assert reading.default_for(text).id == language


def test_english_is_read_at_238_words_a_minute_and_most_adults_between_175_and_300() -> None:
    english = reading.default_for("the wind and the sea")
    assert (english.per_min, english.lo, english.hi, english.unit) == (238, 175, 300, "word")


def test_chinese_is_read_at_420_characters_a_minute() -> None:
    assert (reading.speed("zh-Hans").per_min, reading.speed("zh-Hans").unit) == (420, "char")


def test_every_speed_has_a_source_a_label_its_own_id_and_a_band_around_it() -> None:
    known = reading.speeds()
    assert len({speed.id for speed in known}) == len(known)
    assert [s.id for s in known if not (s.source and s.label and s.lo <= s.per_min <= s.hi)] == []


def test_units_completed_follow_the_pieces() -> None:
    assert reading.completed_units(["light", "house ", "keepers "], "word") == [0, 1, 2]
    assert reading.completed_units(["灯", "塔，", "GP", "T"], "char") == [1, 2, 2, 3]
