"""Places: stretches of source text, by offsets in code points."""

from __future__ import annotations

from mxlint.finding import Span
from mxlint.source import Source


class Place:
    """A stretch of a file, as offsets into its text (code points, `end` exclusive)."""

    __slots__ = ("_hash", "end", "source", "start")

    def __init__(self, source: Source, start: int, end: int) -> None:
        self.source = source
        self.start = start
        self.end = end
        self._hash = hash((id(source), start, end))  # most places become part of keys, many of them of hundreds

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Place) and self.start == other.start and self.end == other.end and self.source is other.source
        )

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"{self.source.name}:{self.start}-{self.end}"

    @property
    def text(self) -> str:
        """The source text of it."""
        return self.source.text[self.start : self.end]

    @property
    def span(self) -> Span:
        """Rows and columns, for people."""
        return self.source.span(self.start, self.end)

    def contains(self, other: Place) -> bool:
        """Whether another stretch is a part of it."""
        return self.source is other.source and self.start <= other.start and other.end <= self.end


class InnerPlace(Place):
    """A place in code that is written for a library, for people where the program calls it: one more for each place in that code."""

    __slots__ = ("inner", "outer")

    def __init__(self, outer: Place, start: int, end: int) -> None:
        """`outer`: where the code is called; `start` and `end`: where in it."""
        super().__init__(outer.source, outer.start, outer.end)
        self.outer = outer
        self.inner = start, end
        self._hash = hash((outer, start, end))

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, InnerPlace) and self.inner == other.inner and self.outer == other.outer

    def __hash__(self) -> int:
        return self._hash
