"""What a stranger finds in the repository: sources beside the data, commands that exist, nothing foreign."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

import lib

ROOT = Path(__file__).resolve().parent.parent
TABLES = sorted((ROOT / "lib" / "data").rglob("*.csv"))
TEXT = {".py", ".md", ".toml", ".txt", ".sh", ".js", ".mjs", ".css", ".html", ".csv", ".json", ".example", ""}
RECORDED = ("lib/data/recordings/", "tests/contract/")  # bytes of others, kept as they came
SOURCE_COLUMNS = ("source", "sources", "url", "basis")
NAMES_OF_REGISTRIES = ("py" + "pi.org", "files.python" + "hosted.org", "registry.npm" + "js.org")
PLACES = re.compile(r"/(?:home|root|Users|work)/[A-Za-z0-9_.-]|[A-Z]:\\Users\\")
SECRETS = re.compile(r"\bsk-[A-Za-z0-9]{20,}|\bghp_[A-Za-z0-9]{30,}")


def tracked() -> list[str]:
    """Files that are or would be committed; without git (an unpacked archive) all that are there."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode == 0 and listing.stdout:
        return [name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]
    walk = ((Path(folder), names) for folder, _, names in os.walk(ROOT))
    return [
        path.relative_to(ROOT).as_posix()
        for folder, names in walk
        for path in (folder / name for name in names)
        if not {".venv", "__pycache__", "test-results"} & set(path.parts)
    ]


@cache
def texts() -> dict[str, str]:
    return {
        name: (ROOT / name).read_text("utf-8", errors="replace")
        for name in tracked()
        if Path(name).suffix in TEXT and not name.startswith(RECORDED)
    }


def rows_of(table: Path) -> list[dict[str, str]]:
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.name)
def test_every_row_of_a_data_table_names_its_source(table: Path) -> None:
    rows = rows_of(table)
    assert rows, "a table without rows is no table"
    columns = [name for name in rows[0] if any(word in name.lower() for word in SOURCE_COLUMNS)]
    assert columns, f"no source column among {list(rows[0])}"
    sourced = [any((row[column] or "").strip() for column in columns) for row in rows]
    assert [number for number, there in enumerate(sourced, 1) if not there] == []


def test_no_text_names_a_package_registry() -> None:
    assert [(f, host) for f, text in texts().items() for host in NAMES_OF_REGISTRIES if host in text] == []


def test_no_text_names_a_place_on_somebodys_machine() -> None:
    assert [(f, found.group()) for f, text in texts().items() if (found := PLACES.search(text))] == []


def test_no_text_contains_a_key() -> None:
    assert [f for f, text in texts().items() if SECRETS.search(text)] == []


def test_secrets_are_never_committed() -> None:
    assert [name for name in tracked() if name.endswith((".env", "secrets.toml"))] == []


def test_every_make_command_in_the_documents_exists() -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    documents = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    told = {name for doc in documents for name in re.findall(r"[`\n ]make ([a-z][a-z-]+)", _code(doc))}
    assert told - targets == set()
    assert {"run", "test"} <= told


def _code(document: Path) -> str:
    """The code spans and blocks of a Markdown text: prose may use the word make as it likes."""
    text = document.read_text("utf-8")
    blocks = re.findall(r"^```.*?^```", text, re.MULTILINE | re.DOTALL)
    return "\n".join([*blocks, *re.findall(r"`[^`\n]+`", text)])


def test_make_test_runs_every_javascript_test() -> None:
    scripts = [p for p in (ROOT / "tests" / "js").rglob("*.*js") if "node:test" in p.read_text("utf-8")]
    matched = {*(ROOT / "tests" / "js").glob("*.test.js"), *(ROOT / "tests" / "js").glob("*.test.mjs")}
    assert set(scripts) - matched == set()


def test_the_documents_link_only_to_files_that_exist() -> None:
    documents = [name for name in tracked() if name.endswith(".md") and not name.startswith(RECORDED)]
    links = [
        (name, link)
        for name in documents
        for link in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", (ROOT / name).read_text("utf-8"))
    ]
    assert [(name, link) for name, link in links if not ((ROOT / name).parent / link).exists()] == []


def test_the_licence_and_the_notices_are_here() -> None:
    assert "Apache License" in (ROOT / "LICENSE").read_text("utf-8")
    notice = (ROOT / "NOTICE").read_text("utf-8")
    assert [name for name in ("tiktoken", "SmolLM2", "llama.cpp", "MIT") if name not in notice] == []


def test_the_changelog_describes_this_version() -> None:
    assert f"## {lib.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_every_dependency_is_pinned() -> None:
    lines = [
        line.partition("#")[0].strip()
        for file in ROOT.glob("requirements*.txt")
        for line in file.read_text("utf-8").splitlines()
    ]
    assert [line for line in lines if line and not line.startswith("-r ") and "==" not in line] == []


def test_streamlit_listens_on_loopback_and_reports_nothing() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert settings["server"]["address"] == "127.0.0.1"
    assert settings["browser"]["gatherUsageStats"] is False
    assert settings["runner"]["postScriptGC"] is False


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_streamlit_draws_in_the_colours_of_the_palette(theme: str) -> None:
    palette = json.loads((ROOT / "lib" / "data" / "palette.json").read_text("utf-8"))
    drawn = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"][theme]
    assert drawn["chartCategoricalColors"] == [lane[theme] for lane in palette["lanes"]]
    assert drawn["backgroundColor"] == palette["surface"][theme]
    assert drawn["textColor"] == palette["text"][theme]
    assert drawn["borderColor"] == palette["hairline"][theme]
    assert drawn["redColor"] == palette["failed"][theme]


def test_streamlit_knows_every_setting_given_to_it() -> None:
    told = subprocess.run(
        [ROOT / ".venv/bin/python", "-m", "streamlit", "config", "show"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "not a valid config option" not in told.stdout + told.stderr
