"""Why the history cannot be written, and what a person can do about it; kinds are found where the write fails.

A kind is kept by the writer's thread, the sentence is made in the language of whoever reads it.
"""

from __future__ import annotations

from enum import StrEnum

from lib.i18n import _


class Trouble(StrEnum):
    """What keeps a write from succeeding."""

    FULL = "full"
    READ_ONLY = "read-only"
    LOCKED = "locked"
    AWAY = "away"


_SIGNS = (
    (Trouble.FULL, ("disk is full", "no space left", "disk full", "quota exceeded")),
    (Trouble.READ_ONLY, ("readonly", "read-only", "unable to open", "permission denied")),
    (Trouble.LOCKED, ("is locked", "lock timeout")),
)


def trouble_of(error: BaseException) -> Trouble:
    """The kind of a failed write, by what the database says; AWAY where it says nothing known."""
    said = str(error).lower()
    return next((kind for kind, signs in _SIGNS if any(sign in said for sign in signs)), Trouble.AWAY)


def sentence_of(trouble: Trouble) -> str:
    """What is so, and what to do."""
    told = {
        Trouble.FULL: _("The history cannot be written: the disk is full. Make room on it."),
        Trouble.READ_ONLY: _("The history cannot be written: its database is read-only. "
                             "Make its file and folder writable for this program."),
        Trouble.LOCKED: _("The history cannot be written: another program holds its database. Close that program."),
        Trouble.AWAY: _("The history cannot be written: its database does not answer. See that it runs."),
    }  # fmt: skip
    return f"{told[trouble]} {_('It is tried again by itself; what is measured is not affected.')}"
