"""The prompt library: the prompts that come along, and those a person has saved on this machine.

Own prompts are lines of JSON in `prompts.jsonl` in the data folder (`lib/own_lines.py`). Nothing is sent from here.
"""

from __future__ import annotations

import json
import secrets
import tomllib
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from lib.domain.run import Prompt
from lib.i18n import _
from lib.own_lines import OwnLines

SHIPPED = Path(__file__).parent / "data" / "prompts.toml"
KINDS = ("short", "long", "code", "list", "reasoning", "chinese", "agent", "own")
LONGEST_TITLE = 80  # characters
LONGEST_TEXT = 400_000  # characters: about the context of the largest models
MOST_TOKENS = 1_000_000


class PromptError(ValueError):
    """The prompt cannot be saved or deleted; the message is a sentence for the person who tried."""


@dataclass(frozen=True, slots=True)
class SavedPrompt:
    """One prompt of the library; `max_tokens` is a suggestion. An empty `id` is given one when saved."""

    title: str
    text: str
    system: str = ""
    kind: str = "own"
    language: str = ""  # BCP 47; empty when nobody said
    max_tokens: int | None = None
    id: str = ""
    is_own: bool = True

    @property
    def prompt(self) -> Prompt:
        """What is sent."""
        return Prompt(self.text, self.system)


def library(folder: Path | None = None) -> tuple[SavedPrompt, ...]:
    """The prompts that come along, then the own ones, oldest first."""
    return (*_shipped(), *_OWN.entries(folder))


def save(prompt: SavedPrompt, folder: Path | None = None) -> SavedPrompt:
    """Keep an own prompt, or change the one that has its id; as it was kept. Raises PromptError."""
    kept = _checked(prompt)
    _OWN.put(kept.id, _values(kept), folder)
    return kept


def delete(id: str, folder: Path | None = None) -> None:
    """Forget an own prompt. Raises PromptError for one that comes along or is not there."""
    if not _OWN.drop(id, folder):
        raise PromptError(_("Only prompts of your own can be deleted, and this is none."))


@cache
def _shipped() -> tuple[SavedPrompt, ...]:
    entries = tomllib.loads(SHIPPED.read_text(encoding="utf-8"))["prompt"]
    return tuple(SavedPrompt(**{**_stripped(entry), "is_own": False}) for entry in entries)


def _stripped(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value.strip() if isinstance(value, str) else value for key, value in entry.items()}


def _checked(prompt: SavedPrompt) -> SavedPrompt:
    """The prompt as it may be kept, with an id. Raises PromptError naming what is wrong."""
    kept = replace(prompt, title=" ".join(prompt.title.split()), id=prompt.id or _new_id(), is_own=True)
    limit = kept.max_tokens
    faults = (
        (not kept.title, _("Give the prompt a title.")),
        (
            len(kept.title) > LONGEST_TITLE,
            _("The title is longer than {n} characters.").format(n=LONGEST_TITLE),
        ),
        (not kept.text.strip(), _("The prompt has no text.")),
        (
            len(kept.text) + len(kept.system) > LONGEST_TEXT,
            _("The prompt is longer than {n} characters.").format(n=f"{LONGEST_TEXT:,}"),
        ),
        (not _is_unicode(kept), _("The prompt contains damaged characters.")),
        (kept.kind not in KINDS, _("There is no kind {kind!r}.").format(kind=kept.kind)),
        (
            limit is not None and not 1 <= limit <= MOST_TOKENS,
            _("Max tokens is a number from 1 to {n}.").format(n=f"{MOST_TOKENS:,}"),
        ),
        (
            any(kept.id == shipped.id for shipped in _shipped()),
            _("A prompt that comes along cannot be changed; save it under a new title instead."),
        ),
    )
    fault = next((sentence for is_so, sentence in faults if is_so), None)
    if fault is not None:
        raise PromptError(fault)
    return kept


def _is_unicode(prompt: SavedPrompt) -> bool:
    try:
        f"{prompt.title}{prompt.text}{prompt.system}{prompt.language}".encode()
    except UnicodeEncodeError:
        return False
    return True


def _new_id() -> str:
    return f"own-{secrets.token_hex(6)}"


def _values(prompt: SavedPrompt) -> dict[str, Any]:
    values = asdict(prompt)
    del values["is_own"]
    return values


def _read(line: str) -> SavedPrompt | None:
    try:
        values = json.loads(line)
        prompt = _checked(SavedPrompt(**values))
    except (ValueError, TypeError, AttributeError):
        return None
    return prompt if prompt.id == values.get("id") else None


_OWN = OwnLines("prompts.jsonl", _read, PromptError)
