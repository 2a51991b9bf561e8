"""A run as one Markdown table, to be pasted into a pull request or an issue.

One row per lane, in the order of finishing; an absent figure is a dash, and its reason stands under the table. Texts
of strangers are escaped: they can neither leave their cell nor become markup.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lib.domain.run import Origin, Run
from lib.i18n import _
from lib.metrics import catalogue, rates
from lib.metrics.figures import cost_text, figure_text, note_of
from lib.metrics.measurement import Measurement, measure
from lib.metrics.quantity import ESTIMATED, Figure, Quantity
from lib.metrics.verdict import places, verdict
from lib.provenance import footer
from lib.reading import ReadingSpeed

MEDIA_TYPE = "text/markdown"
ABSENT = "–"
PROMPT_CHARACTERS = 120
_MARKUP = re.compile(r"(^[#+\-=]|^\d+(?=[.)])|[\\`*_\[\]<>|~&$]|:(?=//))")


def markdown_table(run: Run, speed: ReadingSpeed | None = None) -> bytes:
    """The table with its verdict, its notes and its provenance. `speed` None: by each answer's language."""
    measured = [measure(*pair) for pair in zip(run.generations, run.backends, strict=True)]
    finished = places(run)
    order = _order(run)
    notes: list[str] = []
    rows = [_row(measured[lane], finished[lane], notes) for lane in order]
    head = [_("Place"), _("Backend"), _("Origin"), "TTFT", _("Decode rate"), _("End-to-end rate"), _("Tokens"),
            _("Time"), _("Cost")]  # fmt: skip
    sentence = escaped("".join(text for text, _mark in verdict(run, speed)))
    table = [table_line(head), table_line(["---"] * 3 + ["---:"] * 6), *map(table_line, rows)]
    parts = [sentence, "\n".join(table), *numbered(notes), provenance_line(run)]
    return ("\n\n".join(parts) + "\n").encode("utf-8", "replace")


def _order(run: Run) -> list[int]:
    """The lanes in the order of finishing; those without a place last, as they were asked."""
    finished = places(run)
    return sorted(range(len(finished)), key=lambda lane: (finished[lane] is None, finished[lane] or 0, lane))


def escaped(text: str) -> str:
    """The text as Markdown shows it: one line, no markup."""
    return _MARKUP.sub(_escape, " ".join(text.split())).replace("@", "@<!-- -->")  # else it calls somebody


def _escape(found: re.Match[str]) -> str:
    return f"{found[0]}\\" if found[0].isdigit() else f"\\{found[0]}"


def _row(measured: Measurement, place: int | None, notes: list[str]) -> list[str]:
    backend = measured.backend
    named = escaped(backend.name) + (f" ({escaped(backend.model)})" if backend.model != backend.name else "")
    return [
        str(place) if place is not None else escaped(_(measured.time.status.value)),
        named,
        _("live") if backend.origin is Origin.LIVE else f"*{_(backend.origin.value)}*",
        _cell(catalogue.ttft_ms(measured), "TTFT", notes),
        _cell(rates.decode_rate(measured), _("Decode rate"), notes),
        _cell(rates.end_to_end_rate(measured), _("End-to-end rate"), notes),
        _cell(catalogue.output_tokens(measured), _("Tokens"), notes),
        _cell(catalogue.whole_ms(measured), _("Time"), notes),
        _cost(measured, notes),
    ]


def _cell(figure: Figure, what: str, notes: list[str]) -> str:
    if not isinstance(figure, Quantity):
        return ABSENT + _mark(f"{what}: {figure.reason}", notes)
    text = ("~" if ESTIMATED in figure.marks else "") + figure_text(figure)
    note = note_of(figure)
    return escaped(text) + (_mark(f"{what}: {note}", notes) if note else "")


def _cost(measured: Measurement, notes: list[str]) -> str:
    told = cost_text(measured)
    return escaped(told["text"]) + (_mark(f"{_('Cost')}: {told['reason']}", notes) if told["reason"] else "")


def _mark(note: str, notes: list[str]) -> str:
    if note not in notes:
        notes.append(note)
    return f" <sup>{notes.index(note) + 1}</sup>"


def numbered(notes: Sequence[str]) -> list[str]:
    """The notes under a table, numbered from 1; no paragraph when there is none."""
    lines = [f"<sup>{number}</sup> {escaped(note)}" for number, note in enumerate(notes, 1)]
    return ["<br>\n".join(lines)] if lines else []


def provenance_line(run: Run) -> str:
    """With what prompt, when, how and with what it was measured, in one escaped line."""
    prompt = " ".join(run.prompt.text.split())
    cut = prompt[:PROMPT_CHARACTERS] + ("…" if len(prompt) > PROMPT_CHARACTERS else "")
    measured = [measure(run.generations[lane], run.backends[lane]) for lane in _order(run)]
    stated = [_("Measured with Tokenrace"), _("prompt: “{prompt}”").format(prompt=cut), footer(run, measured)]
    return escaped(" · ".join(stated))


def table_line(cells: Sequence[str]) -> str:
    """One row of a table."""
    return f"| {' | '.join(cells)} |"
