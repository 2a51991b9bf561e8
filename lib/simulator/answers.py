"""What a simulated backend says: original texts, chosen by the prompt's language, topic and form.

A prompt whose topic has a text of its own gets that text; every other prompt gets a notice that this is a
simulated answer which only shows the speed, and then something worth reading in the form asked for. The
texts are files in `texts/`, listed in `texts/index.toml`; a line `%%` ends what an answer of ordinary length
says. Nothing here understands a prompt, and nothing pretends to.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, cycle, islice
from pathlib import Path

from lib.tokens import cumulative, pieces

FOLDER = Path(__file__).parent / "texts"
FORMS = ("prose", "list", "code")
_MAIN_END = "%%"
_BETWEEN_BLOCKS = "\n\n"
_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")
_KANA = re.compile(r"[\u3040-\u30ff]")
_CODE = re.compile(
    r"\b(python|javascript|typescript|rust|golang|sql|regex|(write|some|source|in) code)\b"
    r"|\bwrite (an? |the )?(\w+ )?(function|program|script)\b|代码|函数|程序|编程|脚本",
    re.I,
)
_LIST = re.compile(r"\b(lists?|checklist|steps|bullets?|bullet points|tips)\b|清单|列出|列表|步骤|要点", re.I)
_BELONGS_TO_LEAD_IN = re.compile(r"- |\d+\. |```")
_WORDS = re.compile(r"(\d{1,6})[\s-]*words?\b", re.I)
_CHARACTERS = re.compile(r"(\d{1,6})\s*个?汉?字")


@dataclass(frozen=True, slots=True)
class Text:
    """One file in blocks that are never split; the first `main` of them are the ordinary answer."""

    language: str
    form: str  # prose, code, list; notice and thinking for the two special ones
    topics: tuple[str, ...]
    blocks: tuple[str, ...]
    main: int


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer before its timing: the bytes of each token, and why it ended (`stop` or `length`)."""

    thinking: tuple[bytes, ...]
    text: tuple[bytes, ...]
    finish_reason: str


@dataclass(frozen=True, slots=True)
class _Material:
    """All blocks that may follow each other for one prompt, in order, and their running sizes."""

    blocks: tuple[str, ...]
    tokens: tuple[int, ...]  # after each block
    words: tuple[int, ...]  # after each block; characters in Chinese
    main: int


@lru_cache(maxsize=16)  # lanes of one race ask the same
def answer_to(
    prompt: str,
    *,
    max_tokens: int | None = None,
    stop: tuple[str, ...] = (),
    thinking_tokens: int = 0,
    exactly_tokens: int | None = None,
) -> Answer:
    """The answer of one prompt; `max_tokens` covers thinking too, as OpenAI counts.

    Length: `exactly_tokens` if given (the material repeats as often as it takes); else the number of words
    (or Chinese characters) the prompt names, by whole paragraphs; else as many whole paragraphs as fit in
    `max_tokens`, never less than the ordinary answer. What is longer than `max_tokens` is cut: `length`.
    """
    thinking = _thinking(prompt, thinking_tokens)
    if exactly_tokens is None:
        text, reason = _before_stop(_whole_blocks(prompt, max_tokens, len(thinking)), stop), "stop"
        said = tuple(pieces(text))
    else:
        whole = _at_least(prompt, exactly_tokens)
        text = _before_stop(whole, stop)
        reason = "length" if text == whole else "stop"
        said = tuple(pieces(text)[:exactly_tokens])
    if max_tokens is not None and len(thinking) + len(said) > max_tokens:
        thinking = thinking[:max_tokens]
        return Answer(thinking, said[: max_tokens - len(thinking)], "length")
    return Answer(thinking, said, reason)


def language_of(prompt: str) -> str:
    """`zh` or `en`: the language asked for by name, else Chinese when most of the prompt is written in it."""
    if re.search(r"in (simplified )?chinese|用中文|中文回答", prompt, re.I):
        return "zh"
    if re.search(r"in english|用英[文语]|英文回答", prompt, re.I):
        return "en"
    characters, words = len(_HAN.findall(prompt)), len(_LATIN_WORD.findall(prompt))
    return "zh" if characters > words and not _KANA.search(prompt) else "en"


def warm_up() -> None:
    """Load the tokenizer and size every sequence of texts, so that no race waits for it (half a second)."""
    for text in load_texts():
        if text.form in FORMS:
            _material(_with_others(text))
            _material(_with_others(*_after_notice(text.language, text.form)))


@cache
def load_texts() -> tuple[Text, ...]:
    """Every text of `texts/index.toml`, in its order."""
    index = tomllib.loads((FOLDER / "index.toml").read_text(encoding="utf-8"))
    return tuple(_load(entry) for entry in index["text"])


def _load(entry: dict[str, object]) -> Text:
    lines = (FOLDER / str(entry["file"])).read_text(encoding="utf-8").strip()
    main, _, more = lines.partition(f"\n{_MAIN_END}\n")
    blocks = _blocks(main)
    topics = entry.get("topics", [])
    assert isinstance(topics, list)
    return Text(
        str(entry["language"]), str(entry["form"]), tuple(topics), (*blocks, *_blocks(more)), len(blocks)
    )


def _blocks(text: str) -> tuple[str, ...]:
    """Split at blank lines, but neither inside a code fence nor between a list or a fence and its lead-in."""
    blocks: list[str] = []
    for part in re.split(r"\n{2,}", text.strip()):
        inside_fence = bool(blocks) and blocks[-1].count("```") % 2 == 1
        if blocks and (inside_fence or _BELONGS_TO_LEAD_IN.match(part)):
            blocks[-1] += _BETWEEN_BLOCKS + part
        elif part:
            blocks.append(part)
    return tuple(blocks)


def _choose(prompt: str) -> tuple[Text, ...]:
    """The texts of an answer in order: the one that fits first, then all others of the language."""
    language = language_of(prompt)
    form = "code" if _CODE.search(prompt) else "list" if _LIST.search(prompt) else "prose"
    for text in _readable(language):
        about = any(re.search(topic, prompt, re.I) for topic in text.topics)
        if about and (form != "code" or text.form == form):
            return _with_others(text)
    return _with_others(*_after_notice(language, form))


def _readable(language: str) -> list[Text]:
    return [text for text in load_texts() if text.language == language and text.form in FORMS]


def _after_notice(language: str, form: str) -> tuple[Text, Text]:
    """The notice, and the last text of the form."""
    notice = next(text for text in load_texts() if text.language == language and text.form == "notice")
    return notice, next(text for text in reversed(_readable(language)) if text.form == form)


def _with_others(*first: Text) -> tuple[Text, ...]:
    return (*first, *(text for text in _readable(first[0].language) if text not in first))


@cache
def _material(texts: tuple[Text, ...]) -> _Material:
    """The blocks of the answer, then those of the other texts, each of these after a rule."""
    ordinary = 2 if texts[0].form == "notice" else 1
    blocks = [block for text in texts[:ordinary] for block in text.blocks]
    for text in texts[ordinary:]:
        blocks += [f"---{_BETWEEN_BLOCKS}{text.blocks[0]}", *text.blocks[1:]]
    sizes = accumulate(_size(block, texts[0].language) for block in blocks)
    tokens = cumulative([block + _BETWEEN_BLOCKS for block in blocks])
    main = sum(text.main for text in texts[:ordinary])
    return _Material(tuple(blocks), tuple(tokens), tuple(sizes), main)


def _size(block: str, language: str) -> int:
    return len(_HAN.findall(block)) if language == "zh" else len(block.split())


def _whole_blocks(prompt: str, max_tokens: int | None, already: int) -> str:
    material = _material(_choose(prompt))
    asked = _WORDS.search(prompt) or _CHARACTERS.search(prompt)
    if asked:
        sizes = material.words
        count = 1 + min(range(len(sizes)), key=lambda index: abs(sizes[index] - int(asked[1])))
    else:
        room = 0 if max_tokens is None else max_tokens - already
        count = max(material.main, bisect_right(material.tokens, room))
    return _BETWEEN_BLOCKS.join(material.blocks[:count])


def _at_least(prompt: str, tokens: int) -> str:
    material = _material(_choose(prompt))
    rounds = 1 + tokens // max(1, material.tokens[-1] - len(material.blocks))
    return _BETWEEN_BLOCKS.join(islice(cycle(material.blocks), rounds * len(material.blocks)))


def _before_stop(text: str, stop: Sequence[str]) -> str:
    places = [place for place in (text.find(word) for word in stop) if place >= 0]
    return text[: min(places)] if places else text


def _thinking(prompt: str, tokens: int) -> tuple[bytes, ...]:
    """Whole sentences of the thinking text: as many as it takes to reach `tokens`."""
    if tokens <= 0:
        return ()
    language = language_of(prompt)
    text = next(text for text in load_texts() if text.form == "thinking" and text.language == language)
    said: list[bytes] = []
    for sentence in cycle("\n".join(text.blocks).splitlines()):
        if len(said) >= tokens:
            break
        said += pieces(sentence + "\n")
    return tuple(said)
