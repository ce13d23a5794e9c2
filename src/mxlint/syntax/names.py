"""The names that a block of Python binds."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from mxlint.syntax import ir

NOTHING: Final[frozenset[str]] = frozenset()
"""No names: the one empty set that is kept. Python makes a new one each time, as large as one of four names."""


class Names:
    """What one block binds and declares, collected while it is lowered."""

    __slots__ = ("bound", "generator", "globals", "nonlocals")

    def __init__(self) -> None:
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.generator = False

    def bind(self, target: ir.Expr) -> None:
        """Note the names that an assignment to `target` binds."""
        if isinstance(target, ir.Name):
            self.bound.add(target.id)
        elif isinstance(target, ir.Seq):
            for item in target.items:
                self.bind(item)
        elif isinstance(target, ir.Starred):
            self.bind(target.value)

    def scope(self) -> ir.Scope:
        return ir.Scope(
            frozenset(self.bound - self.globals - self.nonlocals) or NOTHING,
            frozenset(self.globals) or NOTHING,
            frozenset(self.nonlocals) or NOTHING,
        )


def import_name(alias: ast.alias) -> str:
    """The name that one part of an import binds; * for all of a module."""
    return alias.asname or alias.name.partition(".")[0]


def bound_names(statements: Sequence[ast.stmt]) -> tuple[str, ...]:
    """The names that statements may bind in the block in which they stand, each once; * for those of a whole module."""
    names: list[str] = []
    waiting: list[ast.AST] = [*reversed(statements)]
    while waiting:
        node = waiting.pop()
        inside: list[ast.AST] = [*ast.iter_child_nodes(node)]
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.append(node.name)
                inside = [child for child in inside if not isinstance(child, ast.stmt)]
            case ast.Name(ctx=ast.Store() | ast.Del()):
                names.append(node.id)
            case ast.Import() | ast.ImportFrom():
                names += map(import_name, node.names)
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
                | ast.MatchMapping(rest=str(name))
            ):
                names.append(name)
            case ast.Lambda():
                inside = [node.args]  # what defaults bind
            case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
                inside = [part.target for part in ast.walk(node) if isinstance(part, ast.NamedExpr)]
        waiting += inside[::-1]
    return tuple(dict.fromkeys(names))


def last_name(node: ast.expr) -> str:
    """A name, or the last name of an attribute; "" for anything else."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
