"""The claims that come along, with what was found out about each, and those a person has added.

Own claims are lines of JSON in `claims.jsonl` in the data folder (`lib/prompts.py` says which). The file is replaced
as a whole, never half written, and lines that this version cannot read are kept. Nothing is judged here.
"""

from __future__ import annotations

import csv
import json
import math
import os
import secrets
import threading
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lib.claims import UNITS, Bound, Claim, Kind
from lib.i18n import _
from lib.prompts import data_folder

TABLE = Path(__file__).parent / "data" / "claims.csv"
FILE_NAME = "claims.jsonl"
LONGEST = 300  # characters of any one text

_changing = threading.Lock()


class ClaimError(ValueError):
    """The claim cannot be kept; the message is a sentence for the person who tried."""


def claims(folder: Path | None = None) -> tuple[Claim, ...]:
    """Own claims, oldest first, then those that come along. Raises ClaimError when the file cannot be read."""
    return (*(claim for _line, claim in _lines(_file(folder)) if claim is not None), *shipped())


@cache
def shipped() -> tuple[Claim, ...]:
    """The claims of the table; those that trials can show come first."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        found = [_read(_typed(row)) for row in csv.DictReader(file)]
    return tuple(sorted(found, key=lambda claim: not claim.can_be_tried))


def save(claim: Claim, folder: Path | None = None) -> Claim:
    """Keep an own claim, as it was kept. Raises ClaimError."""
    kept = _checked(replace(claim, id=f"own-{secrets.token_hex(6)}", is_own=True))
    with _changing:
        texts = [text for text, _old in _lines(_file(folder))]
        values = {name: value for name, value in asdict(kept).items() if name != "is_own"}
        _write(_file(folder), [*texts, json.dumps(values, ensure_ascii=False)])
    return kept


def delete(id_: str, folder: Path | None = None) -> None:
    """Forget an own claim. Raises ClaimError for one that comes along or is not there."""
    with _changing:
        lines = _lines(_file(folder))
        texts = [text for text, old in lines if old is None or old.id != id_]
        if len(texts) == len(lines):
            raise ClaimError(_("Only claims of your own can be deleted, and this is none."))
        _write(_file(folder), texts)


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


def _lines(path: Path) -> list[tuple[str, Claim | None]]:
    """Every line of the file with its claim, None where it is not one. Raises ClaimError when unreadable."""
    try:
        texts = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise ClaimError(_("{path} cannot be read: {reason}.").format(path=path, reason=error)) from error
    return [(text, _own(text)) for text in texts if text.strip()]


def _write(path: Path, texts: Sequence[str]) -> None:
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("w", encoding="utf-8") as file:
            file.writelines(f"{text}\n" for text in texts)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        told = _("The claims cannot be kept in {folder}: {reason}.")
        raise ClaimError(told.format(folder=path.parent, reason=error.strerror or error)) from error


def _file(folder: Path | None) -> Path:
    return (folder or data_folder()) / FILE_NAME
