"""The loop's tools: they take a set time (the loop waits) and return a text, always the same for the same step.

Nothing is searched, run or approved; what is measured is the time around them. Texts are of so many tokens by
o200k_base, since it is their length that a resent history is made of.
"""

from __future__ import annotations

from functools import lru_cache

from lib import tokens

_OPENINGS = {
    "search": "Search results. ",
    "code": "Output of the command, exit code 0. ",
    "tests": "Test report: 41 passed, 1 failed. ",
    "approval": "Approved by the person on duty. ",
}
_LINES = (
    "The service answered with a delay at the second replica. ",
    "A retry was recorded before the connection pool was full. ",
    "The configuration of the previous release differs in one value. ",
    "Two callers hold the lock while the third waits for it. ",
    "The log names the same request id in each of these entries. ",
    "Memory stays level and the queue grows by nine entries a minute. ",
    "The change touches the parser, its tests and one document. ",
)


def result(tool: str, step: int, length_tokens: int) -> str:
    """The text that a tool returns after a step; deterministic, about so many tokens. Raises TokenizerError."""
    return filler(f"{_OPENINGS.get(tool, f'Result of {tool}. ')}", step, length_tokens)


@lru_cache(512)
def filler(opening: str, step: int, length_tokens: int) -> str:
    """A text that begins with `opening` and is so many tokens long. Raises TokenizerError."""
    if length_tokens <= 0:
        return ""
    lines, place = [opening], step
    while len(lines) * 8 < length_tokens + 16:
        lines.append(f"{place}. {_LINES[place % len(_LINES)]}")
        place += 1
    pieces = tokens.pieces("".join(lines))
    return b"".join(pieces[:length_tokens]).decode("utf-8", "ignore")
