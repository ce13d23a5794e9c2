"""Files cut and lowered once, whoever asks: many files of a project import the same few. No syntax tree is kept."""

from __future__ import annotations

import ast

from mxlint.source import Source
from mxlint.syntax import ir
from mxlint.tracing.chunks import Piece, cut
from mxlint.tracing.spelling import says_compile

MAX_TEXT = 3_000_000
"""Characters of files whose pieces are kept; beyond them all are forgotten and made again when asked for."""


class Files:
    """Pieces by source, and which of them were run. `steps`: how many the run has taken so far."""

    def __init__(self) -> None:
        self.steps = 0
        self._sources: dict[int, Source] = {}
        self._pieces: dict[int, tuple[Piece, ...]] = {}
        self._run: set[tuple[int, int]] = set()
        self._waiting: dict[tuple[int, int], bool] = {}
        self._spelled: dict[int, bool] = {}
        self._text = 0

    def pieces(self, source: Source) -> tuple[Piece, ...]:
        """The top-level pieces of a file; none of a file that is not Python."""
        known = self._pieces.get(id(source))
        if known is None:
            try:
                known = cut(source.text, ast.parse(source.text))
            except (SyntaxError, ValueError):
                known = ()
            except (RecursionError, MemoryError):
                return ()  # there may be more room the next time
            self._keep(source, known)
        return known

    def _keep(self, source: Source, pieces: tuple[Piece, ...]) -> None:
        self._text += len(source.text)
        if self._text > MAX_TEXT:
            self._pieces.clear()
            self._text = len(source.text)
        self._sources[id(source)] = source
        self._pieces[id(source)] = pieces
        for piece in pieces:
            for suite in piece.methods:
                self._waiting.setdefault((id(source), suite.node.start), True)

    def body(self, source: Source, piece: Piece) -> ir.Body:
        """What a piece says, which from now on costs nothing more."""
        self._run.add((id(source), piece.start))
        return piece.body

    def is_run(self, source: Source, piece: Piece) -> bool:
        """Whether asking for the body costs nothing."""
        return piece.plain or (id(source), piece.start) in self._run

    def waits(self, source: Source, function: ir.FuncDef) -> bool:
        """Whether a function is looked into only when it is called: a method, or one that is decorated."""
        return (id(source), function.start) in self._waiting

    def call(self, source: Source, function: ir.FuncDef) -> bool:
        """Note that such a function is called; returns whether that is the first time."""
        first = self._waiting.get((id(source), function.start), False)
        self._waiting[id(source), function.start] = False
        return first

    def says_compile(self, source: Source) -> bool:
        """Whether a file spells `compile` somewhere."""
        if id(source) not in self._spelled:
            self._sources[id(source)] = source
            self._spelled[id(source)] = says_compile(source.text)
        return self._spelled[id(source)]
