"""Counts tokens without any network: OpenAI's four encodings from rank files that come along.

The rank files are those of tiktoken (MIT, `lib/data/LICENSES/tiktoken-MIT.txt`) and are refused when their
SHA-256 differs from the one tiktoken expects. `tiktoken.get_encoding` is never called: it would download. The
patterns and special tokens are those of `tiktoken_ext/openai_public.py`. Special tokens in a text are text.
This module does not know which tokenizer a model really uses; it counts with the one it is told.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import threading
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import tiktoken

DEFAULT_ENCODING = "o200k_base"
DATA_FOLDER = Path(__file__).parent / "data"
BLOCK_CHARACTERS = 50_000  # longer texts are tokenised in blocks: the regular expression's stack is finite
_BORDER_BEFORE = frozenset(" \n\t.,;:!?。，；：！？、")


class TokenizerError(RuntimeError):
    """The text could not be counted; the message says why. The caller shows the count as unavailable."""


@dataclass(frozen=True, slots=True)
class _Source:
    sha256: str
    pattern: str
    special_tokens: tuple[tuple[str, int], ...]


_FIRST_PATTERN = (  # of GPT-2, kept for both encodings that came before GPT-4
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
)
_SOURCES = {
    "o200k_base": _Source(
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        "|".join((
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        )),
        (("<|endoftext|>", 199999), ("<|endofprompt|>", 200018)),
    ),
    "cl100k_base": _Source(
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        (
            ("<|endoftext|>", 100257), ("<|fim_prefix|>", 100258), ("<|fim_middle|>", 100259),
            ("<|fim_suffix|>", 100260), ("<|endofprompt|>", 100276),
        ),
    ),
    "p50k_base": _Source(
        "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
        _FIRST_PATTERN,
        (("<|endoftext|>", 50256),),
    ),
    "r50k_base": _Source(
        "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
        _FIRST_PATTERN,
        (("<|endoftext|>", 50256),),
    ),
}  # fmt: skip
ENCODINGS = tuple(_SOURCES)

_loaded: dict[str, tiktoken.Encoding] = {}
_loading = threading.Lock()


def warm(encoding: str = DEFAULT_ENCODING) -> None:
    """Load the encoding now (about half a second), so that the first count does not wait for it."""
    _encoding(encoding)


def encode(text: str, encoding: str = DEFAULT_ENCODING) -> list[int]:
    """The token numbers of the text. Raises TokenizerError."""
    tokenizer = _encoding(encoding)
    return [token for block in _blocks(_clean(text)) for token in _encode_block(tokenizer, block)]


def count(text: str, encoding: str = DEFAULT_ENCODING) -> int:
    """How many tokens the text has. Raises TokenizerError."""
    return len(encode(text, encoding))


def pieces(text: str, encoding: str = DEFAULT_ENCODING) -> list[bytes]:
    """The UTF-8 bytes of each token of the text; joined they are the text. Raises TokenizerError."""
    return _encoding(encoding).decode_tokens_bytes(encode(text, encoding))


def cumulative(texts: Sequence[str], encoding: str = DEFAULT_ENCODING) -> list[int]:
    """For each piece: tokens completed when it has arrived, the joined text being tokenised once.

    A token counts for the piece that brings its last byte. Raises TokenizerError.
    """
    cleaned = [_clean(text) for text in texts]
    token_ends = list(accumulate(len(piece) for piece in pieces("".join(cleaned), encoding)))
    piece_ends = accumulate(len(text.encode()) for text in cleaned)
    return [bisect_right(token_ends, end) for end in piece_ends]


def _encoding(name: str) -> tiktoken.Encoding:
    if name not in _loaded:
        with _loading:
            if name not in _loaded:
                _loaded[name] = _build(name)
    return _loaded[name]


def _build(name: str) -> tiktoken.Encoding:
    source = _SOURCES.get(name)
    if source is None:
        raise TokenizerError(f"no encoding named {name!r}; there are {', '.join(ENCODINGS)}")
    return tiktoken.Encoding(
        name,
        pat_str=source.pattern,
        mergeable_ranks=_ranks(DATA_FOLDER / f"{name}.tiktoken.gz", source.sha256),
        special_tokens=dict(source.special_tokens),
    )


def _ranks(path: Path, sha256: str) -> dict[bytes, int]:
    try:
        content = gzip.decompress(path.read_bytes())
    except (OSError, EOFError) as error:
        raise TokenizerError(f"{path.name} cannot be read") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise TokenizerError(f"{path.name} is not the file it should be (SHA-256 differs)")
    lines = (line.split() for line in content.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in lines}


def _encode_block(tokenizer: tiktoken.Encoding, block: str) -> list[int]:
    try:
        return tokenizer.encode(block, disallowed_special=())
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of the Rust part derives from BaseException
        raise TokenizerError(f"the text could not be tokenised ({type(error).__name__})") from error


def _clean(text: str) -> str:
    """The text with lone surrogates replaced; such text cannot be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _blocks(text: str) -> Iterator[str]:
    """The text in blocks that tokenise as the whole would: cut between a letter and a blank or a stop."""
    start = 0
    while len(text) - start > BLOCK_CHARACTERS:
        end = _border(text, start + BLOCK_CHARACTERS // 2, start + BLOCK_CHARACTERS)
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _border(text: str, lowest: int, highest: int) -> int:
    """The last safe place to cut in [lowest, highest]; `highest` when a single word fills all of it."""
    places = range(highest, lowest, -1)
    return next((at for at in places if text[at] in _BORDER_BEFORE and text[at - 1].isalpha()), highest)
