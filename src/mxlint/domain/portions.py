"""Which rows of an array of a library a view looks at, and whether two views share any: `a[2:5]` and `a[4:]` do, `a[:3]` and `a[3:]` do not."""

from __future__ import annotations

from typing import NamedTuple


class Portion(NamedTuple):
    """Rows from `start` to `stop` (None: to the end): all of them, or something in them. `aligned`: an index of a row counts rows here as well."""

    start: int = 0
    stop: int | None = None
    whole: bool = True
    aligned: bool = True

    def within(self, inner: Portion) -> Portion:
        """A portion of what this portion is of, as a portion of the array."""
        if not self.aligned:
            return self if inner == ALL or inner == SHUFFLED else self._replace(whole=False)
        ends = [end for end in (self.stop, None if inner.stop is None else self.start + inner.stop) if end is not None]
        return Portion(self.start + inner.start, min(ends, default=None), self.whole and inner.whole, inner.aligned)

    def holds_rows_of(self, other: Portion) -> bool:
        """Whether the rows of another portion are among these."""
        return self.start <= other.start and (self.stop is None or other.stop is not None and other.stop <= self.stop)

    def meets(self, other: Portion) -> bool | None:
        """Whether something is in both, if neither is empty; None if only the contents of the rows could tell."""
        if other.stop is not None and self.start >= other.stop or self.stop is not None and other.start >= self.stop:
            return False
        if self.whole and other.whole or self.whole and self.holds_rows_of(other) or other.whole and other.holds_rows_of(self):
            return True
        return None


ALL = Portion()
"""All of an array."""
SHUFFLED = Portion(aligned=False)
"""All of it, in other rows, as after a transpose."""
SOME = Portion(whole=False, aligned=False)
"""Something in it."""


def rows(start: int, stop: int | None, *, aligned: bool = True) -> Portion:
    """Some neighbouring rows; all that is in one of them is not aligned."""
    return Portion(start, stop, True, aligned)
