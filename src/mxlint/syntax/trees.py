"""Python's syntax trees of the texts that were last asked for: a tree takes several times the room of what is lowered from it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cached_property

ROOM = 400_000
"""Characters of text whose trees are kept: some 20 MB of trees."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
TRIES = (ast.Try, ast.TryStar) if sys.version_info >= (3, 11) else (ast.Try,)
"""`try` with `except` or `except*`."""


class Tree:
    """The syntax tree of one text."""

    def __init__(self, text: str) -> None:
        self.module = ast.parse(text)

    @cached_property
    def functions(self) -> dict[tuple[int, int], Function]:
        """The functions that stand in no other function, by row and column."""
        return {(function.lineno, function.col_offset): function for function in _functions(self.module)}


def _functions(node: ast.AST) -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield child
        elif isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield from _functions(child)


class Trees:
    """The trees of texts, parsed again where they were dropped since. The newest is always kept."""

    __slots__ = ("_kept", "_left")

    def __init__(self, room: int = ROOM) -> None:
        self._kept: dict[str, Tree] = {}
        self._left = room

    def of(self, text: str) -> Tree:
        """The tree of a text. Raises what `ast.parse` raises: SyntaxError, ValueError, RecursionError, MemoryError."""
        tree = self._kept.pop(text, None)
        if tree is None:
            tree = Tree(text)
            self._left -= len(text)
        self._kept[text] = tree  # behind all others: what was asked for last goes last
        while self._left < 0 and len(self._kept) > 1:
            dropped = next(iter(self._kept))
            del self._kept[dropped]
            self._left += len(dropped)
        return tree
