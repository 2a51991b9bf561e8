"""What holds for an answer that was made safe for `st.markdown`."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from lib.ui.markdown import MOST_CHARACTERS, MOST_UNBROKEN, plain, prepared

_COMMONMARK = MarkdownIt("commonmark").enable("table").enable("strikethrough")
_SIGNS = r"""` `` ``` ~~~ ```py $ $$ : :red[ ] [ ]( ) ! ![ <b> <script> <!-- javascript: https://a.b/c data:x \ & &#58;
&colon; | > - 1. # === * ** _ a word ]: :smile: 汉字""".split()  # noqa: SIM905 (sixty short strings read better as one)
_SPACES = ["\n", "\n\n", " ", "    ", "\t", "\r\n", "> ", "- ", "1. ", "# ", "\u202e", "\x00", "\ud800"]
_PIECES = st.sampled_from([*_SIGNS, *_SPACES])
ANSWERS = st.one_of(st.text(alphabet=st.characters()), st.lists(_PIECES, max_size=40).map("".join))


def tokens_of(text: str) -> list[Token]:
    """Every block and inline token of the text as CommonMark with tables sees it."""
    blocks = _COMMONMARK.parse(text)
    return [token for block in blocks for token in [block, *(block.children or [])]]


def shown_text(text: str) -> list[str]:
    """The texts between markup: not code, not targets."""
    return [token.content for token in tokens_of(text) if token.type == "text"]


def code_of(text: str) -> list[str]:
    return [token.content.removesuffix("\n") for token in tokens_of(text) if token.type == "fence"]


@given(ANSWERS)
def test_no_answer_raises_and_none_becomes_an_image_or_html(answer: str) -> None:
    kinds = {token.type for token in tokens_of(prepared(answer).text)}
    assert kinds & {"image", "html_block", "html_inline"} == set()


@given(ANSWERS)
def test_links_go_to_the_web_to_mail_or_nowhere(answer: str) -> None:
    targets = [str(t.attrs["href"]) for t in tokens_of(prepared(answer).text) if t.type == "link_open"]
    schemes = [found.group().lower() for href in targets if (found := re.match(r"[A-Za-z][\w+.-]*:", href))]
    assert set(schemes) <= {"http:", "https:", "mailto:"}


@given(ANSWERS)
def test_outside_code_every_dollar_and_directive_colon_is_escaped(answer: str) -> None:
    made = prepared(answer).text
    outside = re.sub(r"(?ms)^(`{3,})\w*\n.*?\n\1$", "", made)
    outside = re.sub(r"(?<!\\)(`+)(?!`).*?(?<!`)\1(?!`)", "", outside)
    bare = re.sub(r"\\.|https?://\S*", ".", outside)
    assert re.search(r"\$|:[A-Za-z]", bare) is None


@given(ANSWERS)
def test_what_is_shown_is_valid_unicode_without_controls_of_direction(answer: str) -> None:
    made = prepared(answer).text
    made.encode()
    assert re.search("[\x00\u202a-\u202e\u2066-\u2069]", made) is None


@given(
    st.text(
        alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cf"], include_characters="\n\t")
    ),
    st.sampled_from(["", "Before.\n\n", "- item\n\n"]),
    st.sampled_from(["", "\nAfter $5."]),
)
def test_code_blocks_come_out_unchanged(code: str, before: str, after: str) -> None:
    fence = "`" * (max((len(run) for run in re.findall("`+", code)), default=2) + 1)
    fence = fence if len(fence) >= 3 else "```"
    made = prepared(f"{before}{fence}python\n{code}\n{fence}{after}").text
    assert code_of(made) == [code]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It costs $113.37 and $115.40.", r"It costs \$113.37 and \$115.40."),
        ("at 12:30:45, :+1:", "at 12\\:30\\:45, \\:\u2060+1:"),
        (":red[x] :smile: :material/home:", "\\:red[x] \\:\u2060smile: \\:\u2060material/home:"),
        ("<b>bold</b> & co", r"\<b>bold\</b> \& co"),
        ("![a cat](https://x.test/c.png)", "[a cat](https://x.test/c.png)"),
        ("[click](javascript:alert(1))", r"[click](#javascript\:alert(1))"),
        ("[click](java&#115;cript:alert(1))", r"[click](java\&#115;cript\:alert(1))"),
        ("[a]: data:text/html,x", r"[a]: #data\:text/html,x"),
        ("[docs](https://x.test:8080/a_b)", "[docs](https://x.test:8080/a_b)"),
        ("`$HOME` and `:a:`", "`$HOME` and `:a:`"),
        ("an open ` tick $x", r"an open \` tick \$x"),
        ("# Title", "#### Title"),
        (r"\$ and \< stay", r"\$ and \< stay"),
    ],
)
def test_text_outside_code_is_escaped(answer: str, expected: str) -> None:
    assert prepared(answer).text == expected


def test_an_open_fence_is_closed() -> None:
    assert code_of(prepared("```py\nx = 1").text + "\nmore") == ["x = 1"]


def test_fences_inside_a_longer_fence_stay_inside() -> None:
    assert code_of(prepared("````markdown\n```sh\nls\n```\n````\nDone.").text) == ["```sh\nls\n```"]


def test_a_fence_of_tildes_with_backticks_inside_is_one_block() -> None:
    assert code_of(prepared("~~~\na\n```\nb\n~~~").text) == ["a\n```\nb"]


def test_code_in_a_list_loses_only_the_indentation_of_its_fence() -> None:
    assert code_of(prepared("1. a\n   ```py\n   if x:\n       y\n   ```\n2. b").text) == ["if x:\n    y"]


def test_a_megabyte_without_a_blank_is_cut_shown_plain_and_quick() -> None:
    begun = time.process_time()
    made = prepared("x" * 1_000_000)
    assert (made.is_cut, made.is_plain, len(made.text) < MOST_CHARACTERS + 20) == (True, True, True)
    assert time.process_time() - begun < 1


@pytest.mark.parametrize(
    "unit", ["](", "]( ", "[ ", "` ", "`|$` ", "> ", "- ", "* *", "1. ", "*a ", "\n ", "!["]
)
def test_no_repetition_takes_long(unit: str) -> None:
    begun = time.process_time()
    prepared(unit * (MOST_CHARACTERS // len(unit)))
    assert time.process_time() - begun < 2


def test_a_word_of_ordinary_length_keeps_its_markup() -> None:
    assert prepared("**" + "x" * (MOST_UNBROKEN - 10) + "**").is_plain is False


def test_quotes_nest_only_so_deep() -> None:
    made = prepared("> " * 5000 + "end").text
    assert sum(token.type == "blockquote_open" for token in tokens_of(made)) == 8


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_a_plain_name_shows_its_own_characters(name: str) -> None:
    words = " ".join(prepared_words(name))
    assert "".join(shown_text(plain(name))).replace("\u2060", "") == words.replace("\u2060", "")


def prepared_words(name: str) -> list[str]:
    controls = re.sub("[\u202a-\u202e\u2066-\u2069]", lambda m: f"‹U+{ord(m.group()):04X}›", name)
    return controls.replace("\x00", "\ufffd").replace("\r\n", "\n").replace("\r", "\n").split()
