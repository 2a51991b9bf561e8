"""The claims that come along, with what was found out about each, and those a person has added.

Own claims are lines of JSON in `claims.jsonl` in the data folder (`lib/own_lines.py`). Nothing is judged here.
"""

from __future__ import annotations

import csv
import json
import math
import secrets
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lib.claims import UNITS, Bound, Claim, Kind
from lib.i18n import _
from lib.own_lines import OwnLines

TABLE = Path(__file__).parent / "data" / "claims.csv"
LONGEST = 300  # characters of any one text


class ClaimError(ValueError):
    """The claim cannot be kept; the message is a sentence for the person who tried."""


def claims(folder: Path | None = None) -> tuple[Claim, ...]:
    """Own claims, oldest first, then those that come along. Raises ClaimError when the file cannot be read."""
    return (*_OWN.entries(folder), *shipped())


@cache
def shipped() -> tuple[Claim, ...]:
    """The claims of the table; those that trials can show come first."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        found = [_read(_typed(row)) for row in csv.DictReader(file)]
    return tuple(sorted(found, key=lambda claim: not claim.can_be_tried))


def save(claim: Claim, folder: Path | None = None) -> Claim:
    """Keep an own claim, as it was kept. Raises ClaimError."""
    kept = _checked(replace(claim, id=f"own-{secrets.token_hex(6)}", is_own=True))
    _OWN.put(kept.id, {name: value for name, value in asdict(kept).items() if name != "is_own"}, folder)
    return kept


def delete(id_: str, folder: Path | None = None) -> None:
    """Forget an own claim. Raises ClaimError for one that comes along or is not there."""
    if not _OWN.drop(id_, folder):
        raise ClaimError(_("Only claims of your own can be deleted, and this is none."))


def _checked(claim: Claim) -> Claim:
    number, texts = claim.number, (claim.claim, claim.who, claim.when, claim.link, claim.about, claim.against)
    faults = (
        (not claim.claim.strip(), _("Write the claim as it was said.")),
        (
            any(len(text) > LONGEST for text in texts),
            _("A text is longer than {n} characters.").format(n=LONGEST),
        ),
        (number is None or not math.isfinite(number) or number <= 0, _("The number must be above 0.")),
        (claim.figure not in UNITS.get(claim.unit, ()), _("This unit does not go with this figure.")),
        (
            bool(claim.link) and urlsplit(claim.link).scheme not in ("http", "https"),
            _("The link must begin with https:// or http://."),
        ),
    )
    fault = next((sentence for is_so, sentence in faults if is_so), None)
    if fault is not None:
        raise ClaimError(fault)
    return claim


def _typed(row: dict[str, str]) -> dict[str, Any]:
    numbers = {name: float(row[name]) if row[name] else None for name in ("number", "high")}
    return {**row, **numbers, "bound": row["bound"] or Bound.ABOUT}


def _read(values: dict[str, Any]) -> Claim:
    return Claim(**{**values, "kind": Kind(values["kind"]), "bound": Bound(values["bound"])})


def _own(line: str) -> Claim | None:
    try:
        return _checked(replace(_read(json.loads(line)), is_own=True))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


_OWN = OwnLines("claims.jsonl", _own, ClaimError)
