"""Prompt sets: many questions in a file, JSON lines or CSV, each with an id by which its answer is known.

JSON lines hold `prompt` (or `question`), and if wanted `id`, `system`, `max_tokens`; a CSV has the same columns. A
fault is told with its line. Nothing is asked here.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from lib.domain.run import Prompt
from lib.i18n import _

MOST_QUESTIONS = 20_000
MOST_BYTES = 64 * 2**20
MOST_TOKENS = 100_000
_MOST_ID = 200
_FIELDS = ("id", "prompt", "question", "system", "max_tokens")


class PromptSetError(ValueError):
    """The file is no prompt set; the message is a sentence that names the line."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question; `max_tokens` None takes that of the run."""

    id: str
    prompt: Prompt
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class PromptSet:
    """All questions of a file, and a digest by which a stopped run is found again."""

    name: str
    questions: tuple[Question, ...]
    digest: str


def read_prompt_set(name: str, data: bytes) -> PromptSet:
    """The questions of a file; `name` tells CSV from JSON lines by its ending. Raises PromptSetError."""
    if len(data) > MOST_BYTES:
        raise PromptSetError(_("The file is larger than any prompt set (64 MiB)."))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise PromptSetError(_("Line {n}: this is not UTF-8 text.").format(n=line)) from error
    rows = _csv_rows(text) if name.lower().endswith(".csv") else _json_rows(text)
    questions: list[Question] = []
    known: dict[str, int] = {}
    for line, values in rows:
        question = _question(line, len(questions) + 1, values)
        if question.id in known:
            told = _("Line {n}: the id {id} is already that of line {first}.")
            raise PromptSetError(told.format(n=line, id=question.id, first=known[question.id]))
        known[question.id] = line
        questions.append(question)
        if len(questions) > MOST_QUESTIONS:
            raise PromptSetError(_("Line {n}: a set has at most {most} questions.").format(n=line, most=MOST_QUESTIONS))
    if not questions:
        raise PromptSetError(_("There is no question in the file."))
    return PromptSet(name, tuple(questions), hashlib.sha256(data).hexdigest()[:16])


def _json_rows(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise PromptSetError(_("Line {n}: this is not JSON ({why}).").format(n=number, why=error)) from error
        if isinstance(found, str):
            found = {"prompt": found}
        if not isinstance(found, dict):
            raise PromptSetError(_("Line {n}: expected a JSON object.").format(n=number))
        yield number, found


def _csv_rows(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        if not {"prompt", "question"} & set(reader.fieldnames or ()):
            raise PromptSetError(_("Line 1: there is no column named prompt or question."))
        for row in reader:
            yield reader.line_num, {name: value for name, value in row.items() if name in _FIELDS and value}
    except csv.Error as error:
        raise PromptSetError(_("Line {n}: this is not CSV ({why}).").format(n=max(1, reader.line_num), why=error)) from error


def _question(line: int, place: int, values: Mapping[str, Any]) -> Question:
    values = {name: value for name, value in values.items() if value is not None}
    text, own = values.get("prompt", values.get("question")), values.get("id", place)
    system, most = values.get("system", ""), values.get("max_tokens")
    if not isinstance(text, str) or not text.strip():
        raise PromptSetError(_("Line {n}: prompt is missing or not a text.").format(n=line))
    if not isinstance(system, str):
        raise PromptSetError(_("Line {n}: system must be a text.").format(n=line))
    if type(own) not in (str, int) or len(str(own)) > _MOST_ID:
        raise PromptSetError(_("Line {n}: id must be a short text or a whole number.").format(n=line))
    return Question(str(own), Prompt(text, system), _tokens(line, most))


def _tokens(line: int, most: Any) -> int | None:
    if most is None:
        return None
    if isinstance(most, str) and most.strip().isdecimal() and len(most) < _MOST_ID:
        most = int(most)
    if type(most) is not int or not 1 <= most <= MOST_TOKENS:
        told = _("Line {n}: max_tokens must be a whole number from 1 to {most}.")
        raise PromptSetError(told.format(n=line, most=MOST_TOKENS))
    return most
