"""Where the functions of a program stand, by the dotted names that call graphs use: module, then the names of what encloses them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from .model import Place, Range


def modules(folder: Path) -> dict[str, Path]:
    """The files of a folder by the dotted names of their modules; a package goes by its own name."""
    paths = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.py"))}
    return {file.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for file, path in paths.items()}


def definitions(folder: Path) -> dict[str, Place]:
    """Every function of the folder's files by its dotted name: `main.Class.method`, `package.module.outer.inner`, `main.<lambda1>`.

    Lambdas are numbered from 1 within what encloses them.
    """
    found: dict[str, Place] = {}
    for module, path in modules(folder).items():
        file = path.relative_to(folder).as_posix()
        text = path.read_text(encoding="utf-8")
        spans = Offsets(text)
        for name, node in _functions(ast.parse(text), module, {}):
            found[name] = Place(file, *spans.range(node))
    return found


class Offsets:
    """The offsets of syntax nodes in a text with newlines of one character."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def offset(self, row: int, column: int) -> int:
        """`row` from 1, `column` in bytes of UTF-8, as `ast` counts."""
        return self.starts[row - 1] + len(self.lines[row - 1].encode()[:column].decode())

    def range(self, node: ast.expr | ast.stmt) -> Range:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return Range(self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset))


def _functions(node: ast.AST, within: str, lambdas: dict[str, int]) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    for child in ast.iter_child_nodes(node):
        inner = within
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = f"{within}.{child.name}"
            if not isinstance(child, ast.ClassDef):
                yield inner, child
        elif isinstance(child, ast.Lambda):
            lambdas[within] = lambdas.get(within, 0) + 1
            inner = f"{within}.<lambda{lambdas[within]}>"
            yield inner, child
        yield from _functions(child, inner, lambdas)
