"""The layout of the source: no file imports another in a circle, not even late, inside a function; the documentation names files that there are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src"


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PROGRAMS = frozenset(("set_guidance",))
"""Names in programs that the pages of the semantics speak of."""
MODULES = {module_of(path): path for path in sorted(SOURCE.rglob("*.py"))}


def running(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run: all but what stands under `if TYPE_CHECKING:`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            yield from (found for other in node.orelse for found in (other, *running(other)))
            continue
        yield node
        yield from running(node)


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in running(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            package = module_of(path).split(".") if node.level else []
            up = node.level - (path.name == "__init__.py")
            base = ".".join((*package[: len(package) - up], *filter(None, [node.module])))
            found.update(name if (name := f"{base}.{alias.name}") in MODULES else base for alias in node.names)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return found & MODULES.keys()


def test_no_import_circle() -> None:
    graph = {name: imported(path) - {name} for name, path in MODULES.items()}
    assert len(graph) > 200
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_semantics_names_files() -> None:
    docs = SOURCE.parent / "docs"
    pages = (docs / "semantics.md", *(docs / "semantics").glob("*.md"))
    named = {name for page in pages for name in re.findall(r"`([\w./]+\.py)`", page.read_text(encoding="utf-8"))}
    folders = (SOURCE / "mxlint", SOURCE / "mxlint" / "interpreter", SOURCE.parent)
    assert len(named) > 40
    assert [name for name in sorted(named) if not any((folder / name).is_file() for folder in folders)] == []


def test_semantics_names_what_there_is() -> None:
    """What the pages of the semantics name in code stands somewhere in the source, in its data, or in an example of the page."""
    docs = SOURCE.parent / "docs"
    known = PROGRAMS | {
        word
        for path in SOURCE.rglob("*")
        if path.suffix in {".py", ".toml"}
        for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))
    }
    for page in (docs / "semantics.md", *(docs / "semantics").glob("*.md")):
        parts = re.split(r"^```", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        prose, shown = "".join(parts[::2]), set(re.findall(r"\w+", "".join(parts[1::2])))
        named = {
            word
            for name in re.findall(r"`([A-Za-z_][\w.]*)(?:\([^`]*\))?`", prose)
            if not name.endswith((".py", ".json", ".md"))
            for word in name.split(".")
        }
        assert sorted(named - known - shown) == [], page.name
