"""Classes of the files at hand, as far as a fix has to know them: names that none of them has, bases and subclasses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mxlint.fixes.syntax import Sources, Syntax, tree_of


def free_name(sources: Sources, wanted: str) -> str:
    """A name that no file at hand knows: what a class adds under it hides nothing of its bases and subclasses."""
    texts = [source.text for source in sources.values()]
    names = (wanted, *(f"{wanted}_{number}" for number in range(2, 100)))
    return next(name for name in names if not any(re.search(rf"\b{name}\b", text) for text in texts))


def bases_in_sight(syntax: Syntax, cls: ast.ClassDef, sources: Sources, seen: frozenset[ast.ClassDef] = frozenset()) -> bool:
    """Whether all that a class inherits is at hand, or comes from MLX."""
    if cls in seen:
        return True
    for base in cls.bases:
        name = syntax.text(base)
        if name == "object" or _of_mlx(syntax, base):
            continue
        found = _class_of(syntax, name, sources)
        if found is None or not bases_in_sight(*found, sources, seen | {cls}):
            return False
    return True


def _of_mlx(syntax: Syntax, base: ast.expr) -> bool:
    """Whether a base is `Module` of mlx.nn, or one of its layers."""
    if isinstance(base, ast.Attribute):
        return syntax.text(base.value) == syntax.module_alias("mlx.nn")
    return isinstance(base, ast.Name) and any(
        isinstance(node, ast.ImportFrom) and node.module == "mlx.nn" and base.id in {item.asname or item.name for item in node.names}
        for node in syntax.tree.body
    )


def _class_of(syntax: Syntax, name: str, sources: Sources) -> tuple[Syntax, ast.ClassDef] | None:
    """The one class at the top of a file that a name means: of the same file, or of one that it imports the name from."""
    if (own := _top(syntax, name)) is not None:
        return syntax, own
    for node in syntax.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            original = next((item.name for item in node.names if (item.asname or item.name) == name), None)
            path = node.module.replace(".", "/")
            files = [file for file in sources if file.replace("\\", "/").endswith((f"{path}.py", f"{path}/__init__.py"))]
            other = tree_of(sources[files[0]]) if original is not None and len(files) == 1 else None
            found = _top(other, original) if other is not None and original is not None else None
            if other is not None and found is not None:
                return other, found
    return None


def _top(syntax: Syntax, name: str) -> ast.ClassDef | None:
    found = [node for node in syntax.tree.body if isinstance(node, ast.ClassDef) and node.name == name]
    return found[0] if len(found) == 1 else None


def all_are_made(cls: ast.ClassDef, sources: Sources) -> bool:
    """Whether what the `__init__` of a class makes is made for objects of all its subclasses at hand: they have none of their own, or one that
    calls that of the class above."""
    names, added = {cls.name}, True
    while added:
        added = False
        for source in sources.values():
            syntax = tree_of(source) if any(name in source.text for name in names) else None
            if syntax is None:
                continue
            aliases = {
                item.asname
                for node in ast.walk(syntax.tree)
                if isinstance(node, ast.ImportFrom)
                for item in node.names
                if item.name in names
            }
            for sub in _subclasses(syntax, names | {alias for alias in aliases if alias is not None}):
                if not _calls_above(syntax, sub):
                    return False
                added = added or sub.name not in names
                names.add(sub.name)
    return True


def _subclasses(syntax: Syntax, names: set[str]) -> Iterator[ast.ClassDef]:
    for node in ast.walk(syntax.tree):
        if isinstance(node, ast.ClassDef) and any(syntax.text(base).rpartition(".")[2] in names for base in node.bases):
            yield node


def _calls_above(syntax: Syntax, cls: ast.ClassDef) -> bool:
    init = next((node for node in cls.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == "__init__"), None)
    above = {"super()", *(syntax.text(base) for base in cls.bases)}
    return init is None or any(
        isinstance(part, ast.Expr)
        and isinstance(part.value, ast.Call)
        and isinstance(part.value.func, ast.Attribute)
        and part.value.func.attr == "__init__"
        and syntax.text(part.value.func.value) in above
        for part in init.body
    )
