"""Search: the words of a run, and how each database finds them.

Both get the same words: Unicode-normalised, case folded, letters and digits only, and every Chinese, Japanese or
Korean character a word of its own, so that a phrase of any length is found. A search is the beginning of words:
`light keep` finds "the lighthouse keeper", not "twilight".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy import Connection

from lib.store.schema import RUN, SEARCH

MOST_CHARACTERS = 100_000  # of a run's texts; the rest is kept but not searched
_SEARCH = sa.table(SEARCH, sa.column("rowid"), sa.column("run"), sa.column("body"))
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")


def words(text: str) -> list[str]:
    """The words of a text as they are searched."""
    return _WORD.findall(unicodedata.normalize("NFKC", text[:MOST_CHARACTERS]).casefold())


def index(connection: Connection, run: int, texts: Iterable[str]) -> None:
    """Make these the searched texts of a run."""
    body = " ".join(words(" ".join(texts)))
    forget(connection, [run])
    if connection.dialect.name == "sqlite":
        statement = sa.insert(_SEARCH).values(rowid=run, body=body)
    else:
        statement = sa.insert(_SEARCH).values(run=run, body=sa.func.to_tsvector("simple", body))
    connection.execute(statement)


def forget(connection: Connection, runs: Iterable[int]) -> None:
    """Drop the words of these runs."""
    column = _SEARCH.c.rowid if connection.dialect.name == "sqlite" else _SEARCH.c.run
    for run in runs:
        connection.execute(sa.delete(_SEARCH).where(column == run))


def condition(dialect: str, text: str) -> sa.ColumnElement[bool]:
    """The condition that a run contains every word of `text`; a text without a word finds nothing."""
    found = words(text)
    if not found:
        return sa.false()
    phrases = [found for part in text.split() if (found := words(part))]
    if dialect == "sqlite":
        query = " ".join(f'"{" ".join(phrase)}" *' for phrase in phrases)
        matches = sa.literal_column(SEARCH).op("MATCH")(query)
        return RUN.c.number.in_(sa.select(_SEARCH.c.rowid).where(matches))
    query = " & ".join(f"({' <-> '.join(phrase)}:*)" for phrase in phrases)
    return RUN.c.number.in_(
        sa.select(_SEARCH.c.run).where(_SEARCH.c.body.op("@@")(sa.func.to_tsquery("simple", query)))
    )
