"""Where the rows of a program stand in the file that holds it: the cells of a notebook, the code blocks of a Markdown file."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from mxlint.documents.kinds import Kind
from mxlint.finding import Position, Span


@dataclass(frozen=True, slots=True)
class Piece:
    """A cell or a block. `first`: its first row in the program; `rows`: for each of its rows, the row of the file, 1-based; `cell`: the number of
    the cell, None for a block; `shifts`: for each row, the columns of the file before it (of a cell there are none: () then); `added`: what
    ends it in the program and is not in the file. `opens`: a program begins with it."""

    first: int
    rows: tuple[int, ...]
    cell: int | None = None
    shifts: tuple[int, ...] = ()
    added: str = ""
    opens: bool = False

    @property
    def last(self) -> int:
        """Its last row in the program."""
        return self.first + len(self.rows) - 1

    def at(self, position: Position) -> Position:
        """A place of the program as people count there: rows of the cell, or of the file."""
        number = position.row - self.first
        if self.cell is not None:
            return Position(number + 1, position.column)
        if number >= len(self.rows):  # behind the last row
            return Position(self.rows[-1] + 1, 1)
        return Position(self.rows[number], position.column + self.shifts[number])


@dataclass(frozen=True, slots=True)
class Place:
    """A span as people are told of it: rows and columns of the cell, if it is in one, else of the file. `rows`: first and last row of the file, for
    what knows of no cells."""

    filename: str
    cell: int | None
    start: Position
    end: Position
    rows: tuple[int, int]

    def __str__(self) -> str:
        """`path:row:column`, with the cell before the row."""
        return f"{self.filename}:{f'cell {self.cell}:' if self.cell is not None else ''}{self.start.row}:{self.start.column}"


@dataclass(frozen=True, slots=True)
class Layout:
    """How a file holds its program. `written`: the program as it is written there, with what only IPython reads: it has the rows and columns of the
    program's text. `broken`: pieces that are not Python, by number, with what Python was given; the program has blank rows in their places."""

    kind: Kind
    pieces: tuple[Piece, ...]
    written: str
    broken: tuple[tuple[int, str], ...] = ()

    def piece(self, row: int) -> Piece | None:
        """The piece that a row of the program belongs to; of one that belongs to none, the next, else the last."""
        number = bisect_right(self.pieces, row, key=lambda piece: piece.first) - 1
        if number >= 0 and row <= self.pieces[number].last:
            return self.pieces[number]
        return self.pieces[min(number + 1, len(self.pieces) - 1)] if self.pieces else None

    def row(self, cell: int | None, row: int) -> int | None:
        """The row of the program that is a row of a cell, or without one of the file; None if it is no row of the program."""
        for piece in self.pieces:
            if cell is not None and piece.cell == cell and 1 <= row <= len(piece.rows):
                return piece.first + row - 1
            if cell is None and piece.cell is None and row in piece.rows:
                return piece.first + piece.rows.index(row)
        return None

    def place(self, span: Span) -> Place:
        """Where a span of the program is. It ends at the latest with the piece in which it starts."""
        piece = self.piece(span.start.row)
        if piece is None:
            return Place(span.filename, None, span.start, span.end, (1, 1))
        start, end = (max(position, Position(piece.first, 1)) for position in (span.start, span.end))
        end = min(end, Position(piece.last + 1, 1))
        last = max(min(end.row - (end.column == 1 and end.row > start.row), piece.last), piece.first)
        start = min(start, Position(piece.last + 1, 1))
        first = min(start.row, piece.last)
        rows = piece.rows[first - piece.first], piece.rows[max(last, first) - piece.first]
        return Place(span.filename, piece.cell, piece.at(start), piece.at(end), rows)


def place(span: Span, layout: Layout | None) -> Place:
    """Where a span is, whatever holds it."""
    if layout is not None:
        return layout.place(span)
    last = span.end.row - (span.end.column == 1 and span.end.row > span.start.row)
    return Place(span.filename, None, span.start, span.end, (span.start.row, last))
