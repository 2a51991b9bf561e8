"""The directions of the code: what may import what, how long a module is, that each says what it is for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "lib").rglob("*.py"))
PAGES = [page for page in (ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))) if page.exists()]
ALL = MODULES + PAGES
IMPORTS = (ast.Import, ast.ImportFrom)
LONGEST_MODULE = 300
LONGEST_FUNCTION = 40
LONGEST_PAGE = 100
PAGE_LAYERS = ("lib.ui", "lib.i18n", "lib.live")  # lib.live: app.py mounts its routes
MAY_IMPORT_STREAMLIT = ("app.py", "pages", "lib/ui")


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def offenders(paths: list[Path], rule: Callable[[Path], object]) -> dict[str, object]:
    """The files that break a rule and how: the rule returns something truthy."""
    found = {named(path): rule(path) for path in paths}
    return {name: what for name, what in found.items() if what}


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def length(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [n for n in ast.walk(tree_of(path)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_every_contract_between_the_layers_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    status = lint_imports(str(ROOT / "pyproject.toml"), no_cache=True, no_logo=True)
    assert status == 0, capsys.readouterr().out


def test_every_module_says_what_it_is_for() -> None:
    assert offenders(ALL, lambda path: ast.get_docstring(tree_of(path)) is None) == {}


def test_every_module_is_short_enough_to_read_at_once() -> None:
    assert offenders(MODULES, lambda path: length(path) > LONGEST_MODULE and length(path)) == {}


def test_every_page_is_thin() -> None:
    assert offenders(PAGES, lambda path: length(path) > LONGEST_PAGE and length(path)) == {}


def test_every_function_is_short_enough_to_read_at_once() -> None:
    def long_ones(path: Path) -> list[str]:
        return [f.name for f in functions(path) if (f.end_lineno or 0) - f.lineno >= LONGEST_FUNCTION]

    assert offenders(ALL, long_ones) == {}


def test_nothing_is_imported_inside_a_function() -> None:
    def importing(path: Path) -> list[str]:
        return [f.name for f in functions(path) if any(isinstance(n, IMPORTS) for n in ast.walk(f))]

    assert offenders(ALL, importing) == {}


def test_streamlit_is_imported_by_the_interface_alone() -> None:
    others = [path for path in ALL if not named(path).startswith(MAY_IMPORT_STREAMLIT)]
    assert offenders(others, lambda path: [n for n in imported(path) if n.split(".")[0] == "streamlit"]) == {}


def test_pages_reach_the_product_through_the_interface_layer() -> None:
    def around_it(path: Path) -> list[str]:
        ours = [name for name in imported(path) if name.startswith("lib.")]
        return [name for name in ours if not name.startswith(PAGE_LAYERS)]

    assert offenders(PAGES, around_it) == {}


def test_nothing_in_lib_imports_a_page() -> None:
    assert offenders(MODULES, lambda path: {n.split(".")[0] for n in imported(path)} & {"pages", "app"}) == {}


def test_no_module_is_named_after_nothing() -> None:
    assert offenders(ALL, lambda path: path.stem in {"utils", "helpers", "common", "manager", "base"}) == {}
