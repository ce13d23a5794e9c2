"""The lines of a file that a span lies in, with the span underlined, cut to the width there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mxlint.finding import Position, Span
from mxlint.report.style import Style, columns, visible
from mxlint.source import Source

_TAB = 4
_MOST_ROWS = 6
_CUT = "…"


@dataclass(frozen=True, slots=True)
class _Line:
    """A source line as shown: what each code point becomes, and the column where it starts, with the end as a last one."""

    cells: list[str]
    starts: list[int]

    def cut(self, start: int, end: int, width: int) -> tuple[str, int, int]:
        """The text in at most `width` columns, and from which of them to which the code points `start` to `end` then stand."""
        first, last = 0, len(self.cells)
        if self.starts[-1] > width:
            if self.starts[min(end, last)] >= width:
                # Keep the span's start in sight, with some of what precedes it.
                before = self.starts[start] - min(width // 3, self.starts[start])
                first = next(index for index, column in enumerate(self.starts) if column >= before)
            room = width - (first > 0)
            if self.starts[-1] - self.starts[first] > room:
                last = max(index for index, column in enumerate(self.starts) if column - self.starts[first] <= room - 1)
        prefix = _CUT if first else ""
        suffix = _CUT if last < len(self.cells) else ""
        shift = len(prefix) - self.starts[first]
        left = self.starts[min(max(start, first), last)] + shift
        right = self.starts[min(max(end, first), last)] + shift
        return prefix + "".join(self.cells[first:last]) + suffix, left, max(right, left + 1)


def excerpt(source: Source, span: Span, gutter: int, style: Style, mark: str, paint: Callable[[str], str], context: int) -> Iterator[str]:
    """The lines to print: `gutter` columns of row number, a bar, the text; under it `mark` for each column of the span."""
    first_row, last_row = held(source, span)
    rows = range(max(span.start.row - context, first_row), min(span.end.row + context, last_row) + 1)
    last = span.end.row - (span.end.column == 1 and span.end.row > span.start.row)
    width = max(style.width - gutter - 3, 20)
    bar = style.frame(f"{'':{gutter}} |")
    yield bar
    for row in rows:
        inside = span.start.row <= row <= last
        text = shown(source, row)
        if not inside and not text.strip():
            continue
        if inside and last - span.start.row >= _MOST_ROWS and span.start.row + _MOST_ROWS - 2 <= row < last:
            if row == last - 1:
                yield style.frame("...")
            continue
        indent = len(text) - len(text.lstrip())
        start = span.start.column - 1 if row == span.start.row else indent
        end = span.end.column - 1 if row == span.end.row else len(text)
        cut, left, right = _line(text).cut(start, end, width) if inside else _line(text).cut(0, 0, width)
        yield f"{style.frame(f'{number_of(source, row):>{gutter}} |')} {cut}".rstrip()
        if inside and (start < end or span.start == span.end):
            yield f"{bar} {' ' * left}{paint(mark * (right - left))}"
    yield bar


def held(source: Source, span: Span) -> tuple[int, int]:
    """First and last row of what a span is shown with: its cell or block, else its file."""
    piece = source.layout.piece(span.start.row) if source.layout is not None else None
    return (piece.first, piece.last) if piece is not None else (1, len(source.starts))


def shown(source: Source, row: int) -> str:
    """The text of a row as the user wrote it."""
    if source.layout is None:
        return source.line(row)
    return source.layout.written[source.offset(row) : source.offset(row + 1)].rstrip("\r\n")


def number_of(source: Source, row: int) -> int:
    """The number of a row, as the user counts."""
    piece = source.layout.piece(row) if source.layout is not None else None
    return piece.at(Position(row, 1)).row if piece is not None else row


def _line(text: str) -> _Line:
    cells: list[str] = []
    starts = [0]
    for character in text:
        cell = " " * (_TAB - starts[-1] % _TAB) if character == "\t" else visible(character)
        cells.append(cell)
        starts.append(starts[-1] + (len(cell) if character == "\t" else columns(cell)))
    return _Line(cells, starts)
