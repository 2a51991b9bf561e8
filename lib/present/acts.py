"""The script of a show: a TOML file of acts, read and checked (docs/presenting.md).

An act is a race to be run, or a kept race to be replayed. Nothing here knows which backends and races exist on
this server; `missing` is told.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from lib.i18n import _
from lib.present.ghosts import GhostError, ghost, is_ghost
from lib.reading import speeds

FEWEST_LANES, MOST_LANES = 2, 8
MOST_TOKENS = 32_768
MOST_ACTS = 50
MOST_BYTES = 1_000_000
KEYS = {
    "title": 'a text in quotes, for example "The same question, twice"',
    "prompt": "a text in quotes",
    "lineup": 'a list of 2 to 8 backends, for example ["gpt4-tier-cloud", "ghost:750:120"]',
    "max_tokens": "a whole number from 1 to 32768",
    "reader": 'the id of a reading speed, for example "en"',
    "blind": "true or false",
    "kept": "the id of a kept race in quotes",
    "fallback": "the id of a kept race in quotes",
}


class ActsError(ValueError):
    """The file is no script of acts; the message names the act, the key and what is accepted."""


@dataclass(frozen=True, slots=True)
class Act:
    """One act: a race with this prompt and line-up, or (`kept`) the replay of a kept race.

    `max_tokens` and `reader` None take what the visitor chose. `fallback` is the kept race that is played when a
    provider fails on stage.
    """

    title: str
    prompt: str = ""
    lineup: tuple[str, ...] = ()
    max_tokens: int | None = None
    reader: str | None = None
    blind: bool = False
    kept: str | None = None
    fallback: str | None = None

    @property
    def runs(self) -> tuple[str, ...]:
        """The kept races it names."""
        return tuple(id_ for id_ in (self.kept, self.fallback) if id_)


def read_acts(data: bytes) -> tuple[Act, ...]:
    """The acts of a file, in order. Raises ActsError."""
    if len(data) > MOST_BYTES:
        raise ActsError(_("A script of acts is at most 1 MB."))
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ActsError(_("This is not TOML: {reason}").format(reason=error)) from error
    tables = document.get("act")
    if not isinstance(tables, list) or not tables or not all(isinstance(one, dict) for one in tables):
        raise ActsError(_("There is no act: every act begins with a line [[act]]."))
    if unknown := sorted(set(document) - {"act"}):
        raise ActsError(_("Unknown key {key} outside of the acts.").format(key=repr(unknown[0])))
    if len(tables) > MOST_ACTS:
        raise ActsError(_("A show has at most {count} acts.").format(count=MOST_ACTS))
    return tuple(_act(number, table) for number, table in enumerate(tables, 1))


def missing(acts: tuple[Act, ...], backends: Collection[str], runs: Collection[str]) -> list[str]:
    """What the acts name and this server does not have, one sentence each; ghosts are always there."""
    told = []
    for number, act in enumerate(acts, 1):
        where = _where(number, act.title)
        for id_ in dict.fromkeys(act.lineup):
            if not is_ghost(id_) and id_ not in backends:
                told.append(
                    _("{where}, lineup: there is no backend {id} here").format(where=where, id=repr(id_))
                )
        for key, run in (("kept", act.kept), ("fallback", act.fallback)):
            if run and run not in runs:
                told.append(_("{where}, {key}: there is no kept race {id} here").format(
                    where=where, key=key, id=repr(run)))  # fmt: skip
    return told


def _act(number: int, table: dict[str, Any]) -> Act:
    title = table.get("title", "")
    where = _where(number, title if isinstance(title, str) else "")
    for key, value in table.items():
        if key not in KEYS:
            known = ", ".join(KEYS)
            told = _("{where}: unknown key {key}; known are {known}")
            raise ActsError(told.format(where=where, key=repr(key), known=known))
        if not _FORMS[key](value):
            told = _("{where}: {key} is {form}, not {shown}")
            raise ActsError(told.format(where=where, key=key, form=_(KEYS[key]), shown=repr(value)[:60]))
    for key in ("title",) if "kept" in table else ("title", "prompt", "lineup"):
        if key not in table:
            told = _("{where}: {key} is missing; it is {form}")
            raise ActsError(told.format(where=where, key=key, form=_(KEYS[key])))
    if "kept" in table and (raced := [key for key in ("prompt", "lineup", "fallback") if key in table]):
        told = _("{where}: an act is a race or a kept one; with kept there can be no {key}")
        raise ActsError(told.format(where=where, key=raced[0]))
    lineup = tuple(table.get("lineup", ()))
    try:
        lineup = tuple(ghost(id_).id if is_ghost(id_) else id_ for id_ in lineup)
    except GhostError as error:
        raise ActsError(_("{where}, lineup: {reason}").format(where=where, reason=error)) from error
    return Act(**{**table, "lineup": lineup})


def _where(number: int, title: str) -> str:
    if title.strip():
        return _('Act {number}, "{title}"').format(number=number, title=title.strip()[:60])
    return _("Act {number}").format(number=number)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_lineup(value: Any) -> bool:
    return (
        isinstance(value, list)
        and FEWEST_LANES <= len(value) <= MOST_LANES
        and all(_is_text(one) for one in value)
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_TOKENS


_FORMS = {
    "title": _is_text,
    "prompt": _is_text,
    "lineup": _is_lineup,
    "max_tokens": _is_count,
    "reader": lambda value: value in {known.id for known in speeds()},
    "blind": lambda value: isinstance(value, bool),
    "kept": _is_text,
    "fallback": _is_text,
}
