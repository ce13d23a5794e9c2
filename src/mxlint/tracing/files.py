"""Files cut and lowered once, whoever asks: many files of a project import the same few. No syntax tree is kept."""

from __future__ import annotations

from mxlint.source import Source
from mxlint.syntax import ir
from mxlint.syntax.lower import Lowering
from mxlint.syntax.trees import Trees
from mxlint.tracing.chunks import Piece, cut
from mxlint.tracing.spelling import says_compile

MAX_TEXT = 3_000_000
"""Characters whose IR is kept; beyond them all is forgotten and made again when asked for."""


class Files:
    """Pieces and IR by source. `steps`: how many the run has taken so far."""

    def __init__(self) -> None:
        self.steps = 0
        self._trees = Trees()
        self._pieces: dict[int, tuple[Source, Lowering, tuple[Piece, ...]]] = {}
        self._bodies: dict[tuple[int, int], ir.Body] = {}
        self._waiting: dict[tuple[int, int], bool] = {}
        self._spelled: dict[int, tuple[Source, bool]] = {}
        self._text = 0

    def pieces(self, source: Source) -> tuple[Piece, ...]:
        """The top-level pieces of a file; none of a file that is not Python."""
        known = self._pieces.get(id(source))
        if known is None:
            lowering = Lowering(source.text, self._trees)
            try:
                pieces = cut(lowering)
            except (SyntaxError, ValueError):
                pieces = ()
            except (RecursionError, MemoryError):
                return ()  # there may be more room the next time
            known = self._pieces[id(source)] = (source, lowering, pieces)
            self._waiting.update(((id(source), suite.at), True) for piece in pieces for suite in piece.methods)
        return known[2]

    def body(self, source: Source, piece: Piece) -> ir.Body:
        """What a piece says."""
        key = (id(source), piece.start)
        known = self._bodies.get(key)
        if known is None:
            self._make_room(piece.size)
            lowering = self._pieces[id(source)][1]
            known = self._bodies[key] = lowering.top(lowering.tree.module.body[piece.nodes])
        return known

    def _make_room(self, size: int) -> None:
        if self._text > MAX_TEXT:
            self._bodies.clear()
            self._text = 0
        self._text += size

    def is_run(self, source: Source, piece: Piece) -> bool:
        """Whether asking for the body costs nothing."""
        return piece.plain or (id(source), piece.start) in self._bodies

    def waits(self, source: Source, function: ir.FuncDef) -> bool:
        """Whether a function is looked into only when it is called: a method, or one that is decorated."""
        return (id(source), function.start) in self._waiting

    def call(self, source: Source, function: ir.FuncDef) -> bool:
        """Note that such a function is called; returns whether that is the first time."""
        key = (id(source), function.start)
        first, self._waiting[key] = self._waiting[key], False
        if first:
            self._make_room(function.end - function.start)
        return first

    def says_compile(self, source: Source) -> bool:
        """Whether a file spells `compile` somewhere."""
        if id(source) not in self._spelled:
            self._spelled[id(source)] = (source, says_compile(source.text))
        return self._spelled[id(source)][1]
