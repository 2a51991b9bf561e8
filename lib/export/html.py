"""One race as one HTML file: stage with replay, charts, table, provenance. It opens from disk, without a network.

The file is the same player as the page's, fed with the recording's messages. Its content security policy allows
that one script and no connection; what a model, a server or a person wrote is text everywhere.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import orjson

from lib import player
from lib.charts.drawing import Figure, Look
from lib.charts.limit_marks import sources_in
from lib.charts.metric_table import table_of
from lib.charts.result_lanes import ResultLane, lanes_of
from lib.domain.run import Backend, Run
from lib.export.charts_export import chart_figures
from lib.export.drawn import svgs_of
from lib.export.page_svg import page_svg
from lib.export.private_hosts import without_private_hosts
from lib.export.provenance import provenance
from lib.export.view_messages import view_messages
from lib.i18n import _, current_language
from lib.player.words import words
from lib.provenance import footer, in_lines, mode_words
from lib.reading import ReadingSpeed
from lib.view_stream import player_reader

MEDIA_TYPE = "text/html"
PRODUCT = "Tokenrace"
_HERE = Path(__file__).parent
_WIDE = {"curves": 1140, "time": 1140, "gains": 1140}  # pixels; the others stand two in a row
_HALF_PX, _NARROW_PX = 556, 344
_BOOT = """
const data = JSON.parse(document.getElementById("race").textContent);
const page = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
const toggle = document.getElementById("theme");
let chosen = null;
function show() {
  const theme = chosen ?? (dark.matches ? "dark" : "light");
  page.dataset.theme = theme;
  toggle.textContent = toggle.dataset[theme];
  mountPlayer({ parentElement: document.getElementById("stage"), data: { ...data, theme }, setTriggerValue() {} });
}
toggle.hidden = false;
toggle.addEventListener("click", () => {
  chosen = page.dataset.theme === "dark" ? "light" : "dark";
  show();
});
dark.addEventListener("change", show);
show();
"""


def replay_html(run: Run, *, private_hosts: bool = False, speed: ReadingSpeed | None = None) -> bytes:
    """The run as a self-contained page. `private_hosts`: addresses of private networks may be in it.

    `speed` None takes the reader of each answer's language. Raises lib.export.drawn.DrawingError.
    """
    told = run if private_hosts else without_private_hosts(run)
    lanes = lanes_of(told, speed)
    return page_of(Replayed(
        told, _("a race replayed"), view_messages(told, speed), told.backends,
        chart_figures(told, speed, Look("light")), _("All metrics"), table_of(lanes, "light"), lanes, speed,
    ))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Replayed:
    """What stands on the page of a replay: the stage's messages and lanes, charts, a table, where it comes from."""

    run: Run  # free of private addresses, if that is wished
    what: str  # "a race replayed"
    messages: list[str]
    lanes: tuple[Backend, ...]
    figures: dict[str, Figure]
    table_title: str
    table: dict[str, Any]
    measured: tuple[ResultLane, ...]
    speed: ReadingSpeed | None = None


def page_of(shown: Replayed) -> bytes:
    """The self-contained page. Raises lib.export.drawn.DrawingError."""
    told, script = shown.run, _script()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )
    page = f"""<!doctype html>
<html lang="{escape(current_language())}" data-theme="light">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{escape(_title(shown))}</title>
<style>{_style()}</style>
</head>
<body>
{_header(told)}
<main>
<section id="stage" aria-label="{escape(_("Replay"))}"></section>
<noscript><p>{escape(_("The replay needs JavaScript; charts and figures below do not."))}</p></noscript>
{_charts(shown.figures, footer(told, [lane.measured for lane in shown.measured]))}
{_table(shown)}
{_provenance(told, shown.measured)}
</main>
<script type="application/json" id="race">{_data(shown)}</script>
<script type="module">{script}</script>
</body>
</html>
"""
    return page.encode("utf-8", "replace")


def inert_json(value: Any) -> str:
    """JSON that cannot end the element it stands in: every `<`, `>` and `&` is escaped."""
    text = orjson.dumps(value).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _title(shown: Replayed) -> str:
    day = shown.run.started_at[:10]
    return " · ".join(word for word in (PRODUCT, shown.what, day) if word)


def _script() -> str:
    source = player.source()[0].replace("export default function (", "function mountPlayer(")
    return source + _BOOT


def _style() -> str:
    own = player.palette_css().replace(".tr[data-theme=", ":root[data-theme=")
    return own + player.source()[1] + (_HERE / "replay.css").read_text("utf-8")


def _data(shown: Replayed) -> str:
    messages = [orjson.Fragment(message) for message in shown.messages]
    first = next((lane.measured.answer for lane in shown.measured if lane.measured.answer), "")
    lanes = [{"name": b.name, "model": b.model, "origin": b.origin.value, "note": b.note} for b in shown.lanes]
    return inert_json({
        "mode": "replay", "messages": messages, "lanes": lanes, "words": words(),
        "reader": player_reader(shown.speed, first),
    })  # fmt: skip


def _header(run: Run) -> str:
    when = run.started_at.replace("T", " ")[:16]
    facts = " · ".join(word for word in (when and f"{when} UTC", mode_words(run.mode)) if word)
    prompt = run.prompt.text
    shown = escape(prompt[:140] + ("…" if len(prompt) > 140 else ""))
    system = f'<p class="quiet">{escape(run.prompt.system)}</p>' if run.prompt.system else ""
    return f"""<header>
<p class="product">{PRODUCT}</p><p class="quiet">{escape(facts)}</p>
<button type="button" id="theme" hidden data-light="{escape(_("dark"))}" data-dark="{escape(_("light"))}"></button>
<details><summary><span dir="auto">{shown}</span></summary>{system}
<p class="prompt" dir="auto">{escape(prompt)}</p></details>
</header>"""


def _charts(figures: dict[str, Figure], how: str) -> str:
    sizes = [(name, kind, px) for name in figures for kind, px in _widths(name)]
    svgs = svgs_of([{**figures[name].spec, "width": px} for name, _kind, px in sizes])
    drawn = dict.fromkeys(figures, "")
    for (name, kind, _px), svg in zip(sizes, svgs, strict=True):
        drawn[name] += page_svg(svg, f"{name}-{kind}", figures[name].alt, kind)
    placed = "".join(
        f'<figure class="{"full" if name in _WIDE else "half"}" title="{escape(_of_chart(figures[name], how))}">{both}</figure>'
        for name, both in drawn.items()
    )
    if not placed:
        return ""
    return f'<section class="charts" aria-label="{escape(_("Charts"))}">{placed}</section>'


def _of_chart(figure: Figure, how: str) -> str:
    return "\n".join(part for part in (how, sources_in(figure)) if part)


def _widths(name: str) -> tuple[tuple[str, int], tuple[str, int]]:
    return ("wide", _WIDE.get(name, _HALF_PX)), ("narrow", _NARROW_PX)


def _table(shown: Replayed) -> str:
    table = shown.table
    heads = "".join(
        f'<th scope="col" class="lane {escape(lane["origin"])}" title="{escape(lane["note"])}">'
        f'<i class="tr-c{index % 8}"></i><span dir="auto">{escape(lane["name"])}</span>'
        f"<small>{escape(lane['badge'])}</small></th>"
        for index, lane in enumerate(table["lanes"])
    )
    labels = [f"{lane['name']}, {lane['badge']}" for lane in table["lanes"]]
    hows = [in_lines(lane.get("how", ())) for lane in table["lanes"]]
    rows = "".join(
        f'<tr><th scope="row" title="{escape(row["help"])}">{escape(row["name"])}</th>'
        + "".join(map(_cell, row["cells"], labels, hows))
        + "</tr>"
        for row in table["rows"]
    )
    notes = "".join(f"<li>{escape(sentence)}</li>" for sentence in table["notes"])
    return f"""<section><h2>{escape(shown.table_title)}</h2><table class="metrics">
<thead><tr><th scope="col">{escape(table["head"])}</th>{heads}</tr></thead><tbody>{rows}</tbody></table>
<ol class="notes">{notes}</ol></section>"""


def _cell(cell: list[Any], label: str, how: str) -> str:
    text, note, hint, chips = cell
    mark = f"<sup>{note}</sup>" if note else ""
    warned = "".join(
        f' <span class="chip" title="{escape(sentence)}">{escape(chip)}<sup>{number}</sup></span>'
        for chip, number, sentence in chips
    )
    told = "\n\n".join(word for word in (hint, how) if word)
    return f'<td data-lane="{escape(label)}" title="{escape(told)}"><span>{escape(text)}{mark}{warned}</span></td>'


def _provenance(run: Run, lanes: tuple[ResultLane, ...]) -> str:
    blocks = "".join(
        f"<div><h3 dir=auto>{escape(head)}</h3><dl>"
        + "".join(
            f"<div><dt>{escape(name)}</dt><dd dir=auto>{escape(text)}</dd></div>" for name, text in facts
        )
        + "</dl></div>"
        for head, facts in provenance(run, lanes)
    )
    return (
        f'<section class="provenance"><h2>{escape(_("Where these figures come from"))}</h2>{blocks}</section>'
    )
