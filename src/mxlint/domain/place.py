"""Places: stretches of source text, by offsets in code points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mxlint.finding import Span
from mxlint.source import Source

if TYPE_CHECKING:
    from typing_extensions import Self


class Place:
    """A stretch of a file, as offsets into its text (code points, `end` exclusive).

    There is one object of each: most places become part of keys, many of them of hundreds, and objects are compared and hashed at once.
    """

    __slots__ = ("end", "source", "start")

    source: Source
    start: int
    end: int

    def __new__(cls, source: Source, start: int, end: int) -> Self:
        known: Self | None = source.places.get((start, end))
        if known is None:
            made = object.__new__(cls)
            made.source, made.start, made.end = source, start, end
            known = source.places.setdefault((start, end), made)  # by now another thread may have made it
        return known

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

    __slots__ = ("_hash", "inner", "outer")

    outer: Place
    inner: tuple[int, int]
    _hash: int

    def __new__(cls, outer: Place, start: int, end: int) -> Self:
        """`outer`: where the code is called; `start` and `end`: where in it."""
        made = object.__new__(cls)
        made.source, made.start, made.end = outer.source, outer.start, outer.end
        made.outer, made.inner = outer, (start, end)
        made._hash = hash((outer, start, end))
        return made

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, InnerPlace) and self.inner == other.inner and self.outer == other.outer

    def __hash__(self) -> int:
        return self._hash
