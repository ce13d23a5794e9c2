"""Compile sites in code that the tracer does not run: pruned branches, functions that nothing calls. Found by their spelling alone."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from mxlint.source import Source

_MODULE = "mlx.core"


@dataclass(frozen=True, slots=True)
class Spelled:
    """A call or decorator that is spelled `mx.compile`: where, in which form, and what stands as the compiled function."""

    start: int
    end: int
    form: str
    compiled: str


def spelled(source: Source, tree: ast.Module, rows: Collection[int]) -> Iterator[Spelled]:
    """Calls and decorators of mlx.core.compile under the names that the file's imports give it, where nothing else binds those names.

    `rows`: where the word stands that the tracer did not come to, be it in code or not.
    """
    if not any(_says(node) for statement in tree.body if _spans(statement, rows) for node in ast.walk(statement)):
        return
    nodes = list(ast.walk(tree))
    modules, functions, bound = _names(nodes)
    modules, functions = modules - bound, functions - bound
    if not modules and not functions:
        return
    ignored = {id(part) for note in _annotations(nodes) for part in ast.walk(note)}

    def is_compile(node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            return node.id in functions
        return isinstance(node, ast.Attribute) and node.attr == "compile" and _dotted(node.value) in modules

    def place(node: ast.expr) -> tuple[int, int]:
        return _offset(source, node.lineno, node.col_offset), _offset(source, node.end_lineno or 0, node.end_col_offset or 0)

    for node in nodes:
        if id(node) in ignored:
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for decorator in node.decorator_list:
                if is_compile(decorator):
                    yield Spelled(*place(decorator), "decorator", node.name)
                elif isinstance(decorator, ast.Call) and decorator.args and is_compile(decorator.args[0]):
                    yield Spelled(*place(decorator), "partial-decorator", node.name)
        elif isinstance(node, ast.Call) and is_compile(node.func) and node.args:
            start, end = place(node.args[0])
            form = "lambda" if isinstance(node.args[0], ast.Lambda) else "attribute" if isinstance(node.args[0], ast.Attribute) else "name"
            yield Spelled(*place(node), form, source.text[start:end])


def _spans(statement: ast.stmt, rows: Collection[int]) -> bool:
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
    return any(first <= row <= (statement.end_lineno or first) for row in rows)


def _says(node: ast.AST) -> bool:
    """Whether a node has the word as a name."""
    if isinstance(node, ast.ImportFrom):
        return any(alias.name == "compile" for alias in node.names)
    return isinstance(node, ast.Attribute) and node.attr == "compile"


def _names(nodes: list[ast.AST]) -> tuple[set[str], set[str], set[str]]:
    """Dotted names of mlx.core, names of its compile, and names that something else binds as well."""
    modules: set[str] = set()
    functions: set[str] = set()
    bound: set[str] = set()
    in_classes = {id(part) for node in nodes if isinstance(node, ast.ClassDef) for part in node.body}
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            origin = "" if isinstance(node, ast.Import) else "." if node.level else f"{node.module}."
            for alias in node.names:
                name = origin + alias.name
                short = alias.asname or (alias.name if origin else name if name == _MODULE else name.split(".")[0])
                if id(node) in in_classes or name not in (_MODULE, f"{_MODULE}.compile"):
                    bound.add(short)
                elif name == _MODULE:
                    modules.add(short)
                else:
                    functions.add(short)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
    return modules, functions, bound


def _annotations(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    for node in nodes:
        note = node.returns if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else getattr(node, "annotation", None)
        if isinstance(note, ast.expr):
            yield note


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def _offset(source: Source, row: int, column: int) -> int:
    """An offset into the text from a row and a column in bytes of UTF-8, as ast counts them."""
    start = source.offset(row)
    return start + len(source.text[start : source.offset(row + 1)].encode()[:column].decode(errors="ignore"))
