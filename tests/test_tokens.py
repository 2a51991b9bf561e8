"""Counting works offline, agrees with itself however a text is cut, and refuses damaged data."""

from __future__ import annotations

import gzip
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiktoken_ext import openai_public

from lib import tokens

PROSE = (
    "The keeper's log, page 12: “wind rising”…\n\n    for i in range(3):\n"
    "灯塔看守人在日志里写道。 Größe! 🚲👩‍🚀 "
)


def test_known_texts_have_their_known_counts() -> None:
    assert tokens.count("The infrastructure uncertainties grow.") == 5
    assert tokens.count("Paper boats drift slowly past the old stone bridge.", "cl100k_base") == 10
    assert tokens.encode("hello world") == [24912, 2375]
    assert tokens.encode("hello world", "cl100k_base") == [15339, 1917]


def test_a_special_token_in_a_text_is_plain_text() -> None:
    assert tokens.count("End mark: <|endoftext|> then more.") == 13
    assert tokens.count("End mark: <|endoftext|> then more.", "cl100k_base") == 12


def test_the_two_encodings_before_gpt_4_differ_in_runs_of_blanks_alone() -> None:
    assert tokens.encode("hello world", "r50k_base") == tokens.encode("hello world", "p50k_base") == [31373, 995]
    indented = "if x:\n        return y"
    assert tokens.count(indented, "p50k_base") < tokens.count(indented, "r50k_base")
    assert tokens.count("灯塔看守人", "p50k_base") == tokens.count("灯塔看守人", "r50k_base") > 5


@pytest.mark.parametrize("encoding", tokens.ENCODINGS)
def test_every_encoding_is_the_one_that_tiktoken_defines(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashes: list[str] = []

    def ranks(_url: str, expected_hash: str) -> dict[bytes, int]:
        hashes.append(expected_hash)
        return {}

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", ranks)
    defined = openai_public.ENCODING_CONSTRUCTORS[encoding]()
    source = tokens._SOURCES[encoding]
    assert [source.sha256] == hashes
    assert source.pattern == defined["pat_str"]
    assert dict(source.special_tokens) == defined["special_tokens"]


def test_an_empty_text_has_no_tokens() -> None:
    assert (tokens.count(""), tokens.pieces(""), tokens.cumulative([])) == (0, [], [])


def test_the_pieces_of_a_text_joined_are_the_text() -> None:
    assert b"".join(tokens.pieces(PROSE)).decode() == PROSE


@given(st.text(max_size=200), st.integers(1, 7))
def test_tokens_completed_never_fall_and_end_at_the_count_of_the_whole(text: str, step: int) -> None:
    cut = [text[start : start + step] for start in range(0, len(text), step)]
    completed = tokens.cumulative(cut)
    assert completed == sorted(completed)
    assert (completed[-1] if completed else 0) == tokens.count(text)


def test_a_token_counts_for_the_piece_that_brings_its_last_byte() -> None:
    assert tokens.cumulative(["The infra", "structure uncert", "ainties grow."]) == [1, 2, 5]


@pytest.mark.parametrize("encoding", tokens.ENCODINGS)
def test_a_long_text_counted_in_blocks_has_the_count_of_the_whole(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = PROSE * 40
    whole = tokens.encode(text, encoding)
    monkeypatch.setattr(tokens, "BLOCK_CHARACTERS", 150)
    assert tokens.encode(text, encoding) == whole


def test_one_endless_word_is_counted_and_not_a_failure() -> None:
    assert tokens.count("a" * 300_000) > 0


def test_lone_surrogates_are_counted_and_not_a_failure() -> None:
    assert tokens.count("half \ud83d of it") > 0


def test_a_panic_of_the_tokenizer_becomes_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicError(BaseException):
        pass

    class Broken:
        def encode(self, _text: str, **_options: object) -> list[int]:
            raise PanicError

    monkeypatch.setitem(tokens._loaded, "o200k_base", Broken())
    with pytest.raises(tokens.TokenizerError, match="PanicError"):
        tokens.count("text")


def test_a_rank_file_with_another_content_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "o200k_base.tiktoken.gz").write_bytes(gzip.compress(b"IQ== 0\n"))
    monkeypatch.setattr(tokens, "DATA_FOLDER", tmp_path)
    monkeypatch.setattr(tokens, "_loaded", {})
    with pytest.raises(tokens.TokenizerError, match="SHA-256"):
        tokens.count("text")


def test_a_missing_rank_file_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "DATA_FOLDER", tmp_path)
    monkeypatch.setattr(tokens, "_loaded", {})
    with pytest.raises(tokens.TokenizerError, match="cannot be read"):
        tokens.count("text")


def test_an_unknown_encoding_is_said() -> None:
    with pytest.raises(tokens.TokenizerError, match="gpt2_base"):
        tokens.count("text", "gpt2_base")


def test_loading_needs_no_network_and_happens_once_for_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(tokens, "_loaded", {})
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(tokens.count, ["one two three"] * 8))
    assert counts == [3] * 8
    assert list(tokens._loaded) == ["o200k_base"]
