"""Texts to begin with: the tides in two languages, Python code, and one simple story in every language of the table.

All are written for this project: the tides and the code are what the simulator says, the story is
`lib/data/samples.csv`.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lib.i18n import _
from lib.meaning.text_facts import code_in
from lib.reading import speed
from lib.simulator.answers import answer_to

TABLE = Path(__file__).resolve().parents[1] / "data" / "samples.csv"
_TIDE_PROMPTS = {"en": "How do tides work?", "zh-Hans": "潮汐是怎么来的？"}
_CODE_PROMPT = "Write a function that merges two sorted lists in Python"
TIDE, CODE, STORY = "tide-", "code", "story-"
FIRST, FIRST_CHINESE = f"{TIDE}en", f"{TIDE}zh-Hans"


@dataclass(frozen=True, slots=True)
class SampleText:
    """A text with the name it is offered under."""

    id: str
    title: str
    text: str


def sample_texts() -> tuple[SampleText, ...]:
    """Every text on offer: English and Chinese first."""
    tides = [SampleText(f"{TIDE}{lang}", _("{language}: how tides work").format(language=_name(lang)), tide(lang))
             for lang in _TIDE_PROMPTS]  # fmt: skip
    code = SampleText(CODE, _("Python code: merging two lists"), code_in(_said(_CODE_PROMPT)).rstrip())
    stories = [SampleText(f"{STORY}{lang}", _("{language}: a simple story").format(language=_name(lang)), text)
               for lang, text in _stories().items()]  # fmt: skip
    return (*tides, code, *stories)


def sample_text(id_: str) -> SampleText | None:
    """The text of that id."""
    return next((one for one in sample_texts() if one.id == id_), None)


def tide(lang: str) -> str:
    """How tides work, in `en` or `zh-Hans`."""
    return _said(_TIDE_PROMPTS[lang])


def story(lang: str) -> str:
    """The simple story in a language of the table."""
    return _stories()[lang]


def _said(prompt: str) -> str:
    return b"".join(answer_to(prompt).text).decode()


def _name(lang: str) -> str:
    return speed(lang).label


@cache
def _stories() -> dict[str, str]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {row["lang"]: row["text"] for row in csv.DictReader(file)}
