"""The one translation function: every text a person reads passes through `_` or `ngettext`.

It is gettext with the domain `tokenrace`; catalogues live in `lib/locale/<language>/LC_MESSAGES` and may be
absent, then the English source text is shown. The language is a context value, so two visitors of one server
can read two languages. This module never formats numbers (`lib/numbers.py` does).
"""

from __future__ import annotations

import gettext
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from functools import cache
from pathlib import Path

DOMAIN = "tokenrace"
LOCALE_FOLDER = Path(__file__).parent / "locale"

DEFAULT = "en"

_language: ContextVar[str | None] = ContextVar("language", default=None)
_askers: list[Callable[[], str | None]] = []


def use_language(language: str) -> None:
    """Choose the language (BCP 47, such as `zh-Hans` or `de`) of the texts made in this context."""
    _language.set(language)


def ask_for_language(asker: Callable[[], str | None]) -> None:
    """Ask this function (the latest one given) where no language was chosen; None means it does not know either."""
    _askers[:] = [asker]


def current_language() -> str:
    """The language chosen for this context, else what the asker says, else `en`."""
    chosen = _language.get()
    return chosen or next((told for ask in _askers if (told := ask())), DEFAULT)


def context_of_caller() -> Context:
    """The caller's context with its language chosen in it, for a thread: a button's action can ask, a thread cannot."""
    found = copy_context()
    found.run(use_language, current_language())
    return found


@cache
def _catalogue(language: str) -> gettext.NullTranslations:
    names = [language.replace("-", "_"), language.split("-", maxsplit=1)[0]]
    return gettext.translation(DOMAIN, LOCALE_FOLDER, languages=names, fallback=True)


def _(text: str) -> str:
    """The text in the language of this context, or unchanged when it has no translation."""
    return _catalogue(current_language()).gettext(text) if text else ""


def ngettext(singular: str, plural: str, number: int) -> str:
    """The form of the text that fits the number, in the language of this context."""
    return _catalogue(current_language()).ngettext(singular, plural, number)
