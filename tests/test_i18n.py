"""The catalogues say what the code says, all of it, and a visitor's language reaches every text."""

from __future__ import annotations

import io
import re
import threading
from contextvars import copy_context
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from lib import i18n
from lib.domain.failures import FAILURES
from lib.i18n import LOCALE_FOLDER, _, current_language, use_language
from lib.player.words import words
from scripts.messages import LANGUAGES, table_texts, texts_in_code

PLACEHOLDER = re.compile(r"\{[^}]*\}")


def catalogue(language: str) -> tuple[Path, Catalog]:
    path = LOCALE_FOLDER / language / "LC_MESSAGES" / "tokenrace.po"
    return path, read_po(io.BytesIO(path.read_bytes()), language)


def sources(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def translations(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_of_the_code_is_translated(language: str) -> None:
    _path, kept = catalogue(language)
    known = {sources(message)[0] for message in kept if message.id and all(translations(message))}
    said = {text if isinstance(text, str) else text[0] for text in (*texts_in_code(), *table_texts()) if text}
    assert sorted(said - known) == [], "`make messages` lists them in lib/locale; translate them there"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_holds_the_places_of_its_source(language: str) -> None:
    _path, kept = catalogue(language)
    wrong = [
        (source, translated)
        for message in kept
        if message.id
        for source in sources(message)[-1:]
        for translated in filter(None, translations(message))
        if sorted(PLACEHOLDER.findall(source)) != sorted(PLACEHOLDER.findall(translated))
    ]
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_product_reads_is_what_was_written(language: str) -> None:
    path, kept = catalogue(language)
    compiled = io.BytesIO()
    write_mo(compiled, kept)
    assert path.with_suffix(".mo").read_bytes() == compiled.getvalue()


def test_two_visitors_read_two_languages_at_once() -> None:
    heard: dict[str, str] = {}

    def visit(language: str) -> None:
        use_language(language)
        heard[language] = _("History")

    threads = [threading.Thread(target=copy_context().run, args=(visit, one)) for one in ("en", "zh-Hans")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == {"en": "History", "zh-Hans": "历史"}


def test_where_no_language_was_chosen_the_asker_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(i18n, "_askers", [])
    said = copy_context().run(lambda: current_language())
    i18n.ask_for_language(lambda: "zh-Hans")
    asked = copy_context().run(lambda: current_language())
    chosen = copy_context().run(lambda: (use_language("en"), current_language())[1])
    assert (said, asked, chosen) == ("en", "zh-Hans", "en")


def test_the_player_knows_every_failure_in_the_visitors_language() -> None:
    def of(language: str) -> dict[str, str]:
        use_language(language)
        return words()

    english, chinese = (copy_context().run(of, language) for language in ("en", "zh-Hans"))
    assert set(english) < set(chinese)
    assert {one.title for one in FAILURES.values()} <= set(chinese) - set(english)
