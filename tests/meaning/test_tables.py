"""Presets, sample texts and the pairs of one content in two languages."""

from __future__ import annotations

from decimal import Decimal

import pytest

from lib.meaning import parallel
from lib.meaning.parallel import Pair
from lib.meaning.presets import speed_preset, speed_presets
from lib.meaning.sample_texts import FIRST, sample_text, sample_texts
from lib.metrics.quantity import Unavailable
from lib.reading import language_of


def test_every_preset_has_a_speed_a_date_and_a_source_and_an_id_of_its_own() -> None:
    known = speed_presets()
    assert len({one.id for one in known}) == len(known) > 40
    for one in known:
        assert 0 < one.tps < 10_000
        assert one.date.startswith("20")
        assert one.source
        assert speed_preset(one.id) == one
    assert speed_preset("nothing") is None


def test_the_texts_begin_with_english_and_chinese_and_are_in_the_language_they_say() -> None:
    known = sample_texts()
    assert [one.id for one in known[:2]] == ["tide-en", "tide-zh-Hans"]
    assert sample_text(FIRST) == known[0]
    stories = [one for one in known if one.id.startswith("story-")]
    assert len(stories) == 18
    for one in stories:
        assert language_of(one.text) == one.id.removeprefix("story-")


def test_the_same_content_costs_more_in_chinese_the_older_the_tokenizer() -> None:
    story = {}
    for encoding in ("o200k_base", "cl100k_base", "r50k_base"):
        found = parallel.pairs(encoding)[0]
        assert isinstance(found, Pair)
        story[encoding] = found.times
    assert 1 < story["o200k_base"] < story["cl100k_base"] < story["r50k_base"]


def test_the_article_took_21_per_cent_more_tokens_in_chinese_and_was_not_counted_with_older_ones() -> None:
    article = parallel.pairs("o200k_base")[2]
    assert isinstance(article, Pair)
    assert article.times == pytest.approx(1.21, abs=0.005)
    assert isinstance(parallel.pairs("p50k_base")[2], Unavailable)


def test_cost_and_time_follow_the_tokens() -> None:
    assert parallel.cost(1915, Decimal(30)) == Decimal("0.05745")
    assert parallel.seconds(1915, 750) == pytest.approx(2.55, abs=0.01)
