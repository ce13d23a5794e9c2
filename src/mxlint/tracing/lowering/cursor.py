"""The cursor that follows LibCST's tree through the text, and finds where everything stands.

LibCST's nodes carry no positions, and its providers cost many times the parse. But the tree holds every token in the order of the text, so
a cursor that steps over blanks and comments by itself, and over each token that the tree tells, knows where each node begins and ends.
Between two steps the cursor stands right behind the last token taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import libcst as cst

from mxlint.syntax.ir import Expr, Name, Scope, Seq, Starred, Stmt

_BLANK = frozenset(" \t\f\r\n\\#")
_gap = re.compile(r"(?:[ \t\f\r\n\\]+|#[^\r\n]*)*").match
_between = re.compile(r"(?:[ \t\f\r\n\\;]+|#[^\r\n]*)*").match

_Lower = TypeVar("_Lower", bound=Callable[..., Any])
_LOWER: dict[type, Callable[[Cursor, Any, int], Any]] = {}
_HOLDING = (cst.Tuple, cst.GeneratorExp)


class NotLowered(Exception):
    """The installed LibCST made a node that this version does not know."""


def by_type(table: dict[str, Any]) -> dict[type, Any]:
    """Key a table by the node types of the installed LibCST, which may lack the newest."""
    return {getattr(cst, name): value for name, value in table.items() if hasattr(cst, name)}


def lowers(*kinds: str) -> Callable[[_Lower], _Lower]:
    """Register a function for these kinds of node; it is given the cursor, the node, and the offset where the node begins."""

    def register(function: _Lower) -> _Lower:
        _LOWER.update(by_type(dict.fromkeys(kinds, function)))
        return function

    return register


class Names:
    """What one function body binds and declares, collected while it is lowered."""

    __slots__ = ("bound", "generator", "globals", "nonlocals")

    def __init__(self) -> None:
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.generator = False

    def bind(self, target: Expr) -> None:
        """Note the names that an assignment to `target` binds."""
        if isinstance(target, Name):
            self.bound.add(target.id)
        elif isinstance(target, Seq):
            for item in target.items:
                self.bind(item)
        elif isinstance(target, Starred):
            self.bind(target.value)

    def scope(self) -> Scope:
        return Scope(frozenset(self.bound - self.globals - self.nonlocals), frozenset(self.globals), frozenset(self.nonlocals))


class Cursor:
    """A place in the text, which must go on behind what is lowered, and the names of the function body around it."""

    __slots__ = ("names", "pos", "text")

    def __init__(self, text: str, pos: int) -> None:
        self.text = text
        self.pos = pos
        self.names = Names()

    def take(self, length: int) -> int:
        """Step over the next token; return where it begins."""
        pos = self.pos
        if self.text[pos] in _BLANK:
            pos = _gap(self.text, pos).end()  # type: ignore[union-attr]  # it matches the empty string
        self.pos = pos + length
        return pos

    def word(self, name: cst.Name) -> str:
        """Step over a name that is no expression: of an attribute, a parameter, a function."""
        self.take(len(name.value))
        return name.value

    def comma(self) -> bool:
        """Step over the next token if it is a comma."""
        pos = self.pos
        if self.text[pos] in _BLANK:
            pos = _gap(self.text, pos).end()  # type: ignore[union-attr]
        if self.text.startswith(",", pos):
            self.pos = pos + 1
            return True
        return False

    def clause(self, length: int) -> int:
        """Step over the first token of a statement, or of a clause such as `else`; there may be semicolons before it."""
        pos = _between(self.text, self.pos).end()  # type: ignore[union-attr]
        self.pos = pos + length
        return pos

    def at(self, end: int) -> bool:
        """Whether nothing more comes before `end`."""
        return self.pos <= end <= self.clause(0)

    def statement(self, node: Any) -> Stmt:
        lower = _LOWER.get(type(node))
        if lower is None:
            raise NotLowered(type(node).__name__)
        lowered: Stmt = lower(self, node, self.clause(0))
        return lowered

    def expression(self, node: Any) -> Expr:
        kind = type(node)
        lower = _LOWER.get(kind)
        if lower is None:
            raise NotLowered(kind.__name__)
        lowered: Expr
        if not node.lpar:
            pos = self.pos
            if self.text[pos] in _BLANK:
                pos = self.pos = _gap(self.text, pos).end()  # type: ignore[union-attr]
            lowered = lower(self, node, pos)
            return lowered
        # As for Python, the innermost parentheses around a tuple or a generator are part of it.
        around = len(node.lpar) - (kind in _HOLDING)
        for _ in range(around):
            self.take(1)
        lowered = lower(self, node, self.take(0))
        for _ in range(around):
            self.take(1)
        return lowered

    def optional(self, node: cst.BaseExpression | None) -> Expr | None:
        return None if node is None else self.expression(node)
