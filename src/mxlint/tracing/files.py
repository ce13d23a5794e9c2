"""Files cut and lowered once, whoever asks: many files of a project import the same few."""

from __future__ import annotations

import ast

from mxlint.source import Source
from mxlint.tracing import nodes
from mxlint.tracing.chunks import Chunk, chunks
from mxlint.tracing.lower import lower_statements

MAX_TEXT = 3_000_000
"""Characters of lowered text that are kept; beyond them all is forgotten and made again when asked for."""


class Files:
    """Pieces and lowered forms by source."""

    def __init__(self) -> None:
        self._pieces: dict[int, tuple[Source, tuple[Chunk, ...]]] = {}
        self._bodies: dict[tuple[int, int], nodes.Body] = {}
        self._text = 0

    def pieces(self, source: Source, tree: ast.Module | None = None) -> tuple[Chunk, ...]:
        """The top-level pieces of a file; none of a file that is not Python."""
        known = self._pieces.get(id(source))
        if known is None:
            try:
                cut = chunks(source.text, tree if tree is not None else ast.parse(source.text))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                cut = ()
            known = self._pieces[id(source)] = (source, cut)
        return known[1]

    def body(self, source: Source, chunk: Chunk) -> nodes.Body:
        """The lowered form of a piece."""
        key = (id(source), chunk.start)
        known = self._bodies.get(key)
        if known is None:
            if self._text > MAX_TEXT:
                self._bodies.clear()
                self._text = 0
            self._text += chunk.end - chunk.start
            known = _without_parsing(chunk)
            if known is None:
                known = lower_statements(source.text, chunk.start, chunk.end, binds(chunk))
            self._bodies[key] = known
        return known

    def is_lowered(self, source: Source, chunk: Chunk) -> bool:
        return (id(source), chunk.start) in self._bodies


def _without_parsing(chunk: Chunk) -> nodes.Body | None:
    """Imports and docstrings, which every file has many of: nothing of theirs is ever pointed at, so their tree is enough."""
    body: list[nodes.Stmt] = []
    for node in chunk.nodes:
        if isinstance(node, ast.Import):
            body.append(nodes.Import(chunk.start, chunk.end, tuple((alias.name, alias.asname) for alias in node.names)))
        elif isinstance(node, ast.ImportFrom):
            names = tuple((alias.name, alias.asname) for alias in node.names if alias.name != "*")
            body.append(nodes.ImportFrom(chunk.start, chunk.end, node.module or "", node.level, names))
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            return None
    return tuple(body)


def binds(chunk: Chunk) -> tuple[str, ...]:
    """The names that a piece binds at its level."""
    names: list[str] = []
    for node in chunk.nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.append(node.name)
            continue
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                names.append(part.id)
            elif isinstance(part, (ast.Import, ast.ImportFrom)):
                names += [(alias.asname or alias.name).split(".")[0] for alias in part.names]
            elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)) and part.name:
                names.append(part.name)
    return tuple(dict.fromkeys(names))
