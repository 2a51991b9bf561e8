"""What a hostile or careless model may say, and a server that says it; every request it gets is on record.

Nothing here names a place outside of the server itself: whatever is fetched is seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.collector.wire_server import DONE, Request, Wire, WireServer, finished, serving

BEACON = "BEACON"  # stands for the server's own address
CHUNK = 2_000
SCRIPT = "window.hit = (window.hit || 0) + 1"


@dataclass(frozen=True, slots=True)
class Output:
    """An answer with what may come beside it."""

    text: str
    thinking: str = ""
    model: str = "m"
    error: str = ""
    tool: str = ""


OUTPUTS: dict[str, Output] = {
    "script": Output(
        f"Hello <script>{SCRIPT}</script></script></textarea></style><img src=x onerror='{SCRIPT}'>"
        f"<svg onload='{SCRIPT}'><iframe srcdoc='<script>parent.hit=1</script>'></iframe>"
        f"<details open ontoggle='{SCRIPT}'>x</details>{{{{constructor}}}} end",
        thinking=f"<img src=x onerror='{SCRIPT}'>![t](BEACON/thinking.png)",
    ),
    "pictures": Output(
        "![one](BEACON/1.png)\n\n<img src='BEACON/2.png'>\n\n![two][ref]\n\n[ref]: BEACON/3.png\n\n"
        "<link rel=stylesheet href='BEACON/4.css'><style>@import 'BEACON/5.css'; "
        "* { background: url(BEACON/6.png) }</style>"
        "<video src='BEACON/7'></video><iframe src='BEACON/8'></iframe><object data='BEACON/9'></object>"
        "\n\n[![in a link](BEACON/10.png)](BEACON/11)\n\n| a |\n|---|\n| ![cell](BEACON/12.png) |\n\n<BEACON/13>"
    ),
    "links": Output(
        f"[a](javascript:{SCRIPT}) [b](JaVaScRiPt:{SCRIPT}) [c](&#106;avascript:{SCRIPT}) [d](vbscript:x) "
        f"[e](data:text/html,<script>{SCRIPT}</script>) <javascript:{SCRIPT}> [f][g]\n\n[g]: javascript:{SCRIPT}\n\n"
        f"[h](java\tscript:{SCRIPT}) [i](\x01javascript:{SCRIPT}) [k](https://example.org/x) [l](/_stcore/health)"
    ),
    "mathematics": Output(
        "It costs $5 or $6. $$\\frac{1}{2}$$ \\(x^2\\) \\[y\\] :red[not red] :material/home: :smile: "
        "$\\href{javascript:window.hit=1}{x}$ `$code$`"
    ),
    "fences": Output("Look:\n\n```python\nprint('<b>')\n~~~\n````\nstill ``` code\n\n> ```\n> <img src=BEACON/f.png>"),
    "directions": Output("abc \u202edef\u202c \u2066ghi\u2069 \u200frtl \u061c עברית العربية \u200b\ufeff end"),
    "odd-characters": Output(
        "nul \x00 half \ud800 other half \udc00 bell \x07 escape \x1b[31mred\x1b[0m \x1b]0;title\x07 end"
    ),
    "emoji": Output("👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 e" + "\u0301" * 300 + " 𝔘𝔫𝔦 " + "🧑‍🚀" * 200),
    "no-blank": Output("x" * 1_000_000),
    "line-breaks": Output("line\n" + "\n" * 20_000 + "end"),
    "formula": Output('=HYPERLINK("BEACON/formula","open")'),
    "names": Output("Some text.", model=f"<img src=x onerror='{SCRIPT}'>![m](BEACON/model.png)",
                    tool=f"![t](BEACON/tool.png)<script>{SCRIPT}</script>"),
    "error": Output("Some text.",
                    error=f"<img src=x onerror='{SCRIPT}'> ![e](BEACON/error.png) $x$ [z](javascript:{SCRIPT})"),
    "nested": Output("> " * 500 + "deep\n\n" + "- " * 500 + "deep\n\n" + "[" * 5_000 + "\n\n" + "*a_b" * 5_000),
}  # fmt: skip


def said_by(name: str, server: WireServer) -> Output:
    """The output with the server's address in it."""
    output = OUTPUTS[name]
    values = {
        field: getattr(output, field).replace(BEACON, f"http://{server.address}")
        for field in output.__slots__
    }
    return Output(**values)


@contextmanager
def speaking() -> Iterator[WireServer]:
    """The server; `address/NAME/v1` says `OUTPUTS[NAME]`. Anything else it is asked was fetched by mistake."""

    def reply(request: Request, wire: Wire) -> None:
        name = request.line.split("/")[1]
        if not request.line.startswith("POST") or name not in OUTPUTS:
            wire.head("404 Not Found", "text/plain")
            return
        wire.head()
        _say(said_by(name, server), wire)

    with serving(reply) as server:
        yield server


def fetched(server: WireServer) -> list[str]:
    """What was asked of the server beside its answers."""
    return [request.line for request in server.requests if not request.line.startswith("POST")]


def _say(output: Output, wire: Wire) -> None:
    deltas: list[dict[str, object]] = [{"reasoning": output.thinking}] if output.thinking else []
    deltas += [{"content": output.text[at : at + CHUNK]} for at in range(0, len(output.text), CHUNK)]
    if output.tool:
        deltas.append(
            {"tool_calls": [{"index": 0, "function": {"name": output.tool, "arguments": output.tool}}]}
        )
    for delta in deltas:
        wire.send(_frame({"model": output.model, "choices": [{"index": 0, "delta": delta}]}))
    if output.error:
        wire.send(_frame({"error": {"message": output.error}}))
    else:
        wire.send(finished(), DONE)


def _frame(value: object) -> str:
    """As a server writes it that escapes everything beyond ASCII: lone surrogates can be sent no other way."""
    return f"data: {json.dumps(value)}\n\n"
