"""How a figure came about, on the hover of its mark: the facts of `lib/provenance.py` as fields and tooltip rows."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from lib.i18n import _
from lib.provenance import Facts


def how_fields(facts: Facts) -> dict[str, str]:
    """The facts as fields of a row of data."""
    return {f"how{number}": text for number, (_name, text) in enumerate(facts)}


def how_tooltip(facts: Facts, *first: tuple[str, str]) -> list[alt.Tooltip]:
    """Tooltip rows: fields of the chart's own as (field, title), then the facts, whose names all rows share."""
    named = [*first, *((f"how{number}", name) for number, (name, _text) in enumerate(facts))]
    return [alt.Tooltip(field=field, type="nominal", title=title) for field, title in named]


def value_tooltip(facts: Sequence[Facts]) -> list[alt.Tooltip]:
    """The tooltip of a lane's value: fields `lane` and `text`, then the facts of the first lane's names."""
    return how_tooltip(facts[0] if facts else (), ("lane", _("Lane")), ("text", _("Value")))
