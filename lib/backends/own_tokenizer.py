"""A backend's own tokenizer, where it offers one: POST /tokenize of llama.cpp, vLLM and SGLang.

The text leaves this machine, so the caller asks a remote backend only when a person wants it. What came counts
only where it is a list of tokens; its pieces count only where they are the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx2
import orjson

from lib.backends.one_answer import one_answer
from lib.backends.policy import OPEN, Policy, checked
from lib.collector.redact import redact, redactor
from lib.i18n import _

_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_SPACE = "\u2581"  # SentencePiece writes it for a blank
_WRONG_FORM = (400, 422)


class NoTokenizer(Exception):
    """The backend tokenises nothing for us; the message says why in words."""


@dataclass(frozen=True, slots=True)
class OwnTokens:
    """How many tokens the backend's own tokenizer makes of a text, and their bytes where it tells them."""

    count: int
    pieces: tuple[bytes, ...] | None


def own_tokens(
    base_url: str, model: str, key: str, text: str, timeout_s: float = 3.0, policy: Policy = OPEN
) -> OwnTokens:
    """The text under the backend's own tokenizer. Raises NoTokenizer, AddressRefused.

    llama.cpp reads `content`, vLLM and SGLang read `prompt`; one request says both, and each alone follows
    where a server refuses fields it does not know.
    """
    pinned = checked(base_url, policy)
    llama = {"content": text, "with_pieces": True}
    vllm = {"model": model, "prompt": text, "return_token_strs": True, "add_special_tokens": False}
    status = 0
    for body in ({**llama, **vllm}, vllm, llama):
        try:
            status, _headers, answer = one_answer(tokenize_url(base_url), key.strip(), timeout_s, pinned, body)
        except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError, OSError) as error:
            said = redact(str(error) or type(error).__name__, redactor(key))
            raise NoTokenizer(_("No answer: {reason}").format(reason=said)) from None
        if status not in _WRONG_FORM:
            break
    if status != 200:
        raise NoTokenizer(_("It offers no /tokenize (HTTP {status}).").format(status=status))
    return _read(answer, text)


def tokenize_url(base_url: str) -> str:
    """Where a server tokenises: beside its /v1, not below it."""
    parts = urlsplit(base_url)
    root = parts.path.rstrip("/").removesuffix("/v1")
    return parts._replace(path=f"{root}/tokenize", query="").geturl()


def _read(answer: bytes, text: str) -> OwnTokens:
    try:
        said = orjson.loads(answer)
        found = said["tokens"]
    except (ValueError, KeyError, TypeError):
        found = None
    if not isinstance(found, list) or bool(found) is not bool(text):
        raise NoTokenizer(_("What came from /tokenize is not a list of tokens."))
    strings = said.get("token_strs")
    if isinstance(strings, list) and len(strings) == len(found):
        return OwnTokens(len(found), _of_strings(strings, text))
    return OwnTokens(len(found), _that_are(_of_llama(found), text))


def _of_llama(found: Sequence[Any]) -> list[bytes] | None:
    """llama.cpp's pieces: a text, or a list of bytes where the bytes alone are no text."""
    try:
        return [piece.encode() if isinstance(piece := one["piece"], str) else bytes(piece) for one in found]
    except (KeyError, TypeError, ValueError):
        return None


def _of_strings(strings: Sequence[Any], text: str) -> tuple[bytes, ...] | None:
    """The pieces behind a vocabulary's own spelling: bytes as letters (GPT-2), or blanks as bars (SentencePiece)."""
    if not all(isinstance(one, str) for one in strings):
        return None
    letters = _bytes_of_letters()
    if all(letter in letters for one in strings for letter in one):
        spelled = _that_are([bytes(letters[letter] for letter in one) for one in strings], text)
        if spelled is not None:
            return spelled
    barred = [_unbarred(one) for one in strings]
    if barred and barred[0].startswith(b" ") and not text.startswith(" "):
        barred[0] = barred[0][1:]  # SentencePiece puts a blank before the text
    return _that_are(barred, text)


def _unbarred(one: str) -> bytes:
    byte = _BYTE.fullmatch(one)
    return bytes([int(byte[1], 16)]) if byte else one.replace(_SPACE, " ").encode(errors="replace")


def _that_are(pieces: Sequence[bytes] | None, text: str) -> tuple[bytes, ...] | None:
    """The pieces, if joined they are the text."""
    return tuple(pieces) if pieces is not None and b"".join(pieces) == text.encode(errors="replace") else None


@cache
def _bytes_of_letters() -> dict[str, int]:
    """The letter that stands for each byte in byte-level vocabularies, turned round (GPT-2's `bytes_to_unicode`)."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + place): byte for place, byte in enumerate(hidden)}
