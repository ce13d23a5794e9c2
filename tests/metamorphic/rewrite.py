"""Apply a rewrite to a file, and know for each row of the result which rows of the original it comes from."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

Transform = Callable[["Module"], bool]
"""Changes a syntax tree in place and returns whether it did. New nodes take their places from old ones, by `at`."""
Edit = Callable[[str], str]
"""Changes a text without changing its syntax tree."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """`rows`: for each row of `text` at which something starts, the rows of the original that it stands for."""

    text: str
    rows: Mapping[int, frozenset[int]]


@dataclass(slots=True)
class Module:
    """A syntax tree to rewrite. `shared`: words of the program's other files, whose meaning must not change."""

    tree: ast.Module
    shared: frozenset[str] = frozenset()

    def fresh(self, stem: str) -> str:
        """A name that the module does not use, and uses from now on if it is put in."""
        used = {word for node in ast.walk(self.tree) for word in words(node)} | self.shared
        number = 1
        while f"{stem}_{number}" in used:
            number += 1
        return f"{stem}_{number}"

    @property
    def head(self) -> int:
        """How many statements have to come first: the docstring and imports from __future__."""
        count = 0
        for number, node in enumerate(self.tree.body):
            future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
            if not future and not (number == 0 and is_docstring(node)):
                break
            count += 1
        return count

    def add_import(self, statement: str) -> None:
        """Put an import at the top, as if it had always stood there."""
        self.tree.body[self.head : self.head] = parse(statement, self.tree.body[0])


def transform(text: str, change: Transform, shared: frozenset[str] = frozenset()) -> Rewritten | None:
    """The text after a rewrite of its tree; None where there is nothing to rewrite."""
    module = Module(ast.parse(text), shared)
    if not change(module):
        return None
    ast.fix_missing_locations(module.tree)
    new = ast.unparse(module.tree) + "\n"
    return Rewritten(new, _rows(module.tree, new))


def edit(text: str, change: Edit) -> Rewritten:
    """The text after a change of its layout."""
    new = change(text)
    return Rewritten(new, _rows(ast.parse(text), new))


def _rows(old: ast.Module, text: str) -> dict[int, frozenset[int]]:
    """Both trees have the same nodes in the same order, so each node of the new text knows its old row."""
    rows: defaultdict[int, set[int]] = defaultdict(set)
    for before, after in zip(_placed_nodes(old), _placed_nodes(ast.parse(text)), strict=True):
        rows[after.lineno].add(before.lineno)
    return {row: frozenset(items) for row, items in rows.items()}


def _placed_nodes(tree: ast.AST) -> Iterator[ast.stmt | ast.expr]:
    """Statements and expressions but literals: those of f-strings are joined and split when they are written."""
    if isinstance(tree, (ast.stmt, ast.expr)):
        yield tree
    if not isinstance(tree, ast.JoinedStr):
        for child in ast.iter_child_nodes(tree):
            yield from _placed_nodes(child)


# -- for rewrites -------------------------------------------------------------------------------------------------------


def at(new: ast.AST, old: ast.AST) -> ast.AST:
    """Give nodes without a place that of another."""
    for node in ast.walk(new):
        if isinstance(node, (ast.stmt, ast.expr, ast.excepthandler, ast.arg, ast.keyword)) and not hasattr(node, "lineno"):
            ast.copy_location(node, old)
    return new


def parse(text: str, old: ast.AST) -> list[ast.stmt]:
    """Statements at the place of another node."""
    body = ast.parse(text).body
    for statement in body:
        for node in ast.walk(statement):
            if hasattr(node, "lineno"):
                ast.copy_location(node, old)
    return body


def expression(text: str, old: ast.AST) -> ast.expr:
    """An expression at the place of another node."""
    (statement,) = parse(text, old)
    assert isinstance(statement, ast.Expr)
    return statement.value


def name(identifier: str, old: ast.AST, *, store: bool = False) -> ast.Name:
    return ast.copy_location(ast.Name(identifier, ast.Store() if store else ast.Load()), old)


def assign(identifier: str, value: ast.expr, old: ast.AST) -> ast.Assign:
    return ast.copy_location(ast.Assign([name(identifier, old, store=True)], value), old)


def blocks(tree: ast.AST) -> Iterator[tuple[ast.AST, list[ast.stmt]]]:
    """Every list of statements with the node that holds it, outermost first."""
    for node in list(ast.walk(tree)):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                yield node, body


def functions(tree: ast.AST) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def body_after_docstring(node: ast.FunctionDef) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The docstring and declarations of a function, and what follows them."""
    count = int(is_docstring(node.body[0]))
    while count < len(node.body) and isinstance(node.body[count], (ast.Global, ast.Nonlocal)):
        count += 1
    return node.body[:count], node.body[count:]


def words(node: ast.AST) -> Iterator[str]:
    """The identifiers in one node."""
    for field in ("id", "name", "attr", "arg", "asname", "rest"):
        value = getattr(node, field, None)
        if isinstance(value, str):
            yield value.partition(".")[0]
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names


def names_in(node: ast.AST) -> set[str]:
    return {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}


def is_simple(node: ast.expr) -> bool:
    """Whether to evaluate it does nothing, and nothing that is evaluated beside it changes it: names and literals."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.operand, ast.Constant)
    return isinstance(node, (ast.Name, ast.Constant))


def is_mx(node: ast.AST, attribute: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == attribute and isinstance(node.value, ast.Name) and node.value.id == "mx"


class Replace(ast.NodeTransformer):
    """Replaces expressions: `change` returns another node, or None to leave one."""

    def __init__(self, change: Callable[[ast.expr], ast.expr | None]) -> None:
        self.change = change
        self.count = 0

    def visit(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        new = self.change(node) if isinstance(node, ast.expr) else None
        self.count += new is not None
        return new or node


def replace_expressions(module: Module, change: Callable[[ast.expr], ast.expr | None]) -> bool:
    """Replace expressions, innermost first. Returns whether any was."""
    replace = Replace(change)
    replace.visit(module.tree)
    return replace.count > 0


def replace_statements(module: Module, change: Callable[[ast.AST, ast.stmt], list[ast.stmt] | None]) -> bool:
    """Replace statements, of which `change` is told the node that holds them. Returns whether any was."""
    count = 0
    for holder, body in blocks(module.tree):
        new: list[ast.stmt] = []
        for statement in body:
            changed = change(holder, statement)
            count += changed is not None
            new += [statement] if changed is None else changed
        body[:] = new
    return count > 0
