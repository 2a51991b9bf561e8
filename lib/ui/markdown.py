"""A model's answer made safe for `st.markdown`: a pure function of the text.

Code stays code; outside of it nothing is fetched, run or turned into mathematics, colour or pictures:

- raw HTML is text; images are links; a link may go to http, https, mailto or inside the page only;
- `$` and the colons of directives are escaped, `:name:` is kept apart; headings are made small;
- fences are written anew in the first column, longer than any fence inside them, and closed;
- controls that reverse the reading direction are shown by name; NUL and lone surrogates are replaced;
- what would take a browser long (endless words, deep nesting, megabytes) is cut or shown as plain text.

It does not judge what the answer says. The raw text is always at hand beside it (`answers.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MOST_CHARACTERS = 100_000
MOST_UNBROKEN = 4_000  # characters without white space outside code; beyond, the whole is shown as plain text
MOST_DELIMITERS = 1_000  # `*`, `_`, `~`, `[` in one block of text; beyond, they are escaped
MOST_NESTED = 8  # quotes and lists inside each other
_SMALLEST_HEADING = 6
_HEADING_STEP = 3

_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_INVALID = re.compile("[\x00\ud800-\udfff]")
_FENCE = re.compile(r"^((?:[ \t]|>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*)(`{3,}|~{3,})(.*)$")
_LANGUAGE = re.compile(r"[A-Za-z0-9+#.-]{1,24}")
_MARKERS = re.compile(r"[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))")
_TOKEN = re.compile(
    r"(?P<pair>\\[!-/:-@\[-`{-~])"
    r"|(?P<entity>&(?:amp|lt|gt|quot|nbsp|mdash|ndash|hellip|times|copy);)"
    r"|(?P<url>https?://[^\s<>\[\]()!$*\\|]*)"
    r"|(?P<ticks>`+)"
    r"|(?P<image>!+\[)"
    r"|(?P<target>\]\([ \t]*)"
    r"|(?P<definition>\]:[ \t]*)"
    r"|(?P<special>[$<&\\]|:(?=[A-Za-z0-9_+:-]))",
)
_SHORTCODE = re.compile(r":(?=[\w+/-]*[A-Za-z_][\w+/-]*:|(?:100|1234|[+-]1):)")
_JOINER = "\N{WORD JOINER}"  # keeps `:name:` apart, which is replaced after escapes are resolved
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_SCHEME_REACH = 400  # characters of a target that are looked at
_ALLOWED = ("http:", "https:", "mailto:")
_NEVER = ("javascript:", "vbscript:", "data:", "file:")
_RISKY = re.compile(r"[$:!<&\[]")


@dataclass(frozen=True, slots=True)
class Prepared:
    """Markdown that is safe to render, and whether the end of a long text was left out or markup given up."""

    text: str
    is_cut: bool = False
    is_plain: bool = False


def prepared(answer: str) -> Prepared:
    """The answer as Markdown for `st.markdown`; never raises."""
    text = valid(answer)
    is_cut = len(text) > MOST_CHARACTERS
    text = text[:MOST_CHARACTERS]
    parts = list(_parts(text))
    if any(len(word) > MOST_UNBROKEN for code, _language, body in parts if not code for word in body.split()):
        return Prepared(fenced(text), is_cut, is_plain=True)
    return Prepared(
        "\n".join(fenced(body, lang) if code else _escaped(body) for code, lang, body in parts), is_cut
    )


def valid(text: str) -> str:
    """The text with NUL and lone surrogates replaced, and controls of direction shown by name."""
    text = _INVALID.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _CONTROLS.sub(lambda found: f"‹U+{ord(found.group()):04X}›", text)


def fenced(code: str, language: str = "") -> str:
    """Code as a fenced block that nothing inside can close, with an empty line before and after."""
    longest = max((len(run) for run in re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"\n{fence}{language}\n{code}\n{fence}\n"


def in_help(facts: Iterable[tuple[str, str]]) -> str:
    """Facts as the help of an element of the page, one a line."""
    return "  \n".join(f"{plain(name)}: {plain(text)}" for name, text in facts)


def plain(text: str) -> str:
    """A short text (a name, a message) as Markdown that shows exactly its characters, on one line."""
    named = _SHORTCODE.sub(f":{_JOINER}", " ".join(valid(text).split()))
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", named)


def _parts(text: str) -> Iterator[tuple[bool, str, str]]:
    """(is code, language, body) in order; an open fence ends with the text."""
    lines: list[str] = []
    fence, prefix, language = "", "", ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if fence:
            if found and _closes(found, fence):
                yield True, language, "\n".join(lines)
                lines, fence = [], ""
            else:
                lines.append(_without(line, prefix))
        elif found and not (found[2][0] == "`" and "`" in found[3]):
            marker = re.sub(r"[ \t]+$", "", found[1])
            yield False, "", "\n".join([*lines, *([marker] if marker else [])])
            lines, fence, prefix = [], found[2], found[1]
            named = _LANGUAGE.match(found[3].strip())
            language = named.group() if named else ""
        else:
            lines.append(line)
    yield bool(fence), language if fence else "", "\n".join(lines)


def _closes(found: re.Match[str], fence: str) -> bool:
    same = found[2][0] == fence[0] and len(found[2]) >= len(fence)
    return same and not found[3].strip() and not re.search(r"[-+*\d]", found[1])


def _without(line: str, prefix: str) -> str:
    """A line of code without the indentation and quote marks its opening fence had."""
    for mark in prefix:
        if mark == ">" and line.lstrip(" ").startswith(">"):
            line = line.lstrip(" ")[1:]
        elif mark != ">" and line[:1] in (" ", "\t"):
            line = line[1:]
    return line


def _escaped(body: str) -> str:
    """Text outside code blocks, paragraph by paragraph."""
    return "".join(part if not part.strip() else _block(part) for part in re.split(r"(\n[ \t]*\n)", body))


def _block(block: str) -> str:
    count = sum(block.count(mark) for mark in "*_~[")
    lines = [_line(line) for line in block.split("\n")]
    if count > MOST_DELIMITERS:
        lines = [re.sub(r"(?<!\\)([*_~\[])", r"\\\1", line) for line in lines]
    return "\n".join(lines)


def _line(line: str) -> str:
    heading = re.match(r"^( {0,3})(#{1,6})(?=[ \t]|$)", line)
    if heading:
        level = min(_SMALLEST_HEADING, len(heading[2]) + _HEADING_STEP)
        return heading[1] + "#" * level + _inline(line[heading.end() :])
    if re.fullmatch(r" {0,3}=+[ \t]*", line):
        return line.replace("=", r"\=")
    depth, at = 0, 0
    while depth < MOST_NESTED and (found := _MARKERS.match(line, at)):
        depth, at = depth + 1, found.end()
    if depth == MOST_NESTED and _MARKERS.match(line, at):
        return line[:at] + " " + re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", line[at:])
    return _inline(line)


def _inline(line: str) -> str:
    """One line with everything escaped that is neither text nor plain Markdown."""
    out: list[str] = []
    at = 0
    while found := _TOKEN.search(line, at):
        out.append(line[at : found.start()])
        piece, at = _token(line, found)
        out.append(piece)
    return "".join([*out, line[at:]])


def _token(line: str, found: re.Match[str]) -> tuple[str, int]:
    """What replaces a token, and where the line goes on."""
    text, kind = found.group(), found.lastgroup
    if kind == "url":
        return _address(text), found.end()
    if kind == "ticks":
        return _code_span(line, found)
    if kind == "image":
        return "\\!" * (len(text) - 2) + "[", found.end()
    if kind in ("target", "definition"):
        return _link(line, found), found.end()
    if kind == "special":
        return "\\" + text + _JOINER * bool(_SHORTCODE.match(line, found.start())), found.end()
    return text, found.end()


def _address(url: str) -> str:
    """A bare or linked address in which no directive, mathematics or code can begin."""
    scheme, rest = url.split("://", 1)
    host, slash, path = rest.partition("/")
    port = re.sub(r":(?!\d+$)", "%3A", host).replace("`", "%60")
    return f"{scheme}://{port}{slash}{path.replace(':', '%3A').replace('`', '%60')}"


def _code_span(line: str, found: re.Match[str]) -> tuple[str, int]:
    """A span of inline code as it stands, when it ends on the same line; else its backticks as text."""
    ticks = found.group()
    close = re.compile(rf"(?<!`){ticks}(?!`)").search(line, found.end())
    if close is None:
        return "\\`" * len(ticks), found.end()
    content = line[found.end() : close.start()]
    if "|" in content and _RISKY.search(content):  # a table would cut it in two
        return "\\`" * len(ticks), found.end()
    return line[found.start() : close.end()], close.end()


def _link(line: str, found: re.Match[str]) -> str:
    """What stands between a link's text and its target: `#` kills a target with a scheme that is not allowed."""
    target = line[found.end() : found.end() + _SCHEME_REACH].split(")", 1)[0]
    if not target.strip():
        return "\\" + found.group()  # the target stands on another line: no link
    bare = re.sub(r"\\(?=[!-/:-@\[-`{-~])|[\x00-\x20<]", "", target)
    scheme = _SCHEME.match(bare)
    if scheme is None:
        return found.group()
    name = scheme.group().lower()
    dead = name not in _ALLOWED if found.lastgroup == "target" else name in _NEVER
    return found.group() + "#" * dead
