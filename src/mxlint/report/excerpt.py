"""The lines of a file that a span lies in, with the span underlined, cut to the width there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

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


@dataclass(frozen=True, slots=True)
class Mark:
    """A span to underline with `sign` in the colour of `paint`, with a label behind it, and with so many rows around it."""

    span: Span
    sign: str
    paint: Callable[[str], str]
    label: str = ""
    context: int = 0

    @property
    def last(self) -> int:
        """The last row in which it has something."""
        return self.span.end.row - (self.span.end.column == 1 and self.span.end.row > self.span.start.row)

    def rows(self, source: Source) -> Iterator[int]:
        """The rows to show: its own, less the middle of many, and those around it that are not blank."""
        first, last = held(source, self.span)
        for row in range(max(self.span.start.row - self.context, first), min(self.span.end.row + self.context, last) + 1):
            if not self.has(row):
                if shown(source, row).strip():
                    yield row
            elif self.last - self.span.start.row < _MOST_ROWS or row < self.span.start.row + _MOST_ROWS - 2 or row == self.last:
                yield row

    def has(self, row: int) -> bool:
        return self.span.start.row <= row <= self.last

    def stretch(self, row: int, text: str) -> tuple[int, int]:
        """From which code point of a row to which it goes."""
        start = self.span.start.column - 1 if row == self.span.start.row else len(text) - len(text.lstrip())
        return start, self.span.end.column - 1 if row == self.span.end.row else len(text)


def excerpt(source: Source, marks: Sequence[Mark], gutter: int, style: Style) -> Iterator[str]:
    """The lines to print, with all marks in the order of rows: `gutter` columns of row number, a bar, the text; under it the sign for each column of a
    span, and its label in the last row. Rows that are left out between them are three dots."""
    width = max(style.width - gutter - 3, 20)
    bar = style.frame(f"{'':{gutter}} |")
    yield bar
    before = None
    for row in sorted({row for mark in marks for row in mark.rows(source)}):
        if before is not None and any(shown(source, between).strip() for between in range(before + 1, row)):
            yield style.frame("...")
        before = row
        text = shown(source, row)
        here = sorted((mark for mark in marks if mark.has(row)), key=lambda mark: mark.stretch(row, text))
        cut = _line(text).cut(*(here[0].stretch(row, text) if here else (0, 0)), width)[0]
        yield f"{style.frame(f'{number_of(source, row):>{gutter}} |')} {cut}".rstrip()
        for mark in here:
            start, end = mark.stretch(row, text)
            if start < end or mark.span.start == mark.span.end:
                again, left, right = _line(text).cut(start, end, width)
                if again != cut:  # a long line, of which this mark needs another part
                    cut = again
                    yield f"{style.frame(f'{number_of(source, row):>{gutter}} |')} {cut}".rstrip()
                yield from _marked(mark, left, right, mark.label if row == mark.last else "", bar, width)
    yield bar


def _marked(mark: Mark, left: int, right: int, label: str, bar: str, width: int) -> Iterator[str]:
    """A span underlined, and its label: behind it, or in lines of its own if it has no room there."""
    line = f"{bar} {' ' * left}{mark.paint(mark.sign * (right - left))}"
    if not label or right + 1 + len(label) <= width:
        yield f"{line} {mark.paint(label)}" if label else line
        return
    yield line
    indent = " " * min(left, width // 3)
    for part in wrap(label, width - len(indent), break_long_words=False, break_on_hyphens=False):
        yield f"{bar} {indent}{mark.paint(part)}"


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
