"""Files cut and lowered once, whoever asks: many files of a project import the same few. No syntax tree is kept."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from mxlint.source import Source
from mxlint.syntax import ir
from mxlint.tracing.chunks import Chunk, Suite, chunks
from mxlint.tracing.lower import lower_method, lower_statements
from mxlint.tracing.spelling import says_compile

MAX_TEXT = 3_000_000
"""Characters of lowered text that are kept; beyond them all is forgotten and made again when asked for."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A top-level piece of a file: whole lines from `start` to `end`.

    `kind` is "def", "class" or "other"; `binds` are the names it binds; `body` is there for what needs no parsing (imports, docstrings).
    """

    start: int
    end: int
    kind: str
    name: str | None
    decorated: bool
    binds: tuple[str, ...]
    body: ir.Body | None
    methods: tuple[Suite, ...]

    @property
    def size(self) -> int:
        """Characters to lower, methods apart."""
        return self.end - self.start - sum(suite.end - suite.start for suite in self.methods)


class Files:
    """Pieces and lowered forms by source. `steps`: how many the run has taken so far."""

    def __init__(self) -> None:
        self.steps = 0
        self._pieces: dict[int, tuple[Source, tuple[Piece, ...]]] = {}
        self._bodies: dict[tuple[int, int], ir.Body] = {}
        self._methods: dict[tuple[int, int], ir.FuncDef | None] = {}
        self._spelled: dict[int, tuple[Source, bool]] = {}
        self._text = 0

    def pieces(self, source: Source) -> tuple[Piece, ...]:
        """The top-level pieces of a file; none of a file that is not Python."""
        known = self._pieces.get(id(source))
        if known is None:
            try:
                cut = chunks(source.text, ast.parse(source.text))
            except (SyntaxError, ValueError):
                cut = ()
            except (RecursionError, MemoryError):
                return ()  # there may be more room the next time
            known = self._pieces[id(source)] = (source, tuple(map(_piece, cut)))
        return known[1]

    def body(self, source: Source, piece: Piece) -> ir.Body:
        """The lowered form of a piece."""
        if piece.body is not None:
            return piece.body
        key = (id(source), piece.start)
        known = self._bodies.get(key)
        if known is None:
            self._make_room(piece.size)
            known = self._bodies[key] = lower_statements(source.text, piece.start, piece.end, piece.binds, piece.methods)
        return known

    def method(self, source: Source, method: ir.FuncDef) -> ir.FuncDef | None:
        """A method whose body was left empty, with its body; None if it cannot be lowered."""
        key = (id(source), method.start)
        if key not in self._methods:
            self._make_room(method.end - method.start)
            self._methods[key] = lower_method(source.text, method)
        return self._methods[key]

    def _make_room(self, size: int) -> None:
        if self._text > MAX_TEXT:
            self._bodies.clear()
            self._methods.clear()
            self._text = 0
        self._text += size

    def says_compile(self, source: Source) -> bool:
        """Whether a file spells `compile` somewhere."""
        if id(source) not in self._spelled:
            self._spelled[id(source)] = (source, says_compile(source.text))
        return self._spelled[id(source)][1]

    def is_lowered(self, source: Source, piece: Piece) -> bool:
        """Whether asking for the body costs nothing."""
        return piece.body is not None or (id(source), piece.start) in self._bodies

    def is_method_lowered(self, source: Source, method: ir.FuncDef) -> bool:
        """The same for a method."""
        return (id(source), method.start) in self._methods


def _piece(chunk: Chunk) -> Piece:
    return Piece(chunk.start, chunk.end, chunk.kind, chunk.name, chunk.decorated, _binds(chunk), _without_parsing(chunk), chunk.methods)


def _without_parsing(chunk: Chunk) -> ir.Body | None:
    """Imports and docstrings, which every file has many of: nothing of theirs is ever pointed at, so their tree is enough."""
    body: list[ir.Stmt] = []
    for node in chunk.nodes:
        if isinstance(node, ast.Import):
            body.append(ir.Import(chunk.start, chunk.end, tuple((alias.name, alias.asname) for alias in node.names)))
        elif isinstance(node, ast.ImportFrom):
            names = tuple((alias.name, alias.asname) for alias in node.names if alias.name != "*")
            body.append(ir.ImportFrom(chunk.start, chunk.end, node.module or "", node.level, names))
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            return None
    return tuple(body)


def _binds(chunk: Chunk) -> tuple[str, ...]:
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
