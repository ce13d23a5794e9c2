"""The program's loops, made so that they can be distinguished, timed turn by turn, and gone round more often than the program does.

Each `for`, `while` and comprehension asks TURNS for its items; a loop has the same number in every form of a program that has the same loops.
"""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Iterator
from typing import Any

TURNS, WHILE = "__mxlint_turns__", "__mxlint_while__"
_IN_THE_WAY = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


class _Numbered(ast.NodeTransformer):
    def __init__(self, file: str) -> None:
        self.file = file
        self.count = 0
        self.in_class = False

    def asked(self, iterable: ast.expr) -> ast.expr:
        call = ast.Call(ast.Name(TURNS, ast.Load()), [ast.Constant(self.file), ast.Constant(self.count), iterable], [])
        self.count += 1
        return ast.copy_location(call, iterable)

    def visit_For(self, node: ast.For) -> ast.AST:
        node.iter = self.asked(node.iter)
        return self.generic_visit(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        """`while test` as `for _ in`, where the test can stand in a lambda."""
        if self.in_class or any(isinstance(part, _IN_THE_WAY) for part in ast.walk(node.test)):
            self.count += 1
            return self.generic_visit(node)
        test = ast.Lambda(ast.arguments([], [], None, [], [], None, []), node.test)
        turns = self.asked(ast.Call(ast.Name(WHILE, ast.Load()), [test], []))
        target = ast.Name(f"__mxlint_turn_{self.count}__", ast.Store())
        return self.generic_visit(ast.copy_location(ast.For(target, turns, node.body, node.orelse), node))

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        if not node.is_async:
            node.iter = self.asked(node.iter)
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._within(node, True)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._within(node, False)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._within(node, False)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._within(node, False)

    def _within(self, node: ast.AST, in_class: bool) -> ast.AST:
        before, self.in_class = self.in_class, in_class
        try:
            return self.generic_visit(node)
        finally:
            self.in_class = before


def numbered(text: str, file: str) -> ast.Module:
    """A module whose loops ask for their items."""
    tree = _Numbered(file).visit(ast.parse(text))
    return ast.fix_missing_locations(tree)  # type: ignore[no-any-return]


def while_(test: Any) -> Iterator[None]:
    while test():
        yield None


class _Loader(importlib.machinery.SourceFileLoader):
    root = ""

    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> Any:  # type: ignore[override]
        if not str(path).startswith(self.root):
            return super().source_to_code(data, path)
        return compile(numbered(importlib.util.decode_source(data), str(path)[len(self.root) :]), path, "exec", dont_inherit=True)


def imported(root: str) -> None:
    """The modules of the program that are imported have their loops numbered, too."""
    _Loader.root = root.rstrip(os.sep) + os.sep
    sys.path_hooks.insert(0, importlib.machinery.FileFinder.path_hook((_Loader, importlib.machinery.SOURCE_SUFFIXES)))
    sys.path_importer_cache.pop(root, None)
