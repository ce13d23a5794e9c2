"""Imports that a fix needs: how a file writes what it imports, and where a new import belongs."""

from __future__ import annotations

import ast
import sys

from mxlint.finding import Edit
from mxlint.fixes.syntax import Syntax


def module_alias(syntax: Syntax, module: str, row: int | None = None) -> str | None:
    """How the file writes a module that it imports at its top, such as `mx` for mlx.core; where a row is given, above it."""
    parent, _, last = module.rpartition(".")
    for node in _above(syntax, row):
        if isinstance(node, ast.Import):
            for item in node.names:
                if item.name == module:
                    return item.asname or module
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module == parent:
            for item in node.names:
                if item.name == last:
                    return item.asname or last
    return None


def _above(syntax: Syntax, row: int | None) -> list[ast.stmt]:
    """The statements of the file that stand above a row: what they import is there when that runs."""
    return [node for node in syntax.tree.body if row is None or node.lineno < row]


def imported(syntax: Syntax, module: str, name: str, row: int) -> tuple[str, Edit | None] | None:
    """How the file writes something of a module in a row, and the import that it takes, if one is missing; None where there is no room for that."""
    for node in _above(syntax, row):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module == module:
            for item in node.names:
                if item.name == name:
                    return item.asname or name, None
    if (alias := module_alias(syntax, module, row)) is not None:
        return f"{alias}.{name}", None
    added = _import_added(syntax, module, name) if name not in _names_in(syntax.tree) else None
    return (name, added) if added is not None and added.span.start.row <= row else None


def _import_added(syntax: Syntax, module: str, name: str) -> Edit | None:
    """`from module import name` of a module of the standard library, where isort puts it: among the names of such an import, or in its order
    among the imports at the top."""
    block = _imports(syntax)
    line = f"from {module} import {name}"
    same = [node for node in block if isinstance(node, ast.ImportFrom) and not node.level and node.module == module]
    plain = next((node for node in same if not any(item.asname or item.name == "*" for item in node.names)), None)
    if plain is not None:
        return _member_added(syntax, plain, name)
    if same:
        return syntax.after(same[-1], [line])
    section = [node for node in block if _section(node) == 1]
    later = [node for node in section if isinstance(node, ast.ImportFrom) and (node.module or "") > module]
    if later:
        return syntax.before(later[0], [line])
    if section:
        return syntax.after(section[-1], [line])
    future = [node for node in block if _section(node) == 0]
    rest = [node for node in block if _section(node) > 1]
    return syntax.before(rest[0], [line, ""]) if rest else syntax.after(future[-1], ["", line]) if future else None


def _member_added(syntax: Syntax, node: ast.ImportFrom, name: str) -> Edit:
    """One more name among those of an import, on a line of its own if the others are."""
    before = [item for item in node.names if _member_order(item.name) < _member_order(name)]
    item = before[-1] if before else node.names[0]
    line = syntax.source.line(item.lineno)
    own = line.split("#")[0].strip().rstrip(",") == item.name
    if own and not before:
        at = syntax.source.offset(item.lineno)
        return syntax.edit(at, at, f"{line[: len(line) - len(line.lstrip())]}{name},{syntax.source.newline(item.lineno)}")
    if own and "," in line.split("#")[0]:
        at = syntax.source.offset(item.lineno + 1)
        return syntax.edit(at, at, f"{line[: len(line) - len(line.lstrip())]}{name},{syntax.source.newline(item.lineno)}")
    at = syntax.end(item) if before else syntax.start(item)
    return syntax.edit(at, at, f", {name}" if before else f"{name}, ")


def _imports(syntax: Syntax) -> list[ast.Import | ast.ImportFrom]:
    """The first imports of the file that stand together, each on lines of its own."""
    found: list[ast.Import | ast.ImportFrom] = []
    for node in syntax.tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            if not syntax.alone(node):
                return []
            found.append(node)
        elif found:
            break
    return found


def _names_in(tree: ast.AST) -> set[str]:
    """All names that code binds or reads."""
    fields = ((node, name) for node in ast.walk(tree) for name in ("id", "name", "arg", "asname", "rest"))
    return {value for node, name in fields if isinstance(value := getattr(node, name, None), str)}


def _section(node: ast.Import | ast.ImportFrom) -> int:
    """Which of isort's sections an import belongs to: of the future (0), of the standard library (1), all others (2)."""
    if isinstance(node, ast.ImportFrom) and node.level:
        return 2
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [item.name for item in node.names]
    if modules == ["__future__"]:
        return 0
    return 1 if all(module.partition(".")[0] in sys.stdlib_module_names for module in modules) else 2


def _member_order(name: str) -> tuple[int, str]:
    """The order of names in one import: constants, classes, all others."""
    return 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2, name
