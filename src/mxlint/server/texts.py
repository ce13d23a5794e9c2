"""The text of a document, and its places: rows and columns here, lines and characters in the protocol, counted in the units that were agreed on."""

from __future__ import annotations

import re
from functools import cached_property

from lsprotocol import types

from mxlint.finding import Position, Span
from mxlint.source import line_starts

_CODING = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_UNIT_BYTES = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
"""By the name of a position encoding, the codec that counts its units and the bytes of one."""


class Text:
    """A text in which a line ends where it does for Python and for the protocol: at LF, CR or CRLF, and nowhere else."""

    def __init__(self, text: str, encoding: str) -> None:
        """`encoding`: the units in which characters of a line are counted: utf-8, utf-16 or utf-32."""
        self.text = text
        self._codec, self._size = _UNIT_BYTES[encoding]
        self._encoding = encoding

    @cached_property
    def _starts(self) -> list[int]:
        return line_starts(self.text)

    @cached_property
    def _plain(self) -> bool:
        """Whether every character is one unit, in any encoding."""
        return self.text.isascii()

    @cached_property
    def data(self) -> bytes:
        """The bytes that an editor would save: in the encoding that the text declares, if it has one that can hold it."""
        for line in re.split(r"\r\n|\r|\n", self.text, maxsplit=2)[:2]:
            if declared := _CODING.match(line):
                try:
                    return self.text.encode(declared[1])
                except (LookupError, ValueError):
                    break
        return self.text.encode("utf-8", "surrogatepass")

    def edited(self, range: types.Range, new: str) -> Text:
        """The text with a stretch of it replaced."""
        start, end = sorted((self.offset(range.start), self.offset(range.end)))
        return Text(self.text[:start] + new + self.text[end:], self._encoding)

    def offset(self, place: types.Position) -> int:
        """Where a place of the protocol is. One past the end of its line is that end, one past the last line the end of the text."""
        if place.line >= len(self._starts):
            return len(self.text)
        start, line = self._starts[place.line], self._line(place.line)
        if self._plain:
            return start + min(place.character, len(line))
        taken = 0
        for number, character in enumerate(line):
            if taken >= place.character:
                return start + number
            taken += self._units(character)
        return start + len(line)

    def row_and_column(self, place: types.Position) -> Position:
        """A place of the protocol as ours."""
        line = min(place.line, len(self._starts) - 1)
        return Position(line + 1, self.offset(place) - self._starts[line] + 1)

    def place(self, position: Position) -> types.Position:
        """A place of ours as the protocol's. One outside of the text is moved into it."""
        line = min(position.row, len(self._starts)) - 1
        before = self._line(line)[: position.column - 1] if position.row <= len(self._starts) else self._line(line)
        return types.Position(line, len(before) if self._plain else self._units(before))

    def range(self, span: Span) -> types.Range:
        """A span as the protocol's range."""
        return types.Range(self.place(span.start), self.place(span.end))

    @property
    def whole(self) -> types.Range:
        """The range of all the text."""
        last = len(self._starts)
        return types.Range(types.Position(0, 0), self.place(Position(last, len(self.text) + 1)))

    def _line(self, number: int) -> str:
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.text)
        return self.text[self._starts[number] : end].rstrip("\r\n")

    def _units(self, text: str) -> int:
        return len(text.encode(self._codec, "surrogatepass")) // self._size
