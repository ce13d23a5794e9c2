"""A file cut into pieces: its top-level statements, those that share lines together, each of which runs when it is asked for."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from mxlint.syntax import ir
from mxlint.syntax.lower import Lowering
from mxlint.syntax.names import bound_names

_SHORT = 100
"""Characters up to which a function counts as a part of what it stands in."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A method, or a decorated function, which is `node`: what it says behind its name, to the end of its last line."""

    node: ir.FuncDef
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A function or class with its decorators, or the statements that share physical lines: whole lines from `start` to `end`.

    `binds` are the names it binds, * for those of a whole module; `plain`: it holds nothing but imports and texts such as docstrings.
    """

    start: int
    end: int
    kind: Literal["def", "class", "other"]
    name: str | None
    decorated: bool
    binds: tuple[str, ...]
    body: ir.Body
    plain: bool
    methods: tuple[Suite, ...]

    @property
    def size(self) -> int:
        """Characters, methods apart."""
        return self.end - self.start - sum(suite.end - suite.start for suite in self.methods)


def cut(text: str, tree: ast.Module) -> tuple[Piece, ...]:
    """Cut `text`, whose tree is `tree`, at the lines where its top-level statements begin and end."""
    lowering = Lowering(text)
    rows = [*lowering.positions.starts[1:], len(text)]
    pieces: list[Piece] = []
    group: list[ast.stmt] = []
    for node in tree.body:
        if group and _first_row(node) > (group[-1].end_lineno or 0):
            pieces.append(_piece(lowering, rows, group))
            group = []
        group.append(node)
    if group:
        pieces.append(_piece(lowering, rows, group))
    return tuple(pieces)


def _first_row(node: ast.stmt) -> int:
    """The row where a statement begins: of what is decorated, its first decorator."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _piece(lowering: Lowering, rows: list[int], group: list[ast.stmt]) -> Piece:
    start, end = rows[_first_row(group[0]) - 1], rows[group[-1].end_lineno or 0]
    body, binds = lowering.top(group), bound_names(group)
    alone = body[0] if len(body) == 1 else None
    if isinstance(alone, ir.ClassDef):
        return Piece(start, end, "class", alone.name, bool(alone.decorators), binds, body, False, tuple(_suites(rows, alone.body)))
    if isinstance(alone, ir.FuncDef):
        # One without decorators is not looked into at all before it is called.
        later = tuple(_suites(rows, body)) if alone.decorators else ()
        return Piece(start, end, "def", alone.name, bool(alone.decorators), binds, body, False, later)
    return Piece(start, end, "other", None, False, binds, body, all(map(_is_plain, body)), ())


def _is_plain(statement: ir.Stmt) -> bool:
    return isinstance(statement, (ir.Import, ir.ImportFrom)) or isinstance(statement, ir.ExprStmt) and isinstance(statement.value, ir.Const)


def _suites(rows: list[int], body: ir.Body) -> Iterator[Suite]:
    """The functions that stand directly in a body, where they share no line with anything behind them."""
    for method, after in pairwise([*body, None]):
        if isinstance(method, ir.FuncDef):
            end = rows[bisect_right(rows, method.end - 1)]
            if (after is None or after.start >= end) and end - method.name_end > _SHORT:
                yield Suite(method, method.name_end, end)
