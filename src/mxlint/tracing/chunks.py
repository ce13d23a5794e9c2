"""A file cut into pieces: its top-level statements, those that share lines together, each of which runs when it is asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from mxlint.syntax.lower import Lowering
from mxlint.syntax.names import bound_names
from mxlint.syntax.positions import Positions
from mxlint.syntax.trees import Function

_SHORT = 100
"""Characters up to which a function counts as a part of what it stands in."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A method, or a decorated function, that begins at `at`: what it says behind its name, to the end of its last line."""

    at: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A function or class with its decorators, or the statements that share physical lines: whole lines from `start` to `end`.

    It is `nodes` of its file's top-level statements. `binds` are the names it binds, * for those of a whole module; `plain`: it holds nothing but imports and texts such as docstrings.
    """

    start: int
    end: int
    kind: Literal["def", "class", "other"]
    name: str | None
    decorated: bool
    binds: tuple[str, ...]
    nodes: slice
    plain: bool
    methods: tuple[Suite, ...]

    @property
    def size(self) -> int:
        """Characters, methods apart."""
        return self.end - self.start - sum(suite.end - suite.start for suite in self.methods)


def cut(lowering: Lowering) -> tuple[Piece, ...]:
    """Cut a file at the lines where its top-level statements begin and end. Raises what `ast.parse` raises."""
    positions, statements = lowering.positions, lowering.tree.module.body
    pieces: list[Piece] = []
    first = 0
    for number in range(1, len(statements) + 1):
        if number == len(statements) or _first_row(statements[number]) > (statements[number - 1].end_lineno or 0):
            pieces.append(_piece(positions, statements, slice(first, number)))
            first = number
    return tuple(pieces)


def _first_row(node: ast.stmt) -> int:
    """The row where a statement begins: of what is decorated, its first decorator."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _piece(positions: Positions, statements: list[ast.stmt], nodes: slice) -> Piece:
    group = statements[nodes]
    start, end = positions.at(_first_row(group[0]), 0), _line_end(positions, group[-1])
    binds, alone = bound_names(group), group[0] if len(group) == 1 else None
    if isinstance(alone, ast.ClassDef):
        return Piece(
            start, end, "class", alone.name, bool(alone.decorator_list), binds, nodes, False, tuple(_suites(positions, alone.body))
        )
    if isinstance(alone, Function):
        # One without decorators is not looked into at all before it is called.
        later = tuple(_suites(positions, group)) if alone.decorator_list else ()
        return Piece(start, end, "def", alone.name, bool(alone.decorator_list), binds, nodes, False, later)
    return Piece(start, end, "other", None, False, binds, nodes, all(map(_is_plain, group)), ())


def _line_end(positions: Positions, node: ast.stmt) -> int:
    """The end of the last line of a statement."""
    row = (node.end_lineno or node.lineno) + 1
    return positions.starts[row] if row < len(positions.starts) else len(positions.text)


def _is_plain(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Import, ast.ImportFrom)) or isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _suites(positions: Positions, body: list[ast.stmt]) -> Iterator[Suite]:
    """The functions that stand directly in a body, where they share no line with anything behind them."""
    for method, after in pairwise([*body, None]):
        if isinstance(method, Function):
            at, end = positions.at(method.lineno, method.col_offset), _line_end(positions, method)
            words = ("async", "def") if isinstance(method, ast.AsyncFunctionDef) else ("def",)
            _, start = positions.name(at, words, method.name)
            if (after is None or after.lineno > (method.end_lineno or 0)) and end - start > _SHORT:
                yield Suite(at, start, end)
