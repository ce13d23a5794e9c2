"""The statements of a module: what each binds, uses and changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mxlint.source import Source

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


IMPORTS = (ast.Import, ast.ImportFrom)


LOOKS = frozenset(
    {
        "print", "len", "str", "repr", "float", "int", "bool", "isinstance", "issubclass", "hasattr", "range", "enumerate", "zip", "sum", "max", "min",
        "abs", "round", "sorted", "type", "id", "list", "tuple", "dict", "set", "frozenset", "format", "callable", "all", "any", "map", "filter",
    }
)  # fmt: skip
"""Builtins that only look at what they are given."""


LIBRARIES = frozenset({"mlx", "numpy", "math"})
"""Packages that leave what they are given as it is, but for `EVALUATES`."""


EVALUATES = frozenset({"eval", "async_eval", "quantize", "seed"})


BY_TEXT = frozenset({"globals", "locals", "vars", "exec", "eval", "__import__", "importlib"})


KEEPS = frozenset(
    {
        "sum", "mean", "max", "min", "shape", "astype", "reshape", "transpose", "flatten", "square", "exp", "log", "abs", "format", "join", "split",
        "strip", "items", "keys", "values", "get", "copy", "startswith", "endswith", "lower", "upper", "parameters", "trainable_parameters",
    }
)  # fmt: skip
"""Methods that leave their object as it is."""


@dataclass(slots=True)
class Unit:
    """One statement of a module. `binds`: names that it gives a value; `uses`: all that it names; `changes`: names whose value it changes in
    place; `touches`: names whose value it hands to something that may; `deep`: those that functions in it touch, `sets`: those that they change;
    `set_by_name`: those of which an attribute is set by its name. `wild`: it reaches names by their text.
    """

    node: ast.stmt
    start: int
    end: int
    guard: ast.If | None
    binds: frozenset[str]
    uses: frozenset[str]
    changes: frozenset[str]
    attributes: Mapping[str, frozenset[str]]
    touches: frozenset[str] = frozenset()
    deep: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()
    set_by_name: frozenset[str] = frozenset()

    @property
    def wild(self) -> bool:
        return not self.uses.isdisjoint(BY_TEXT) or "modules" in self.attributes.get("sys", ())

    @property
    def drives(self) -> bool:
        """Whether it does something, rather than give names to things."""
        return not isinstance(self.node, (*DEFINITIONS, *IMPORTS))


def library_names(tree: ast.AST) -> frozenset[str]:
    """Return the names that the imports in a tree, wherever they stand, give to `LIBRARIES` and their parts."""
    return frozenset(library_imports(tree))


def library_imports(tree: ast.AST) -> dict[str, str]:
    """The same names, each with the dotted name of what it stands for."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _first(alias.name) in LIBRARIES:
                    found[alias.asname or _first(alias.name)] = alias.name if alias.asname else _first(alias.name)
        elif isinstance(node, ast.ImportFrom) and not node.level and _first(node.module or "") in LIBRARIES:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _first(name: str) -> str:
    return name.partition(".")[0]


def units_of(source: Source, tree: ast.Module) -> Iterator[Unit]:
    """The statements of a module, those under `if __name__ == "__main__":` one by one."""
    lines = source.text.splitlines(keepends=True)
    libraries = library_names(tree)
    for node in tree.body:
        if isinstance(node, ast.If) and _is_main_guard(node.test) and not node.orelse:
            yield from (_unit(source, lines, inner, node, libraries) for inner in node.body)
        else:
            yield _unit(source, lines, node, None, libraries)


def _is_main_guard(test: ast.expr) -> bool:
    names = {part.id for part in ast.walk(test) if isinstance(part, ast.Name)}
    texts = {part.value for part in ast.walk(test) if isinstance(part, ast.Constant)}
    return isinstance(test, ast.Compare) and names == {"__name__"} and texts == {"__main__"}


def _unit(source: Source, lines: list[str], node: ast.stmt, guard: ast.If | None, libraries: frozenset[str]) -> Unit:
    names = _Names(libraries)
    names.visit(node)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        root = root_name(node.value.func) if isinstance(node.value.func, ast.Attribute) else None
        if root is not None:
            names.changes.add(root)
    start = source.offset(first_row(node)) + _characters(lines, first_row(node), _first_column(node))
    end = source.offset(node.end_lineno or node.lineno) + _characters(lines, node.end_lineno or node.lineno, node.end_col_offset or 0)
    attributes = {name: frozenset(found) for name, found in names.attributes.items()}
    return Unit(
        node, start, end, guard, frozenset(names.binds), frozenset(names.uses), frozenset(names.changes), attributes,
        frozenset(names.touches), frozenset(names.deep), frozenset(names.sets), frozenset(names.set_by_name),
    )  # fmt: skip


def names_of(node: ast.stmt) -> Unit:
    """What a statement inside a function binds, uses and changes there."""
    names = _Names(frozenset())  # what is touched is not asked for
    names.visit(node)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        root = root_name(node.value.func)
        names.changes |= {root} if root is not None else set()
    return Unit(node, 0, 0, None, frozenset(names.binds), frozenset(names.uses), frozenset(names.changes), {})


def _characters(lines: list[str], row: int, column: int) -> int:
    """A column in bytes as one in characters."""
    line = lines[row - 1] if row <= len(lines) else ""
    return column if line.isascii() else len(line.encode()[:column].decode(errors="replace"))


def first_row(node: ast.stmt) -> int:
    """The row in which a statement begins, its decorators included."""
    decorators = getattr(node, "decorator_list", None)
    rows: list[int] = [node.lineno, *(decorator.lineno for decorator in decorators or ())]
    return min(rows)


def _first_column(node: ast.stmt) -> int:
    return node.col_offset  # a decorator's @ stands where its def does


class _Names(ast.NodeVisitor):
    """What a statement binds in its module, uses anywhere within, and changes in place."""

    def __init__(self, libraries: frozenset[str]) -> None:
        self.libraries = libraries
        self.binds: set[str] = set()
        self.uses: set[str] = set()
        self.changes: set[str] = set()
        self.touches: set[str] = set()
        self.deep: set[str] = set()
        self.sets: set[str] = set()
        self.set_by_name: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.depth = 0

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.uses.add(node.id)
        elif self.depth == 0:
            self.binds.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name):
            self.attributes.setdefault(node.value.id, set()).add(node.attr)
        if not isinstance(node.ctx, ast.Load):
            self._changed(node)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._changed(node)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._changed(node.target)
        if isinstance(node.target, ast.Name):
            self.uses.add(node.target.id)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self.uses.update(node.names)
        self.sets.update(node.names)

    def visit_Call(self, node: ast.Call) -> None:
        """A call may change what it is given, and what it is a method of."""
        fun = node.func
        root = root_name(fun)
        if isinstance(fun, ast.Name) and fun.id in ("setattr", "delattr") and node.args:
            self._changed(node.args[0])
            self.set_by_name.update({root_name(node.args[0]) or ""})
        if isinstance(fun, ast.Attribute) and fun.attr not in KEEPS and root not in self.libraries:
            self._touched(fun.value)
        if not (isinstance(fun, ast.Name) and fun.id in LOOKS) and not (
            root in self.libraries and isinstance(fun, ast.Attribute) and fun.attr not in EVALUATES
        ):
            for part in (*node.args, *(keyword.value for keyword in node.keywords)):
                self._touched(part)
        self.generic_visit(node)

    def _touched(self, node: ast.expr) -> None:
        parts = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
        roots = {root for part in parts if (root := root_name(part)) is not None}
        (self.touches if self.depth == 0 else self.deep).update(roots)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        if self.depth == 0:
            self.binds.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        else:
            self.uses.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)

    visit_ImportFrom = visit_Import

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        if self.depth == 0:
            self.binds.add(node.name)
        for decorator in node.decorator_list:
            self.visit(decorator)
        self.depth += 1
        for name, value in ast.iter_fields(node):
            if name != "decorator_list":
                for part in value if isinstance(value, list) else [value]:
                    if isinstance(part, ast.AST):
                        self.visit(part)
        self.depth -= 1

    visit_AsyncFunctionDef = visit_FunctionDef
    visit_ClassDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    def _changed(self, node: ast.expr) -> None:
        root = root_name(node)
        if root is not None:
            (self.changes if self.depth == 0 else self.sets).add(root)


def root_name(node: ast.expr) -> str | None:
    """The name that `a.b[c].d` starts from."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call, ast.Starred)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None
