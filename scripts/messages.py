"""Brings the catalogues of lib/locale up to date with the texts in the code: `make messages` (needs Babel).

Texts are found where they are passed to `_` or `ngettext`; those that live in tables and are translated when
shown (`_(failure.title)`) are listed in `table_texts`. Translations are written into the .po files by hand; the .mo
files beside them are what the product reads.
"""

from __future__ import annotations

import ast
import csv
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from babel.messages.catalog import Catalog  # noqa: E402
from babel.messages.mofile import write_mo  # noqa: E402
from babel.messages.pofile import read_po, write_po  # noqa: E402

from lib.claims import Bound  # noqa: E402
from lib.domain.events import Status  # noqa: E402
from lib.domain.failures import FAILURES  # noqa: E402
from lib.domain.run import Mode, Origin  # noqa: E402
from lib.domain.warning_codes import WARNINGS  # noqa: E402
from lib.i18n import DOMAIN, LOCALE_FOLDER  # noqa: E402
from lib.local_model.variants import VARIANTS  # noqa: E402
from lib.metrics.catalogue import CATALOGUE  # noqa: E402
from lib.prompts import library  # noqa: E402
from lib.trials.plan import Condition  # noqa: E402
from lib.ui.limits_pairs import PAIRS  # noqa: E402

COLUMNS = {
    "reading_speed.csv": ("language",),
    "human_baselines.csv": ("label",),
    "response_limits.csv": ("label", "meaning"),
}
LANGUAGES = ("zh_Hans",)
PLURALS = 2  # texts of a call of `ngettext`: for one, for several
Text = str | tuple[str, str]
HEADER = "# Texts of Tokenrace; `make messages` keeps the list, translations are written here by hand."
DAY = datetime(2026, 11, 30, tzinfo=UTC)  # always the same, so that the file changes only where a text does


def texts_in_code() -> Iterator[Text]:
    """Every text in a call of `_`, `ngettext` or `show_title`, inside f-strings too."""
    for folder in ("lib", "pages"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    yield from _texts_of_call(node.func.id, node.args)


def _texts_of_call(name: str, arguments: list[ast.expr]) -> Iterator[Text]:
    texts = [one.value for one in arguments if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if name == "ngettext" and len(texts) == PLURALS:
        yield (texts[0], texts[1])
    elif name in ("_", "show_title"):
        yield from texts


def table_texts() -> Iterator[str]:
    """Texts that reach `_` from a table."""
    for failure in FAILURES.values():
        yield from (failure.title, failure.sentence, failure.advice)
    yield from WARNINGS.values()
    for metric in CATALOGUE:
        yield from (metric.name, metric.formula, metric.unit)
    for variant in VARIANTS:
        yield from (variant.name, variant.note)
    for kind in (Mode, Origin, Status, Condition, Bound):
        yield from (one.value for one in kind)
    yield from (pair.label for pair in PAIRS)
    yield from (prompt.title for prompt in library(ROOT / "no such folder") if not prompt.is_own)
    for file, columns in COLUMNS.items():
        with (ROOT / "lib/data" / file).open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                yield from (row[column] for column in columns)
    yield "It is not known which of the counted tokens were shown."  # Window.reason, lib/metrics/measurement.py


def catalogue_of(language: str, texts: Iterable[Text]) -> Catalog:
    """The catalogue of a language with just these texts, each with the translation it has already."""
    path = LOCALE_FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.po"
    old = read_po(BytesIO(path.read_bytes()), language) if path.exists() else Catalog(language)
    new = Catalog(
        language, header_comment=HEADER, project="Tokenrace", version="1", last_translator="Tokenrace", language_team="Tokenrace",
        msgid_bugs_address="CONTRIBUTING.md", creation_date=DAY, revision_date=DAY, fuzzy=False,
    )  # fmt: skip
    for text in sorted({text for text in texts if text}, key=str):
        known = old.get(text if isinstance(text, str) else text[0])
        new.add(text, known.string if known else "")
    return new


def main() -> None:
    """Rewrite every .po with what the code says now, and compile it."""
    texts = [*texts_in_code(), *table_texts()]
    for language in LANGUAGES:
        folder = LOCALE_FOLDER / language / "LC_MESSAGES"
        folder.mkdir(parents=True, exist_ok=True)
        catalogue = catalogue_of(language, texts)
        with (folder / f"{DOMAIN}.po").open("wb") as po, (folder / f"{DOMAIN}.mo").open("wb") as mo:
            write_po(po, catalogue, width=0, omit_header=False)
            write_mo(mo, catalogue)
        missing = sum(not message.string or message.string == ("",) for message in catalogue if message.id)
        print(f"{language}: {len(catalogue)} texts, {missing} without a translation")  # noqa: T201


if __name__ == "__main__":
    main()
